import { expect, it } from 'vitest';
import { type OfferedTool, startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { startFetchServer, startX402Server } from '../support/endpoints/paid-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { askOf } from '../support/offers.ts';
import { opened } from '../support/opened.ts';
import { expectSameFacts } from '../support/same-facts.ts';

const reads: OfferedTool = { name: 'read_page', description: 'Reads a page' };
const writes: OfferedTool = { name: 'write_page', description: 'Writes a page' };
const wipes: OfferedTool = { name: 'wipe_space', description: 'Deletes all pages' };
const sent = ({ name, description }: OfferedTool) => ({ name, description });

const offered: Record<string, readonly OfferedTool[]> = { pages: [reads, writes], wind: [reads] };
const fails: Record<string, Response | undefined> = {};
const lists = {
  pages: await startModernServer(() => [...(offered.pages ?? [])]),
  wind: await startModernServer(() => [...(offered.wind ?? [])]),
};
/** What `fails` has in place of each answer of the server. */
const behind = (name: keyof typeof lists) =>
  startFetchServer(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== '/mcp') return new Response('', { status: 404 });
    const instead = fails[name];
    if (instead) return instead.clone();
    const skipped = ['host', 'content-length', 'connection'];
    const headers = [...request.headers].filter(([header]) => !skipped.includes(header));
    const body = request.method === 'POST' ? { body: await request.text() } : {};
    return fetch(`${lists[name].url}/mcp`, {
      method: request.method,
      headers: Object.fromEntries(headers),
      ...body,
    });
  });
for (const one of Object.values(lists)) await opened(one);
const payee = `0x${'c9'.repeat(20)}`;
const paid = startX402Server(() => ({ dollars: '$0.02', payTo: payee }));
const { directory, servers } = await openObserved(
  { pages: behind('pages'), wind: behind('wind'), paid },
  { LIMITS: 'off' },
);
const client = await opened(connect('v2', { app: directory.app }));

const today = () => directory.context.clock().toISOString().slice(0, 10);
async function look(name: string): Promise<string> {
  directory.wait(86_400);
  await directory.observe(handleAt(name));
  return today();
}
async function check(name: string, tools: readonly object[]) {
  const { structuredContent, content } = await client.call('check_surface', {
    handle: handleAt(name),
    tools,
  });
  const text = content[0]?.text ?? '';
  expectSameFacts(text, { ...structuredContent });
  return { json: structuredContent as Record<string, unknown>, text };
}

it('a tool that an earlier list had is dated, also beside others that differ, and is never called unseen', async () => {
  const first = await look('pages');
  offered.pages = [reads, writes, wipes];
  const there = await look('pages');
  offered.pages = [reads, writes];
  await look('pages');
  await look('pages');
  const whole = await check('pages', [reads, writes, wipes].map(sent));
  expect(whole.json).toMatchObject({
    differs: [
      {
        name: 'wipe_space',
        difference: 'only_there',
        earlier: { seen_until: expect.stringContaining(there) },
      },
    ],
  });
  expect(whole.text).toContain(`Your list is the one that Dossier saw on ${there}; get_history`);
  expect(whole.text).toMatch(
    new RegExp(
      `only_there, sent by you beyond the list that Dossier saw last: \`wipe_space\` \\(like this until ${there}T`,
    ),
  );

  const exports = { name: 'export_space', description: 'Exports all' };
  const mixed = await check('pages', [
    sent({ ...reads, description: 'Reads one page' }),
    sent(writes),
    sent({ ...wipes, description: 'Deletes it all' }),
    exports,
  ]);
  expect(mixed.json.differs).toEqual([
    { name: 'export_space', difference: 'only_there' },
    { name: 'read_page', difference: 'other', members: ['description'] },
    {
      name: 'wipe_space',
      difference: 'only_there',
      earlier: { seen_until: expect.stringContaining(there), is_other: true },
    },
  ]);
  expect(mixed.json.message).toContain(
    `Until ${there}, Dossier saw another wipe_space: see get_history. No list that Dossier keeps of this endpoint has export_space.`,
  );
  for (const { text } of [whole, mixed]) expect(text).not.toContain('not seen by Dossier');

  offered.pages = [{ ...reads, description: 'Reads one page' }, writes];
  await look('pages');
  const worded = await check('pages', [sent(reads), sent({ ...writes, description: 'Writes one page' })]);
  expect(worded.json.message).toMatch(
    /Until [\d-]+, Dossier saw read_page as you sent it: see get_history\./,
  );
  expect(first < there).toBe(true);
  // An earlier list as it was sent: the texts run as the changes do.
  const earlier = await check('pages', [sent(reads), sent(writes)]);
  expect(earlier.json.changes_to_yours).toMatch(/^From your list to the one seen now: /);
  expect(earlier.json.texts).toEqual([
    { name: 'read_page', member: 'description', difference: 'Reads [-a-]{+one+} page' },
  ]);
  expect(earlier.text).toContain('Texts, as the changes run, [-was-]{+is+}:');
});

it.each([
  [
    '401',
    () => new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer realm="a"' } }),
    'it asks for credentials first',
  ],
  ['502', () => new Response('', { status: 502 }), 'the endpoint returned HTTP 502'],
])(
  'a list is compared with the last one that was seen, before checks ended in HTTP %s',
  async (_, fail, why) => {
    fails.wind = undefined;
    await look('wind');
    const last = await look('wind');
    fails.wind = fail();
    const since = await look('wind');
    const same = await check('wind', [sent(reads)]);
    expect(same.json).toMatchObject({ result: 'same', observed_at: expect.stringContaining(last) });
    expect(same.json.message).toContain(`last on ${last} in revision`);
    expect(same.json.message).toContain(` No check since ${since} saw a list: ${why}`);
    const other = await check('wind', [sent(reads), sent(wipes)]);
    expect(other.json).toMatchObject({ result: 'other', differs: [{ name: 'wipe_space' }] });
    expect(other.text).toContain(`No check since ${since} saw a list: ${why}`);
    const agent = await client.call('get_agent', { handle: handleAt('wind') });
    const line = `: \`read_page\`, not seen by checks since ${since}`;
    expect(agent.content[0]?.text).toContain(line);
    expect(agent.content[0]?.text).not.toContain('None seen');
    if (_ === '401') expect(agent.content[0]?.text).toContain(`${line}: ${why} (Dossier, ${last}`);
  },
);

it('a list from an address that the record no longer names is compared with what was seen there, never with that of another', async () => {
  fails.wind = undefined;
  const [handle, url, other] = [handleAt('pages'), 'pages.example.com/mcp', 'https://wind.example.com/mcp'];
  const at = (version: string, remote: string, days: number, isLatest: boolean) => {
    const when = new Date(directory.context.clock().getTime() - days * 86_400_000).toISOString();
    const dates = { isLatest, publishedAt: when, updatedAt: when };
    return registryEntry(handle, { version, ...remotesAt(remote) }, dates);
  };
  await directory.importEntries([at('1.0.0', `https://${url}`, 9, false), at('1.0.1', other, 0.1, true)]);
  await look('pages');
  const compare = async (named: string, tools = offered.pages ?? []) =>
    (await client.call('check_surface', { handle: named, tools: tools.map(sent) })).structuredContent;
  const said = `which the record no longer names; what Dossier saw at \`${other}\` is not compared.`;
  expect(await compare(`https://${url}`)).toMatchObject({
    handle,
    result: 'same',
    endpoint: `https://${url}`,
    version_asked: `You asked about the endpoint \`${url}\`, ${said}`,
  });
  // What the record names now lists exactly this.
  expect(await compare(`https://${url}`, [reads])).toMatchObject({ result: 'other' });
  expect(await compare(handle, [reads])).toMatchObject({ result: 'same', endpoint: other });
});

it('a record that moved to an address that is not checked yet takes nothing away from what was seen before', async () => {
  const handle = handleAt('paid');
  const url = 'https://paid.example.com/mcp';
  const other = 'https://paid.example.org/mcp';
  const until = await look('paid');
  const now = directory.context.clock().toISOString();
  const dates = (isLatest: boolean) => ({ isLatest, publishedAt: now, updatedAt: now });
  await directory.importEntries([
    registryEntry(handle, { version: '1.0.0', ...remotesAt(url) }, dates(false)),
    registryEntry(handle, { version: '2.0.0', ...remotesAt(other) }, dates(true)),
  ]);
  const said = `Since the record changed, Dossier has not checked what it names; what it saw until ${until} is of what the record named before: see get_history.`;
  const call = async (tool: string, input: object) => {
    const { content, structuredContent } = await client.call(tool, { ...input });
    const text = content[0]?.text ?? '';
    expect(text).not.toMatch(/checked nothing|has none from|has seen no|made no observation/);
    return { text, json: structuredContent as Record<string, unknown> };
  };
  const { header: offer } = await askOf(servers.paid ?? expect.fail(), 'paid.example.com');
  for (const named of [{ url }, { handle }, { handle, url }, { handle, url: other }, { url: other }]) {
    const { text, json } = await call('check_offer', { offer, ...named });
    expect(json.offers).toMatchObject([{ payee: 'seen_until', amount: 'seen_until' }]);
    expect(text).toContain(`Dossier at \`${url}\` on ${until}`);
    expect(text).toContain(`seen on ${until} (1 check)`);
    if ('handle' in named) expect(text).toContain(said);
  }
  const { json } = await call('resolve_agents', { handles: [handle, url, other] });
  expect(json.results).toMatchObject(Array.from({ length: 3 }, () => ({ notes: [said] })));
  for (const named of [handle, other, url]) {
    const surface = await call('check_surface', { handle: named, tools: [] });
    if (named !== url) expect(surface.json.message).toBe(said);
  }
});
