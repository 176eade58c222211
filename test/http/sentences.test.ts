import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';

const remote = (url: string) => ({ type: 'streamable-http', url });
let directory: Directory;
beforeAll(async () => {
  directory = await openDirectory({
    entries: [
      registryEntry('a.b/remote', { remotes: [remote('https://a.example/mcp')] }, { updatedAt: undefined }),
      registryEntry('a.b/template', { remotes: [remote('https://{host}/mcp')] }, { updatedAt: undefined }),
      registryEntry('a.b/neither', {}, { updatedAt: undefined }),
    ],
  });
});
afterAll(() => directory.close());

const read = async (path: string) => (await directory.app.request(path)).text();

describe('published sentences are about Dossier or about what is recorded', () => {
  it.each([
    ['/agents?q=remote', '<li>endpoint recorded</li>'],
    ['/agents?q=template', '<li>endpoint recorded as a template</li>'],
    ['/agents?q=neither', '<li>no endpoint recorded</li>'],
    ['/agents/a.b/remote', '<h3>Not checked by Dossier</h3>'],
    [
      '/agents/a.b/neither',
      '<dt>package types</dt><dd class="foreign"><span class="state unknown">not stated</span>',
    ],
    ['/', 'For the other listings, no update after the first publication is recorded here.'],
    ['/about', 'No score, mean, star or percentage is shown'],
    ['/llms.txt', 'No score is shown.'],
  ])('%s reads: %s', async (path, sentence) => {
    expect(await read(path)).toContain(sentence);
  });
});
