import { expect, it } from 'vitest';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { startFetchServer, startShop } from '../support/endpoints/paid-endpoint.ts';
import { connect } from '../support/mcp-clients.ts';
import { alice, mallory, offerOf } from '../support/offers.ts';
import { opened } from '../support/opened.ts';

const tool = (name: string) => ({ name, description: `Does ${name}` });
const beta = [tool('alpha'), tool('beta')];
const gamma = [tool('alpha'), tool('gamma')];
const lastTurn = 9;
let at = 0;
const isOdd = () => at % 2 === 1;

const list = await opened(startModernServer(() => beta));
/** Answers as a server of two tools, or as `instead` says. */
const behind = (instead: () => Response | undefined) =>
  startFetchServer(async (request) => {
    if (new URL(request.url).pathname !== '/mcp') return new Response('', { status: 404 });
    const other = instead();
    if (other) return other;
    const skipped = ['host', 'content-length', 'connection'];
    const headers = [...request.headers].filter(([header]) => !skipped.includes(header));
    const body = request.method === 'POST' ? { body: await request.text() } : {};
    return fetch(`${list.url}/mcp`, {
      method: request.method,
      headers: Object.fromEntries(headers),
      ...body,
    });
  });
const servers = {
  /** In turn until the tenth check, then the first for good. */
  settled: startModernServer(() => (isOdd() && at <= lastTurn ? gamma : beta)),
  turns: startModernServer(() => (isOdd() ? gamma : beta)),
  paid: startShop(() => [offerOf({ payTo: isOdd() ? mallory : alice })]),
  priced: startShop(() => [offerOf({ amount: isOdd() ? '20000' : '10000' })]),
  gone: behind(() => (isOdd() ? new Response('', { status: 404 }) : undefined)),
  down: behind(() => (isOdd() ? new Response('', { status: 503 }) : undefined)),
  signs: behind(() =>
    isOdd() ? new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer' } }) : undefined,
  ),
};
type Name = keyof typeof servers;
const { directory } = await openObserved(servers, { LIMITS: 'off' });
const days: string[] = [];
for (at = 0; at < 20; at += 1) {
  if (at > 0) directory.wait(86_400);
  days.push(directory.context.clock().toISOString().slice(0, 10));
  for (const name of Object.keys(servers)) await directory.observe(handleAt(name));
}
const client = await opened(connect('v2', { app: directory.app }));
const day = (nth: number) => days[nth] ?? '';

const told = async (toolName: string, name: Name, input: object = {}) => {
  const asked = await client.call(toolName, { handle: handleAt(name), ...input });
  const json = (asked.structuredContent ?? {}) as { changes: string[]; statement: string; message: string };
  return { text: asked.content[0]?.text ?? '', json };
};
const history = (name: Name, input: object = {}) => told('get_history', name, input);

it('what changed at every check is never told as no change, in no window, by no door', async () => {
  for (const name of ['turns', 'paid', 'priced', 'signs'] as const)
    for (const input of [
      { since: day(12) },
      { since: day(12), until: day(17) },
      { since: day(19) },
      { since: day(12), kind: { turns: 'tools', paid: 'price', priced: 'price', signs: 'access' }[name] },
    ])
      expect([name, input, (await history(name, input)).text]).not.toEqual([
        name,
        input,
        expect.stringMatching(/No (?:such )?change (?:was seen|is recorded)/),
      ]);
  const { json } = await history('paid', { since: day(12), kind: 'price' });
  expect(json.changes).toHaveLength(1);
  expect(json.changes[0]).toMatch(
    new RegExp(
      `^${day(19)} .*${alice}.*${mallory}.*; with this, 19 changes to and fro between two states since ${day(1)}$`,
    ),
  );
  const within = await history('turns', { since: day(12), until: day(15), kind: 'tools' });
  expect(within.text).toContain(`(between what was known at the ends of ${day(12)} and ${day(15)})`);
  expect(within.text).toContain(`with this, 15 changes to and fro between two states since ${day(1)}`);
  const page = await (
    await directory.app.request(`/agents/${handleAt('paid')}/history?since=${day(12)}`)
  ).text();
  expect(page.replace(/<[^>]+>/g, '')).toContain(
    `with this, 19 changes to and fro between two states since ${day(1)}`,
  );
});

it('the end of going to and fro is told: until when, what stands now and since when', async () => {
  const { json } = await history('settled', { kind: 'tools' });
  expect(json.changes.slice(0, 2)).toEqual([
    `${day(10)} Tools it lists (\`https://settled.example.com/mcp\`): removed \`gamma\`; added \`beta\`: requires \`text\`; last seen without these changes on ${day(9)}; with this, 10 changes to and fro between two states since ${day(1)}; seen so until ${day(19)}`,
    expect.stringMatching(
      new RegExp(
        `^${day(3)} .*; with this, 3 changes to and fro between two states since ${day(1)}; later ones have no entry of the log \\(log index \\d+\\)$`,
      ),
    ),
  ]);
  const middle = await history('settled', { since: day(5), kind: 'tools' });
  expect(middle.json.changes).toEqual(json.changes.slice(0, 1));
  const later = await history('settled', { since: day(11) });
  expect(later.json.statement).toContain(`No change was seen in 9 checks since ${day(11)}`);
  const agent = await told('get_agent', 'settled');
  expect(agent.text).toContain(`; with this, 10 changes to and fro between two states since ${day(1)}`);
  expect(await directory.audit()).toEqual([]);
});

it('a feed ends with what stands now, though later changes to and fro have no entry, and dates it anew', async () => {
  const three = `with this, 3 changes to and fro between two states since ${day(1)}; later ones have no entry of the log`;
  for (const [name, last, words] of [
    [
      'paid',
      day(19),
      `the last of 19, on ${day(19)}, made this change again: 0.01 USDC on Base (paid to ${mallory})`,
    ],
    ['settled', day(10), `the last of 10, on ${day(10)}, took this change back`],
  ] as const)
    for (const path of [`/agents/${handleAt(name)}`, '']) {
      const feed = await directory.app.request(`${path}/feed.json`);
      type Item = { title: string; content_html: string; date_modified: string };
      const { items } = (await feed.json()) as { items: Item[] };
      const atom = await (await directory.app.request(`${path}/feed.atom`)).text();
      const newest = items.find(({ title }) => title.startsWith(handleAt(name)));
      const content = newest?.content_html.replaceAll(/<[^>]+>/g, '');
      expect([newest?.date_modified.slice(0, 10), content]).toEqual([
        last,
        expect.stringContaining(`${three}; ${words}`),
      ]);
      expect(newest?.title.replaceAll('`', '')).toContain(`${three}; ${words}`);
      expect(atom).toContain(`<updated>${items[0]?.date_modified}</updated>\n<author>`);
      expect(items[0]?.date_modified).toBe(
        items
          .map((one) => one.date_modified)
          .toSorted()
          .at(-1),
      );
    }
});

it('the last change to and fro that is sent says that later ones are not', async () => {
  const lines = (await (await directory.app.request('/changes?since=0')).text()).trim().split('\n');
  const sent = lines
    .map((line) => JSON.parse(line))
    .filter(({ handle, type }) => handle === handleAt('paid') && type === 'observation.changed');
  expect(sent.map(({ data }) => data.to_and_fro)).toEqual([
    undefined,
    undefined,
    expect.arrayContaining(['price.offers']),
  ]);
});

it('what only ends and begins with the sign-in of the endpoint is told with it', async () => {
  const { json } = await history('signs', { since: day(12) });
  expect(json.changes).toHaveLength(2);
  expect(json.changes.join('\n')).toMatch(
    new RegExp(
      `^${day(19)} Asks for credentials first .*; no longer seen either: protocol revision, .*tools it lists`,
      'm',
    ),
  );
});

it('leads with the sign-in that began, in the title of a feed and in the lines of a day, before what follows from it', async () => {
  const feed = await directory.app.request(`/agents/${handleAt('signs')}/feed.json`);
  const { items } = (await feed.json()) as { items: readonly { title: string }[] };
  const { json } = await history('signs', {});
  const lines = json.changes.filter((line: string) => line.startsWith(day(1)));
  expect(items.at(-1)?.title).toBe(
    `com.example.signs/a: Asks for credentials first (\`https://signs.example.com/mcp\`): no until ${day(0)}, then yes; Endpoint (\`https://signs.example.com/mcp\`): answered (HTTP status 200) until ${day(0)}, then asks for sign-in before it answers (HTTP status 401); and 7 more`,
  );
  expect(lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^\S+ Asks for credentials first .*: no until/),
    expect.stringMatching(/^\S+ Endpoint .*: answered/),
    expect.stringMatching(/^\S+ Prices and payees /),
  ]);
});

it('a list that comes and goes was first seen at its first time', async () => {
  const sent = ({ name, description }: (typeof beta)[number]) => ({ name, description });
  const { text, json } = await told('check_surface', 'turns', { tools: gamma.map(sent) });
  expect(json).toMatchObject({ result: 'same', first_seen_at: expect.stringContaining(day(1)) });
  expect(json.message).toContain(
    `that Dossier has seen again since ${day(19)} (first on ${day(1)}), last on`,
  );
  const inTurn = `Of this list, Dossier saw 19 changes to and fro between two states since ${day(1)}.`;
  expect(json.message).toContain(inTurn);
  expect(text).toContain(`first ${day(1)}T`);
  const other = await told('check_surface', 'turns', { tools: beta.map(sent) });
  expect(other.json).toMatchObject({
    result: 'other',
    earlier: { first_seen_at: expect.stringContaining(day(0)), seen_until: expect.stringContaining(day(18)) },
  });
  expect(other.json.message).toContain(inTurn);
  expect(other.json.message).toContain(
    `Your list is the one that Dossier saw on ${day(18)} (first on ${day(0)})`,
  );
});

it('the share of answered checks is said whatever the last one saw', async () => {
  for (const name of ['gone', 'down'] as const) {
    const { text } = await told('get_agent', name);
    const share =
      /10 of 20 checks in 30 days|of 20 checks in the 30 days until \d{4}-\d\d-\d\d, 10 were answered/;
    expect([name, text]).toEqual([name, expect.stringMatching(share)]);
    expect(text).toContain(`No check since ${day(19)} saw the endpoint answer`);
    expect(text.split('\n').find((line) => line.startsWith('* Where'))).toMatch(share);
    const { text: resolved } = await (async () => {
      const { content } = await client.call('resolve_agents', { names: [handleAt(name)] });
      return { text: content[0]?.text ?? '' };
    })();
    expect(resolved).toMatch(share);
  }
});
