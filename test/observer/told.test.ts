import { expect, it } from 'vitest';
import { own, toText, within } from '../../src/core/words.ts';
import { type Endpoint, startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { connect } from '../support/mcp-clients.ts';
import { alice, mallory, offerOf } from '../support/offers.ts';
import { opened } from '../support/opened.ts';

/** What the endpoint of a listing does at each check, a day apart. */
type Answer = (id?: number) => readonly [status: number, body?: object];
const good: Answer = (id) => {
  const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, tools: [] };
  return [200, { jsonrpc: '2.0', id, result }];
};
const withoutVersion: Answer = (id) => [200, { id, result: {} }];
const quoting =
  (...accepts: object[]): Answer =>
  () => [402, { x402Version: 2, resource: { url: 'https://shop.example.com/mcp' }, accepts }];
const unreadable = { scheme: 'exact', network: 5, payTo: 3 };
const barred: Answer = () => [0];

const plays = {
  barred: [barred, barred],
  bare: [good, withoutVersion, withoutVersion],
  shop: [
    quoting(offerOf()),
    quoting(offerOf(), unreadable),
    quoting(offerOf({ payTo: mallory }), unreadable),
    quoting(offerOf({ payTo: mallory })),
  ],
  freed: [quoting(offerOf()), good, good],
  repriced: [
    quoting(offerOf()),
    quoting(offerOf()),
    quoting(offerOf({ amount: '20000' })),
    quoting(offerOf({ amount: '30000' })),
  ],
  repaid: [
    quoting(offerOf()),
    quoting(offerOf({ payTo: mallory })),
    quoting(offerOf()),
    quoting(offerOf({ payTo: mallory })),
  ],
} as const satisfies Readonly<Record<string, readonly Answer[]>>;
type Name = keyof typeof plays;

const now: Partial<Record<string, Answer>> = {};
const days: string[] = [];

const serve = (name: string): Promise<Endpoint> =>
  startEndpoint((body, { url }, response) => {
    const answer = now[name] ?? good;
    if (url === '/robots.txt' && answer === barred)
      return void response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nDisallow: /');
    if (url !== '/mcp') return void response.writeHead(404).end();
    const [status, sent] = body === '' ? [405] : answer((JSON.parse(body) as { id?: number }).id);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(sent && JSON.stringify(sent));
  });
const servers = Object.fromEntries(Object.keys(plays).map((name) => [name, serve(name)]));
const { directory } = await openObserved(servers, { LIMITS: 'off' });
for (let day = 0; day < 4; day += 1) {
  if (day > 0) directory.wait(86_400);
  days.push(directory.context.clock().toISOString().slice(0, 10));
  for (const [name, answers] of Object.entries<readonly Answer[]>(plays)) {
    const answer = answers[day];
    if (!answer) continue;
    now[name] = answer;
    await directory.observe(handleAt(name));
  }
}
const client = await opened(connect('v2', { app: directory.app }));

const told = async (tool: string, input: Record<string, unknown>) =>
  (await client.call(tool, input)).content[0]?.text ?? '';
const agent = (name: Name) => told('get_agent', { handle: handleAt(name) });

it('what was never asked did not stay the same', async () => {
  expect(await told('get_history', { handle: handleAt('barred') })).not.toContain('No change was seen');
});

it('a check that saw no tools is not counted as one that saw the same tools', async () => {
  const history = (name: Name) =>
    told('get_history', { handle: handleAt(name), kind: 'tools', since: days[0] });
  expect(await history('shop')).toContain(
    `No check since ${days[0]} saw facts of the kind tools: it asks for a payment first.`,
  );
  expect(await history('bare')).toContain(
    `No check since ${days[0]} saw facts of the kind tools: the endpoint returned a message`,
  );
});

it('code in our own words is code', async () => {
  expect(await agent('bare')).toContain('returned a message without `jsonrpc` "2.0", which');
});

it('a price that was quoted beside another one is not dated to the day when it stood alone', async () => {
  expect(await agent('shop')).toContain(
    `, no price but this since ${days[3]} and no payee but this since ${days[2]}`,
  );
  expect(await agent('shop')).toContain(`payee changed from \`${alice}\` to \`${mallory}\` on Base (between`);
});

it('what asked for a payment before is not said to have asked for none', async () => {
  const before = `sked for 0.01 USDC on Base until ${days[0]}, not since; calls may cost`;
  expect(await agent('freed')).toContain(`* Costs: A${before}.`);
  const row = await told('search_agents', { no_payment_seen: true });
  expect(row).toContain(`| a${before} |`);
});

it('a part of a price that stayed the same is dated to its first sighting by every tool', async () => {
  const [first, ...later] = days;
  const last = later.at(-1);
  expect(await agent('repriced')).toContain(
    `no price but this since ${last} and no payee but this since ${first}`,
  );
  expect(await agent('repaid')).toContain(
    `no price but this since ${first} and no payee but this since ${last}`,
  );
  const compared = await told('compare_agents', {
    handles: [handleAt('repriced'), handleAt('repaid')],
    criteria: ['pay_to_unchanged_for:3', 'pay_to_unchanged_for:4'],
  });
  expect(compared).toContain('pay_to_unchanged_for:3: met; pay_to_unchanged_for:4: unknown');
  expect(compared).toContain(
    `pay_to_unchanged_for:3, pay_to_unchanged_for:4: not_met (no new one since ${last})`,
  );
  const history = (name: Name) =>
    told('get_history', { handle: handleAt(name), kind: 'price', since: first });
  expect(await history('repriced')).toContain(
    `Unchanged from ${first} to ${last}, in each check that saw the fact: payees: paid to \`${alice}\`.`,
  );
  expect(await history('repaid')).toContain(`saw the fact: prices: 0.01 USDC on Base.`);
});

it('a name with a capital in it keeps its first one after a colon', () => {
  const said = [own('NuGet names a page.'), own('A page names NuGet.')].map(within).map(toText);
  expect(said).toEqual(['NuGet names a page.', 'a page names NuGet.']);
});
