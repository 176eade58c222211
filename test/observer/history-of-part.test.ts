import { expect, it } from 'vitest';
import { callTool, openDirectory } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { opened } from '../support/opened.ts';

const made = { isLater: false };
const one = await opened(startModernServer(() => [{ name: 'read' }]));
const two = await opened(
  startModernServer(() => [{ name: 'send' }, ...(made.isLater ? [{ name: 'erase' }] : [])]),
);
const handle = 'com.example/both';
const remotes = ['one', 'two'].map((name) => ({
  type: 'streamable-http',
  url: `https://${name}.example.com/mcp`,
}));
const directory = await opened(
  openDirectory({
    entries: [registryEntry(handle, { remotes })],
    hosts: { 'one.example.com': one, 'two.example.com': two },
  }),
);
await directory.observe(handle);
directory.wait(86_400);
made.isLater = true;
await directory.observe(handle);

interface History {
  readonly statement: string;
  readonly changes: readonly string[];
  readonly differs?: readonly string[];
}
const today = directory.context.clock().toISOString().slice(0, 10);
const before = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
const ask = (named: string, input: object = {}) =>
  callTool<History>(directory, 'get_history', { handle: named, ...input });

it('the history of one endpoint has no change of another, and says that it leaves them out', async () => {
  const [of, other, whole] = [
    await ask('https://one.example.com/mcp'),
    await ask('https://two.example.com/mcp'),
    await ask(handle),
  ];
  expect(whole.changes.join('\n')).toContain('added `erase`');
  expect(other.changes.join('\n')).toContain('added `erase`');
  expect(of.changes).toEqual([expect.stringMatching(/^[\d-]{10} first check: /)]);
  expect(of.statement).toContain(
    'About `https://one.example.com/mcp`, one of 2 endpoints in the record. What checks saw elsewhere is left out. No change was seen in ',
  );
  expect(whole.statement).not.toContain('left out');
  const days = { since: before, until: today };
  expect((await ask('https://one.example.com/mcp', days)).differs).toEqual([
    expect.stringContaining('Nothing differs'),
  ]);
  expect((await ask('https://two.example.com/mcp', days)).differs?.join('\n')).toContain('added `erase`');
});

it('a list is compared with that of the endpoint that is named', async () => {
  const tools = [{ name: 'read' }];
  const check = (named: string) =>
    callTool<{ endpoint: string; version_asked?: string }>(directory, 'check_surface', {
      handle: named,
      tools,
    });
  expect(await check(handle)).toMatchObject({ endpoint: 'https://one.example.com/mcp' });
  expect(await check('https://two.example.com/mcp')).toMatchObject({
    endpoint: 'https://two.example.com/mcp',
    result: 'other',
    version_asked: 'About `https://two.example.com/mcp`, one of 2 endpoints in the record.',
  });
});

it('ratings are said to be of the whole listing', async () => {
  expect(await callTool(directory, 'list_ratings', { handle: 'https://two.example.com/mcp' })).toMatchObject({
    version_asked:
      'About `https://two.example.com/mcp`, one of 2 endpoints in the record. Ratings are of the whole listing.',
  });
});

it('what changed since an older list of the caller is told forward, with its direction', async () => {
  expect(
    await callTool(directory, 'check_surface', {
      handle: 'https://two.example.com/mcp',
      tools: [{ name: 'send' }],
    }),
  ).toMatchObject({
    changes_to_yours: expect.stringMatching(/^From your list to the one seen now: added `erase`/),
  });
});
