import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { packageAt, registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const packaged = (registryType: string, identifier: string) => packageAt(registryType, identifier, '1.2.3');
const directory = await openedDirectory({
  entries: [
    registryEntry('com.gull/ledger', { description: 'Keeps books', ...packaged('npm', '@tern/tally') }),
    registryEntry('com.gull/wind', {
      description: 'Forecasts',
      ...remotesAt('https://gust.example.org/mcp'),
    }),
    registryEntry('com.one/copy', { description: 'First', ...packaged('pypi', 'shared-kit') }),
    registryEntry('com.two/copy', { description: 'Second', ...packaged('pypi', 'shared-kit') }),
    registryEntry('com.words/tally', { description: 'A tern and a tally of shared kits' }),
    registryEntry('com.plain/books', { description: 'Plain', ...packaged('npm', 'tally') }),
  ],
  environment: { LIMITS: 'off' },
});

interface Answer {
  readonly listings: readonly { readonly handle: string; readonly facts: readonly string[] }[];
  readonly total: { readonly count: number };
  readonly did_you_mean?: readonly object[];
  readonly advice?: string;
}

const search = (input: object) => callTool<Answer>(directory, 'search_agents', input);
const handlesOf = ({ listings }: Answer) => listings.map(({ handle }) => handle);

it.each([
  ['a package', '@tern/tally', 'com.gull/ledger'],
  ['a command', 'npx -y @tern/tally@1.0.0 --port 80', 'com.gull/ledger'],
  ['a package URL', 'pkg:npm/%40tern/tally@1.2.3', 'com.gull/ledger'],
  ['an address', 'https://gust.example.org/mcp', 'com.gull/wind'],
])('puts the listing first that %s names, whatever words it has', async (_what, query, handle) => {
  const answer = await search({ query });
  expect(answer.listings[0]?.handle).toBe(handle);
  expect(answer.total.count).toBe(answer.listings.length);
  expect(answer.advice).toContain(`\`${handle}\` is the only listing that records this`);
  expect(answer.advice).toContain('get_agent reads this name.');
  expect(answer.did_you_mean).toBeUndefined();
});

it('all of several, and pages after them have the others once', async () => {
  const all = await search({ query: 'shared-kit' });
  expect(handlesOf(all)).toEqual(['com.one/copy', 'com.two/copy', 'com.words/tally']);
  expect(all.advice).toContain('2 listings record this package. Recording does not show control.');
  const handles: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await callTool<Answer & { next_cursor?: string }>(directory, 'search_agents', {
      query: 'shared-kit',
      limit: 1,
      ...(cursor && { cursor }),
    });
    handles.push(...handlesOf(page));
    cursor = page.next_cursor;
  } while (cursor);
  expect(handles).toEqual(handlesOf(all));
  expect(handlesOf(await search({ query: 'shared-kit', publisher: 'com.two' }))).toEqual(['com.two/copy']);
});

it('a plain word is no name alone', async () => {
  const answer = await search({ query: 'tally' });
  expect(answer.listings[0]?.handle).toBe('com.words/tally');
  expect(answer).not.toHaveProperty('advice');
});

it('a name that no listing has is neither misspelt nor foreign', async () => {
  const named = [
    [
      'GHSA-lrdr-3x7m-9q2p',
      'Dossier has checked no listing, so it does not know which packages this advisory ',
    ],
    [
      'npx -y unknwon-pakage',
      'No listing shown here records this npm package. Dossier asks nobody about a package that ',
    ],
    [
      'https://nowhere.example.net/mcp',
      'No listing shown here records this address as an endpoint, a repository or a package.',
    ],
  ] as const;
  for (const [query, said] of named) {
    const { advice, did_you_mean } = await search({ query });
    expect(advice).toContain(said);
    expect(did_you_mean).toBeUndefined();
  }
});

it('of several names, says which tool takes them', async () => {
  const query = JSON.stringify({
    mcpServers: { a: { command: 'npx', args: ['@tern/tally'] }, b: { url: 'https://gust.example.org/mcp' } },
  });
  const client = await opened(connect('v2', { app: directory.app }));
  const { content } = await client.call('search_agents', { query });
  expect(content[0]?.text).toContain('This text has 2 names');
  expect(content[0]?.text).toContain('resolve_agents takes them all.');
});
