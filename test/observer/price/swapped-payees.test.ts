import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDossier } from '../../support/command.ts';
import { type Directory, openDirectory } from '../../support/directory.ts';
import { type Documents, startDocumented } from '../../support/endpoints/documented.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt } from '../../support/endpoints/observed.ts';
import { registryEntry } from '../../support/entries.ts';
import { toTimelines } from '../../support/facts.ts';
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

/** The entries of each host's x402 document, and of the catalogue. */
const lists: Record<string, readonly object[]> = {
  list: [priced('find', offer(alice)), priced('send', offer(alice)), priced('tidy', offer(bob))],
  networks: [priced('find', offer(alice), offer(bob, { network: 'eip155:84532' }))],
  long: Array.from({ length: 12 }, (_, n) => priced(`tool${String(n).padStart(2, '0')}`, offer(alice))),
  // More than 16 KiB of prices: long names, and more tools than are kept.
  huge: Array.from({ length: 60 }, (_, n) => priced(`${n + 10}${'x'.repeat(150)}`, offer(alice))),
  older: [priced('find', offer(alice))],
  same: [priced('find', offer(alice))],
};
let listed: readonly object[] = [offer(alice)];

let servers: Record<string, Endpoint>;
let directory: Directory;
const folder = mkdtempSync(join(tmpdir(), 'dossier-swap-'));
const file = join(folder, 'dossier.lock.json');

beforeAll(async () => {
  const documents = (name: string): Documents => ({ '/.well-known/x402': { resources: lists[name] } });
  servers = Object.fromEntries(
    await Promise.all(
      Object.keys(lists).map(
        async (name) =>
          [name, await startDocumented(['find', 'send', 'tidy'], () => documents(name))] as const,
      ),
    ),
  );
  servers.listed = await startDocumented([], () => ({}));
  servers.bazaar = await startEndpoint((_, { url = '' }, response) => {
    const items = url.includes('offset=0')
      ? [{ resource: 'https://listed.example.com/mcp', accepts: listed }]
      : [];
    response.end(JSON.stringify({ items, pagination: { limit: 100, offset: 0, total: 1 } }));
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
  for (const name of [...Object.keys(lists), 'listed']) await directory.observe(handleAt(name));
});
afterAll(async () => {
  await directory.close();
  await Promise.all(Object.values(servers).map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

interface History {
  readonly changes: readonly string[];
  readonly unchanged?: string;
}

async function historyOf(name: string, since: string): Promise<History> {
  const answer = await directory.app.request('/api/tools/get_history', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle: handleAt(name), since, kind: 'price' }),
  });
  return (await answer.json()) as History;
}
const today = () => directory.context.clock().toISOString().slice(0, 10);

const documentTitle = 'Prices and payees';
const nextCheck = (name: string, title = documentTitle) =>
  changesOfNextCheck(directory, handleAt(name), title);
const get = async (path: string) => (await directory.app.request(path)).text();
const plain = (html: string) => html.replaceAll(/<[^>]+>/g, '');

it('a payee that the published list swaps for one tool is a change at every door', async () => {
  const handle = handleAt('list');
  expect((await runDossier(['lock', '--from', directory.url, '--out', file, handle], {})).code).toBe(0);
  lists.list = [priced('find', offer(alice)), priced('send', offer(mallory)), priced('tidy', offer(bob))];
  const said = `\`send\`: payee changed from \`${alice}\` to \`${mallory}\` on Base`;
  expect(await nextCheck('list')).toEqual([
    expect.stringContaining(`in its x402 document: ${said} (the other was last seen on `),
  ]);
  expect(await get(`/agents/${handle}.md`)).toContain(`In its x402 document: ${said} (between `);
  const words = said.replaceAll('`', '');
  expect(plain(await get(`/agents/${handle}`))).toContain(words);
  expect(plain(await get(`/agents/${handle}/history`))).toContain(words);
  const [last = ''] = (await get('/changes?since=0')).trimEnd().split('\n').slice(-1);
  expect(JSON.parse(last)).toMatchObject({
    handle,
    type: 'observation.changed',
    data: { kinds: ['price.offers'] },
  });
  expect(await get(`/agents/${handle}/feed.atom`)).toContain('changed: prices and payees');
  const { code, stdout } = await runDossier(['check', '--from', directory.url, '--out', file], {});
  expect([code, stdout]).toEqual([1, expect.stringContaining(said)]);
});

it('one payee of all tools is named once, before prices, and each network has its own', async () => {
  lists.list = ['find', 'send', 'tidy'].map((tool, n) =>
    priced(tool, offer(bob, { amount: `${n + 1}0000` })),
  );
  expect(await nextCheck('list')).toEqual([
    expect.stringMatching(
      /^in its x402 document: `find`: payee changed from `0x1{40}` to `0x3{40}` on Base; `send`: payee changed from `0x2{40}` to `0x3{40}` on Base\. Price raised from 0\.01 USDC to 0\.02 USDC on Base; `tidy`: Price raised from 0\.01 USDC to 0\.03 USDC on Base \(the other was last seen on [\d-]+\)$/,
    ),
  ]);
  lists.networks = [priced('find', offer(bob), offer(alice, { network: 'eip155:84532' }))];
  expect(await nextCheck('networks')).toEqual([
    expect.stringContaining(
      `\`find\`: payee changed from \`${alice}\` to \`${bob}\` on Base; payee changed from \`${bob}\` to \`${alice}\` on Base Sepolia (`,
    ),
  ]);
});

it('payees that only change places are a change, and another spelling of an address is none', async () => {
  const euro = '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb43';
  lists.networks = [priced('find', offer(alice), offer(bob, { asset: euro }))];
  await nextCheck('networks');
  lists.networks = [priced('find', offer(bob), offer(alice, { asset: euro }))];
  expect(await nextCheck('networks')).toEqual([
    expect.stringContaining(
      `\`find\`: \`${alice}\` and \`${bob}\` are paid for other offers on Base than before (`,
    ),
  ]);
  const checksummed = '0xAbCdEf0000000000000000000000000000000001';
  lists.networks = [priced('find', offer(checksummed))];
  await nextCheck('networks');
  lists.networks = [priced('find', offer(checksummed.toLowerCase(), { asset: usdc.toLowerCase() }))];
  expect(await nextCheck('networks')).toEqual([]);
  lists.networks = [priced('find', offer(`eip155:8453:${checksummed}`))];
  expect(await nextCheck('networks')).toEqual([]);
});

it('a new tool that pays somebody else says whom', async () => {
  lists.networks = [priced('find', offer(alice))];
  await nextCheck('networks');
  lists.networks = [priced('seek', offer(mallory))];
  expect(await nextCheck('networks')).toEqual([
    expect.stringContaining(
      `in its x402 document: a new price for \`seek\`, paid to \`${mallory}\`; no longer a price for \`find\` (`,
    ),
  ]);
});

const answerOf = async (name: string) => get(`/agents/${handleAt(name)}.md`);
const swap = (name: string, at: number) =>
  (lists[name] ?? []).map((one, n) => (n === at ? { ...one, accepts: [offer(mallory)] } : one));

it('a swap anywhere in a long list is a change too, by name', async () => {
  lists.long = swap('long', 10);
  expect(await nextCheck('long')).toEqual([
    expect.stringContaining(`\`tool10\`: payee changed from \`${alice}\` to \`${mallory}\` on Base (`),
  ]);
  expect(await answerOf('long')).toContain(
    `In its x402 document: \`tool10\`: payee changed from \`${alice}\` to \`${mallory}\` on Base (between `,
  );
  lists.long = lists.long.map((one) => ({ ...one, accepts: [offer(bob)] }));
  await nextCheck('long');
  expect(await answerOf('long')).toContain(
    `In its x402 document: \`tool00\`, \`tool01\`, \`tool02\` and 8 more: payee changed from \`${alice}\` to \`${bob}\` on Base; \`tool10\`: payee changed from \`${mallory}\` to \`${bob}\` on Base (between `,
  );
  lists.huge = swap('huge', 59);
  expect(await nextCheck('huge')).toEqual([
    expect.stringContaining(`: payee changed from \`${alice}\` to \`${mallory}\` on Base (`),
  ]);
});

it('check_offer compares with every offer of a long list', async () => {
  const payment = (tool: string) => ({
    x402Version: 2,
    resource: { url: `mcp://tool/${tool}` },
    accepts: [{ ...offer(alice), amount: '20000', maxTimeoutSeconds: 60 }],
  });
  const checkOffer = async (n: number) => {
    const answer = await directory.app.request('/api/tools/check_offer', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ handle: handleAt('huge'), offer: payment(`${n}${'x'.repeat(150)}`) }),
    });
    const { offers } = (await answer.json()) as {
      offers: { price_lists: object[]; facts: string[] }[];
    };
    return offers[0];
  };
  const kept = await checkOffer(10);
  expect(kept?.price_lists).toMatchObject([{ payee: 'as_listed', amount: 'higher', asset: 'as_listed' }]);
  const beyond = await checkOffer(69);
  expect(beyond?.price_lists).toMatchObject([{ payee: 'other', amount: 'higher', asset: 'as_listed' }]);
});

it('a swap stands out whatever smaller change of the list came later', async () => {
  lists.older = [priced('find', offer(mallory))];
  await nextCheck('older');
  for (const amount of ['10001', '10002', '10003', '10004']) {
    lists.older = [priced('find', offer(mallory, { amount }))];
    await nextCheck('older');
  }
  expect(await answerOf('older')).toContain(
    `In its x402 document: \`find\`: payee changed from \`${alice}\` to \`${mallory}\` on Base (between `,
  );
});

it('a payee that a catalogue swaps is a change', async () => {
  listed = [offer(mallory)];
  expect(await nextCheck('listed', 'Prices and payees')).toEqual([
    expect.stringContaining(`in a catalogue: payee changed from \`${alice}\` to \`${mallory}\` on Base (`),
  ]);
});

it('a list that stayed the same is called unchanged, and one with a swap is not', async () => {
  const since = today();
  await nextCheck('same');
  expect((await historyOf('same', since)).unchanged).toContain('prices and payees');
  lists.same = [priced('find', offer(mallory))];
  await nextCheck('same');
  const { unchanged = '' } = await historyOf('same', since);
  expect(unchanged).not.toContain('prices and payees');
});

it('a list that another method read is not compared', async () => {
  const handle = handleAt('same');
  const { store } = directory;
  const known = await store.observations.ofListing(handle);
  const observations = (known?.observations ?? []).map((one) =>
    one.kind === 'price.offers' && one.subject?.endsWith('x402')
      ? { ...one, method_version: 'offers/0', value_digest: '0'.repeat(64) }
      : one,
  );
  const observed_at = known?.observed_at ?? '';
  await store.write((tx) =>
    tx.observations.put({ handle, observed_at, timelines: toTimelines(observations) }),
  );
  const lock = join(folder, 'earlier.lock.json');
  const from = ['--from', directory.url, '--out', lock];
  expect((await runDossier(['lock', ...from, handle], {})).code).toBe(0);
  const before = await get('/changes?since=0');
  expect(await nextCheck('same')).toEqual([]);
  const { changes, unchanged = '' } = await historyOf('same', today());
  expect(changes).toEqual([
    expect.stringContaining(
      'found by another method than before, and not compared: Prices and payees (`https://same.example.com/mcp` in `.well-known/x402`)',
    ),
  ]);
  expect(unchanged).not.toContain('prices and payees');
  expect(await get('/changes?since=0')).toBe(before);
  // The earlier reading was put into the database, past the log.
  expect((await directory.audit()).join()).toMatch(/^price.offers of .* and no log entry says so$/);
  const { code, stderr } = await runDossier(['check', ...from], {});
  expect(code).toBe(0);
  expect(stderr).toContain('1 fact could not be compared: it is found by another method now\n');
});
