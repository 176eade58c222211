import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import type { Directory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';
import { onGitHub } from '../support/registry-entries.ts';
import { faultsOfHtml } from '../support/valid-html.ts';

const folder = openFolder();
const views = join(folder, 'views.json');
const optedOut = 'io.github.alice/gone';
const odd = '"><b>bold</b> & \u202Emirrored <script>alert(1)</script> ﷽ 🜁';

/** A directory with what test/support/shown-directory.ts lacks: views, an operator, an opt-out, odd words. */
async function openFull(): Promise<Directory> {
  const directory = await openClaimedDirectory({
    entries: [
      ...seedEntries,
      registryEntry(optedOut, onGitHub('alice/gone')),
      registryEntry('io.test/odd', { title: odd, description: odd }),
    ],
    environment: {
      VIEWS: views,
      OPERATOR_NAME: odd,
      OPERATOR_CONTACT: 'mail@example.org',
      IMPRINT_URL: 'https://example.org/imprint?a=1&b=2',
    },
  });
  const capability = await directory.claim(optedOut, 'alice/gone');
  directory.git.createRepository('alice/gone').commit({ 'dossier-claim.txt': `optout ${optedOut}\n` });
  directory.wait(31);
  await directory.post('/api/claim-github', { handle: optedOut }, capability);
  return directory;
}

const view = { title: odd, description: odd, criteria: [{ criterion: 'has_endpoint' }] };
writeFileSync(views, JSON.stringify({ ours: view }));
const full = await opened(openFull());
const sample = await openedDirectory({ entries: [] });
const empty = await openedDirectory({ entries: [] });
await full.judgeViews();
await sample.import({ source: 'sample' });

const read = async (directory: Directory, path: string) => {
  const answer = await directory.app.request(path, { headers: { accept: 'text/html' } });
  return { status: answer.status, faults: await faultsOfHtml(await answer.text()) };
};

describe('pages are valid HTML', () => {
  it.each([
    ['/about', 200],
    ['/views', 200],
    ['/views/ours', 200],
    [`/agents/${optedOut}`, 410],
    ['/agents/io.test/odd', 200],
    ['/agents/io.test/odd/badge', 200],
    ['/agents/io.test/odd/tools', 200],
    ['/agents?q=%22%3E%3Cb%3E+bold', 200],
    ['/compare?handle=io.test%2Fodd&handle=co.webhook%2Fwebhook&claimed=true', 200],
  ])('with an operator, views and odd words: %s', async (path, status) => {
    expect(await read(full, path)).toEqual({ status, faults: [] });
  });

  it.each(['/', '/agents', '/tags', '/about', '/agents/co.webhook/webhook'])(
    'of the sample: %s',
    async (path) => {
      expect(await read(sample, path)).toEqual({ status: 200, faults: [] });
    },
  );

  it.each(['/', '/agents', '/tags', '/compare', '/log', '/about'])(
    'before the first import: %s',
    async (path) => {
      expect(await read(empty, path)).toEqual({ status: 200, faults: [] });
    },
  );

  it('a fault is found where there is one', async () => {
    expect(
      await faultsOfHtml('<!doctype html><html lang="en"><title>x</title><p><p width="1.5"><div></p>'),
    ).not.toEqual([]);
  });

  it('when something fails inside', async () => {
    const broken = await openedDirectory();
    await broken.store.close();
    expect(await read(broken, '/tags')).toEqual({ status: 500, faults: [] });
  });
});
