import { describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';

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
const directory = await openedDirectory({
  entries: [registryEntry(handle, { remotes })],
  hosts: { 'one.example.com': one, 'two.example.com': two, 'two.hosted.net': two },
});
await directory.observe(handle);
directory.wait(86_400);
made.isLater = true;
await directory.observe(handle);

interface Resolved {
  readonly stands_out?: readonly { readonly key: string; readonly text: string }[];
}
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
  expect(of.changes).toEqual([
    expect.stringMatching(/^[\d-]{10} first check: /),
    expect.stringMatching(/^2026-10-01 version `1\.0\.0` /),
  ]);
  expect(of.statement).toContain(
    'About `https://one.example.com/mcp`; the record also names `https://two.example.com/mcp`. What checks saw elsewhere is left out. No change was seen in ',
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
    version_asked:
      'About `https://two.example.com/mcp`; the record also names `https://one.example.com/mcp`.',
  });
});

it('ratings are said to be of the whole listing', async () => {
  expect(await callTool(directory, 'list_ratings', { handle: 'https://two.example.com/mcp' })).toMatchObject({
    version_asked:
      'About `https://two.example.com/mcp`; the record also names `https://one.example.com/mcp`. Ratings are of the whole listing.',
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

describe('a second listing of the endpoint, by a stranger', () => {
  const stranger = 'io.github.stranger/two';
  const address = 'https://two.example.com/mcp';
  const yesterday = { publishedAt: '2026-01-01T00:00:00Z' };

  it('silences nothing that checks saw of it', async () => {
    const alone = await callTool<{ results: Resolved[] }>(directory, 'resolve_agents', {
      handles: [address],
    });
    const changed = alone.results[0]?.stands_out?.find(({ key }) => key === 'changed');
    expect(changed?.text).toContain('added `erase`');
    const remotes = [{ type: 'streamable-http', url: address }];
    await directory.importEntries([registryEntry(stranger, { remotes }, yesterday)]);
    await directory.observe(stranger);
    const { results } = await callTool<{ results: Resolved[] }>(directory, 'resolve_agents', {
      handles: [address],
    });
    expect(results).toMatchObject([{ outcome: 'several_listings' }]);
    expect(results[0]?.stands_out?.filter(({ key }) => key === 'changed')).toEqual([changed]);
    const refused = await callTool<{ detail: string }>(directory, 'get_agent', { handle: address });
    expect(refused).toMatchObject({ code: 'several_listings' });
    expect(refused.detail).toContain(changed?.text);
  });

  it('does not keep the history or a list of tools from being told: the domain decides', async () => {
    const chosen =
      'This listing is chosen because the address is on the domain of its namespace; 1 other listing records the address too.';
    const told = await ask(address);
    expect(told).toMatchObject({ handle, statement: expect.stringContaining(chosen) });
    expect(told.changes.join('\n')).toContain('added `erase`');
    expect(
      await callTool(directory, 'check_surface', { handle: address, tools: [{ name: 'send' }] }),
    ).toMatchObject({ handle, result: 'other', version_asked: expect.stringContaining(chosen) });
  });

  it('nor where no listing is on the domain: then the one that was checked first is named', async () => {
    const hosted = 'https://two.hosted.net/mcp';
    const remotes = [{ type: 'streamable-http', url: hosted }];
    const all = ['io.github.stranger/hosted', 'io.github.other/hosted'];
    await directory.importEntries(all.map((name) => registryEntry(name, { remotes })));
    for (const name of all) {
      await directory.observe(name);
      directory.wait(60);
    }
    expect(
      await callTool(directory, 'check_surface', { handle: hosted, tools: [{ name: 'send' }] }),
    ).toMatchObject({
      handle: all[0],
      result: 'other',
      version_asked:
        '2 listings record this endpoint. Recording does not show control. What follows is of `io.github.stranger/hosted`, for which Dossier checked it first.',
    });
  });
});
