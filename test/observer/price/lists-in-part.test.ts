import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDossier } from '../../support/command.ts';
import { type Directory, openDirectory } from '../../support/directory.ts';
import { startDocumented, startInFront } from '../../support/endpoints/documented.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt } from '../../support/endpoints/observed.ts';
import { registryEntry } from '../../support/entries.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { alice, mallory, usdc } from '../../support/offers.ts';

const bob = '0x3333333333333333333333333333333333333333';
const offer = (payTo: string, more: object = {}) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: usdc,
  payTo,
  ...more,
});
const priced = (tool: string, ...accepts: object[]) => ({ url: '/mcp', tool, accepts });
const alone = (tool: string, ...accepts: object[]) => ({ resource: `mcp://tool/${tool}`, accepts });
const many = <One>(length: number, make: (at: number) => One) => Array.from({ length }, (_, at) => make(at));
const others = many(10_000, (at) => ({ url: `/other${at}`, accepts: [offer(alice)] }));
/** A tool with more offers than are kept of one, in this order or the other way round. */
const wide = (isReversed = false) => {
  const offers = many(25, (at) => offer(alice, { amount: String(1000 + at) }));
  return priced('find', ...(isReversed ? offers.toReversed() : offers));
};

const itself = { url: '/mcp', accepts: [offer(alice)] };
const locked = [itself, alone('find', offer(alice, { amount: '20000' }))];
/** The entries of the x402 document of each host. */
const lists: Record<string, readonly object[]> = {
  locked,
  paid: locked,
  swapped: locked,
  bare: [{ url: '/mcp' }, alone('find', offer(alice)), alone('seek')],
  big: [priced('find', offer(alice)), priced('send', offer(alice)), ...others],
  dual: [priced('find', offer(alice))],
  odd: [priced('find', offer(alice)), priced('send', offer(alice))],
  wide: [wide(), priced('send', offer(alice)), priced('tidy', offer(alice))],
};
/** The HTTP status with which each endpoint answers instead of MCP. */
const statuses: Record<string, number> = {};
const item = (toolName: string, payTo: string) => ({
  resource: 'https://listed.example.com/mcp',
  toolName,
  accepts: [offer(payTo)],
});
let items = many(50, (at) => item(`tool${10 + at}`, alice));
/** The amounts of two operations in the OpenAPI document of the host `stated`. */
let amounts = ['1000', '2000'];
/** The amounts of one operation in the OpenAPI document of a host. */
const offersOf: Record<string, readonly string[]> = {};
/** The offers that the endpoint of the host `quoting` asks for. */
let quoted: readonly object[] = [];

/** A host whose endpoint may answer with a status, while its document stays. */
const startLockable = async (name: string) =>
  startInFront(
    await startDocumented(['find', 'send', 'tidy'], () => ({
      '/.well-known/x402': { resources: lists[name] },
    })),
    (path) => {
      const status = statuses[name];
      if (status === undefined || path !== '/mcp') return undefined;
      return new Response('', { status, headers: { 'www-authenticate': 'Bearer' } });
    },
  );

let servers: Record<string, Endpoint>;
let directory: Directory;
const folder = mkdtempSync(join(tmpdir(), 'dossier-parts-'));

beforeAll(async () => {
  servers = Object.fromEntries(
    await Promise.all(Object.keys(lists).map(async (name) => [name, await startLockable(name)] as const)),
  );
  servers.stated = await startDocumented([], () => {
    const paths = amounts.map((amount, at) => [
      `/operation${at}`,
      { post: { 'x-payment-info': { offers: [{ amount, currency: usdc }] } } },
    ]);
    return { '/openapi.json': { openapi: '3.1.0', paths: Object.fromEntries(paths) } };
  });
  servers.advertised = await startDocumented([], () => {
    const offers = offersOf.advertised?.map((amount) => ({ amount, currency: usdc }));
    return {
      '/openapi.json': { openapi: '3.1.0', paths: { '/a': { get: { 'x-payment-info': { offers } } } } },
    };
  });
  servers.listed = await startDocumented([], () => ({}));
  servers.quoting = await startEndpoint((_, { method }, response) => {
    if (method !== 'POST') return void response.writeHead(404).end();
    response.writeHead(402, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ x402Version: 2, error: 'pay', accepts: quoted }));
  });
  servers.bazaar = await startEndpoint((_, { url = '' }, response) => {
    const offset = Number(/offset=(\d+)/.exec(url)?.[1] ?? 0);
    const pagination = { limit: 100, offset, total: items.length };
    response.end(JSON.stringify({ items: items.slice(offset, offset + 100), pagination }));
  });
  const hosts = Object.entries(servers).map(([name, { url }]) => [`${name}.example.com`, url]);
  directory = await openDirectory({
    entries: Object.keys(servers).map((name) =>
      registryEntry(handleAt(name), {
        remotes: [{ type: 'streamable-http', url: `https://${name}.example.com/mcp` }],
      }),
    ),
    environment: {
      HOST_OVERRIDES: JSON.stringify(Object.fromEntries(hosts)),
      PRICE_CATALOGS: 'https://bazaar.example.com',
    },
    listening: true,
  });
  for (const name of [...Object.keys(lists), 'listed', 'stated']) await directory.observe(handleAt(name));
});
afterAll(async () => {
  await directory.close();
  await Promise.all(Object.values(servers).map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

const next = (name: string, place = '.well-known/x402') =>
  changesOfNextCheck(directory, handleAt(name), 'Prices and payees', place);
const get = async (path: string) => (await directory.app.request(path)).text();
const answerOf = (name: string) => get(`/agents/${handleAt(name)}.md`);
/** The changes of these kinds that the stream of changes has of a listing. */
async function toldOf(name: string, kinds = ['price.offers']): Promise<readonly string[]> {
  const lines = (await get('/changes?since=0')).trim().split('\n');
  const events = lines.map(
    (line) => JSON.parse(line) as { handle: string; type: string; data: { kinds?: string[] } },
  );
  const ofListing = events.filter(
    ({ handle, type }) => handle === handleAt(name) && type === 'observation.changed',
  );
  return ofListing.flatMap(({ data }) => data.kinds ?? []).filter((kind) => kinds.includes(kind));
}
async function lock(name: string) {
  const from = ['--from', directory.url, '--out', join(folder, `${name}.lock.json`)];
  expect((await runDossier(['lock', ...from, handleAt(name)], {})).code).toBe(0);
  return () => runDossier(['check', ...from], {});
}

/** Expects that nothing was told about prices of a listing. */
async function expectNoChange(name: string) {
  expect(await answerOf(name)).not.toContain('In its x402 document: ');
}

it('a document that stays the same is no change while its endpoint asks for credentials, nor when it answers again', async () => {
  const check = await lock('locked');
  statuses.locked = 401;
  expect(await next('locked')).toEqual([]);
  await expectNoChange('locked');
  const text = await answerOf('locked');
  expect(text).toMatch(/Last seen on [\d-]+; checks since [\d-]+ did not see it again\./);
  expect(text).toContain(
    'names tools without an endpoint; Dossier did not see whether this endpoint has them',
  );
  expect(text.replaceAll('\\', '')).toContain('find');
  expect((await check()).stdout).not.toContain('x402');
  delete statuses.locked;
  expect(await next('locked')).toEqual([]);
  await expectNoChange('locked');
  expect(await answerOf('locked')).not.toContain('names tools without an endpoint');
  expect((await check()).code).toBe(0);
  expect(await directory.audit()).toEqual([]);
});

it('nor while it asks for a payment', async () => {
  statuses.paid = 402;
  expect(await next('paid')).toEqual([]);
  expect(await answerOf('paid')).not.toContain('In its x402 document: ');
  delete statuses.paid;
  expect(await next('paid')).toEqual([]);
  expect(await toldOf('paid')).toEqual([]);
});

it('a payee that is swapped while the tools are not known is a change when they are known again', async () => {
  statuses.swapped = 401;
  lists.swapped = [itself, alone('find', offer(mallory, { amount: '20000' }))];
  expect(await next('swapped')).toEqual([]);
  delete statuses.swapped;
  expect(await next('swapped')).toEqual([
    expect.stringContaining(`\`find\`: payee changed from \`${alice}\` to \`${mallory}\` on Base (`),
  ]);
  statuses.swapped = 401;
  lists.swapped = [{ url: '/mcp', accepts: [offer(bob)] }, ...lists.swapped.slice(1)];
  expect(await next('swapped')).toEqual([]);
  delete statuses.swapped;
  expect(await next('swapped')).toEqual([
    expect.stringContaining(`in its x402 document: payee changed from \`${alice}\` to \`${bob}\` on Base (`),
  ]);
});

it('tools without a price, and prices beside a bare entry, do not end either', async () => {
  statuses.bare = 401;
  expect(await next('bare')).toEqual([]);
  delete statuses.bare;
  expect(await next('bare')).toEqual([]);
});

it('a tool that moves behind ten thousand other entries has not ended', async () => {
  lists.big = [priced('find', offer(alice)), ...others, priced('send', offer(alice))];
  expect(await next('big')).toEqual([]);
  lists.big = [...others, priced('find', offer(alice)), priced('send', offer(alice))];
  expect(await next('big')).toEqual([]);
  await expectNoChange('big');
  lists.big = [priced('find', offer(mallory)), priced('send', offer(alice)), ...others];
  expect(await next('big')).toEqual([
    expect.stringContaining(
      `in its x402 document: \`find\`: payee changed from \`${alice}\` to \`${mallory}\` on Base (`,
    ),
  ]);
});

it('an item that anybody lists ends the price of no other tool in a catalogue', async () => {
  const place = 'bazaar.example.com';
  items = [item('aaa', mallory), ...items];
  expect(await next('listed', place)).toEqual([
    expect.stringMatching(/^in a catalogue: a new price for `aaa`, paid to `0x2{40}` \(/),
  ]);
  items = [item('aab', mallory), ...items];
  expect(await next('listed', place)).toEqual([
    expect.stringMatching(/^in a catalogue: a new price for `aab` \(/),
  ]);
  expect(await toldOf('listed')).toEqual(['price.offers', 'price.offers']);
});

it('an amount that cannot be read any more is said, ends no other price, and a swap beside it is said', async () => {
  const check = await lock('odd');
  const unread = priced('send', offer(alice, { amount: '0.01' }));
  lists.odd = [priced('find', offer(alice)), unread];
  const unreadNow = `Price changed from 0.01 USDC on Base to an amount that Dossier cannot read of \`${usdc.toLowerCase()}\` on Base`;
  expect(await next('odd')).toEqual([expect.stringContaining(`\`send\`: ${unreadNow} (`)]);
  expect(await next('odd')).toEqual([]);
  lists.odd = [priced('find', offer(mallory)), unread];
  expect(await next('odd')).toEqual([
    expect.stringContaining(
      `in its x402 document: \`find\`: payee changed from \`${alice}\` to \`${mallory}\` on Base (`,
    ),
  ]);
  expect((await check()).code).toBe(1);
});

it('of a tool with many offers, another order is no change', async () => {
  lists.wide = [wide(true), priced('send', offer(alice, { amount: '10001' })), priced('tidy', offer(alice))];
  const said = await next('wide');
  expect(said).toEqual([
    expect.stringContaining('`send`: Price raised from 0.01 USDC to 0.010001 USDC on Base'),
  ]);
  expect(said[0]).not.toContain('find');
});

it('an offer of a quote that can no longer be read is named, and so is a raise beside it', async () => {
  const place = 'quoting.example.com/mcp`';
  const euro = { asset: '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb43' };
  quoted = [offer(alice), offer(alice, euro)];
  await directory.observe(handleAt('quoting'));
  quoted = [offer(alice), offer(alice, { ...euro, amount: '0.01' })];
  expect(await next('quoting', place)).toContainEqual(
    expect.stringContaining(
      `price changed from 10000 of \`${euro.asset}\` on Base to an amount that Dossier`,
    ),
  );
  quoted = [offer(alice, { amount: '90000' }), offer(alice, { ...euro, amount: '0.01' })];
  expect(await next('quoting', place)).toContainEqual(
    expect.stringContaining('price raised from 0.01 USDC to 0.09 USDC on Base ('),
  );
});

it('an amount of an OpenAPI document that cannot be read any more is a change, and so is another one beside it', async () => {
  const place = 'openapi.json';
  amounts = ['1000', '0.02'];
  expect(await next('stated', place)).toEqual([expect.stringContaining('“POST /operation1”: Price changed')]);
  expect(await next('stated', place)).toEqual([]);
  amounts = ['9000', '0.02'];
  expect(await next('stated', place)).toEqual([
    expect.stringContaining('“POST /operation0”: Price raised from 1000 of'),
  ]);
});

it('an amount that an OpenAPI document gains beside one that cannot be read is a change, and so is one that a whole document lacks', async () => {
  const place = 'openapi.json';
  offersOf.advertised = ['1'];
  await directory.observe(handleAt('advertised'));
  offersOf.advertised = ['1', '0.02'];
  expect(await next('advertised', place)).toHaveLength(1);
  offersOf.advertised = ['1', '9000', '0.02'];
  expect(await next('advertised', place)).toHaveLength(1);
  offersOf.advertised = ['1'];
  expect(await next('advertised', place)).toHaveLength(1);
});

it('two different amounts for one offer are not read as the lower one', async () => {
  lists.dual = [priced('find', offer(alice, { amount: '9000000', maxAmountRequired: '10000' }))];
  expect(await next('dual')).toEqual([
    expect.stringContaining('Price changed from 0.01 USDC on Base to an amount that Dossier cannot read of'),
  ]);
  lists.dual = [priced('find', offer(alice, { amount: '9000000', maxAmountRequired: '9000000' }))];
  expect(await next('dual')).toEqual([expect.stringContaining('to 9 USDC on Base')]);
});

it('many cheap ways to pay somebody else hide no other payee of the same tool in a catalogue', async () => {
  const way = (payTo: string, amount: string) => ({
    ...item('find', payTo),
    accepts: [offer(payTo, { amount })],
  });
  items = [way(alice, '900000'), way(bob, '800000'), ...many(25, (at) => way(mallory, String(100 + at)))];
  await next('listed', 'bazaar');
  const answer = await get(`/agents/${handleAt('listed')}.json`);
  const { observations } = JSON.parse(answer) as {
    observations: { kind: string; value?: { place: string; count: number; payees: { address: string }[] } }[];
  };
  const { value } = observations.find((one) => one.value?.place === 'catalog') ?? {};
  expect(value?.count).toBe(27);
  expect(value?.payees.map(({ address }) => address)).toEqual([alice, mallory, bob]);
});
