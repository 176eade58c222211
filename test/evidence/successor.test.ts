import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';

const cases: readonly (readonly [status: string, says: string, successor: string | undefined])[] = [
  ['deprecated', 'Replaced by com.other/tool.', 'com.other/tool'],
  ['deprecated', 'Deprecated, use io.github.acme/new instead', 'io.github.acme/new'],
  ['deprecated', 'New pricing: see acme.com/pricing.', undefined],
  ['deprecated', 'Works best together with com.other/tool', undefined],
  ['deprecated', 'Moved to github.com/acme', undefined],
  ['deprecated', 'Replaced by com.example/s5', undefined],
  ['active', 'Use com.other/tool', undefined],
  ['described', 'Docs for AI. DEPRECATED: Use com.other/tool instead.', 'com.other/tool'],
  ['described', 'MOVED: This server has been renamed to com.other/tool. Use the new name.', 'com.other/tool'],
  ['described', 'Deprecated - renamed to other-mcp', undefined],
];
const directory = await openedDirectory({
  entries: [
    registryEntry('com.other/tool'),
    ...cases.map(([status, statusMessage], at) =>
      status === 'described'
        ? registryEntry(`com.example/s${at}`, { description: statusMessage })
        : registryEntry(`com.example/s${at}`, {}, { status, statusMessage }),
    ),
  ],
});

it.each(cases.map((one, at) => [...one, at] as const))(
  'the successor of a listing that is %s, of which its publisher says “%s”, is %s',
  async (status, _says, successor, at) => {
    const answer = await directory.post('/api/tools/search_agents', { similar_to: `com.example/s${at}` });
    expect(((await answer.json()) as { successor?: string }).successor).toBe(successor);
    const { next } = await callTool<{ next?: string }>(directory, 'get_agent', {
      handle: `com.example/s${at}`,
    });
    const similar = 'search_agents, similar_to this one';
    // The other one is not listed.
    const first =
      successor === 'com.other/tool' &&
      `get_agent ${successor}, which its publisher names as its successor; ${similar}`;
    expect(next).toBe(first || (status !== 'active' ? similar : undefined));
  },
);

it('the history names the status before and what the publisher says of the new one', async () => {
  const handle = 'com.example/ends';
  const later = { updatedAt: '2026-11-26T08:00:00Z' };
  const ended = { status: 'deprecated', statusMessage: 'Use com.other/tool', ...later };
  await directory.importEntries([registryEntry(handle)]);
  await directory.importEntries([registryEntry(handle, {}, ended)]);
  const lines = async () => {
    const { changes } = await callTool<{ changes: string[] }>(directory, 'get_history', { handle });
    return changes.map((line) => line.slice(11));
  };
  expect(await lines()).toContain(
    'record changed: marked as deprecated, active before; its publisher says “Use com.other/tool”; version `1.0.0`',
  );
  const feed = await (await directory.app.request(`/agents/${handle}/feed.json`)).json();
  const { items } = feed as { items: { title: string }[] };
  expect(items.map(({ title }) => title)).toContain(
    `${handle}: record changed: marked as deprecated, active before; its publisher says “Use com.other/tool”`,
  );
  await directory.importEntries([
    registryEntry(handle, {}, { ...ended, statusMessage: 'Gone', updatedAt: '2026-11-27T08:00:00Z' }),
  ]);
  const gone = 'its status message changed; only the newest is kept here (ask its publisher)';
  expect((await lines()).slice(0, 2)).toEqual([
    'record changed: its publisher says “Gone”; version `1.0.0`',
    `record changed: marked as deprecated, active before; ${gone}; version \`1.0.0\``,
  ]);
  await directory.importEntries([registryEntry(handle, {}, { updatedAt: '2026-11-28T08:00:00Z' })]);
  expect((await lines())[0]).toBe(
    `record changed: marked as active, deprecated before; ${gone}; version \`1.0.0\``,
  );
  const stream = await (await directory.app.request('/changes?since=0')).text();
  expect(stream).toContain('"status":"deprecated","before":"active"');
  expect(stream).not.toContain('Gone');
});

it('a listing without ratings says who may rate, and that nothing else tells whether it delivers', async () => {
  const { statement } = await callTool<{ statement: string }>(directory, 'list_ratings', {
    handle: 'com.example/s0',
  });
  expect(statement).toBe(
    'No ratings here; that matters for a purchase. Only claimed listings rate: claim your own (claim_agent), then call submit_rating. submit_feedback reaches the operator of Dossier alone. Whether the service delivers or refunds, Dossier learns only from ratings.',
  );
});
