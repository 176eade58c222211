import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runDossier } from '../../support/command.ts';
import { callTool } from '../../support/directory.ts';
import { type Documents, startDocumented, startInFront } from '../../support/endpoints/documented.ts';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt } from '../../support/endpoints/observed.ts';
import { registryEntry, remotesAt } from '../../support/entries.ts';
import { toTimelines } from '../../support/facts.ts';
import { changesOfNextCheck } from '../../support/next-check.ts';
import { alice, mallory, usdc } from '../../support/offers.ts';
import { atEnd, openedDirectory, openFolder } from '../../support/opened.ts';

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
  locked: [
    { url: '/mcp', accepts: [offer(alice)] },
    { resource: 'mcp://tool/find', accepts: [offer(alice)] },
  ],
  same: [priced('find', offer(alice))],
};
let listed: readonly object[] = [offer(alice)];
let isLocked = false;
const locked = { status: 401, headers: { 'www-authenticate': 'Bearer' } };

const folder = openFolder();
const file = join(folder, 'dossier.lock.json');

const documents = (name: string): Documents => ({ '/.well-known/x402': { resources: lists[name] } });
const servers = Object.fromEntries(
  await Promise.all(
    Object.keys(lists).map(
      async (name) =>
        [
          name,
          await startInFront(
            await startDocumented(['find', 'send', 'tidy'], () => documents(name)),
            (path) => (isLocked && path === '/mcp' ? new Response('', locked) : undefined),
          ),
        ] as const,
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
for (const one of Object.values(servers)) atEnd(one.close);
const directory = await openedDirectory({
  entries: Object.keys(servers).map((name) =>
    registryEntry(handleAt(name), remotesAt(`https://${name}.example.com/mcp`)),
  ),
  hosts: Object.fromEntries(Object.entries(servers).map(([name, one]) => [`${name}.example.com`, one])),
  environment: {
    PRICE_CATALOGS: 'https://bazaar.example.com',
  },
  listening: true,
});
for (const name of [...Object.keys(lists), 'listed']) await directory.observe(handleAt(name));

interface History {
  readonly changes: readonly string[];
  readonly unchanged?: string;
}

async function historyOf(name: string, since: string): Promise<History> {
  return callTool<History>(directory, 'get_history', { handle: handleAt(name), since, kind: 'price' });
}
const today = () => directory.context.clock().toISOString().slice(0, 10);

const documentTitle = 'Prices and payees';
const nextCheck = (name: string, title = documentTitle, subject = '') =>
  changesOfNextCheck(directory, handleAt(name), title, subject);
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
  expect(await get(`/agents/${handle}/feed.atom`)).toContain(
    `in its x402 document: ${said} (the other was last`,
  );
  const { code, stdout } = await runDossier(['check', '--from', directory.url, '--out', file], {});
  expect([code, stdout]).toEqual([1, expect.stringContaining(said)]);
});

it('a document while its endpoint asks for credentials is shown as seen before, and fails no check of a lock', async () => {
  const handle = handleAt('locked');
  const out = join(folder, 'locked.lock.json');
  expect((await runDossier(['lock', '--from', directory.url, '--out', out, handle], {})).code).toBe(0);
  isLocked = true;
  expect(await nextCheck('locked', documentTitle, '.well-known/x402')).toEqual([]);
  const text = await get(`/agents/${handle}.md`);
  expect(text).toMatch(/Last seen on [\d-]+; checks since [\d-]+ did not see it again\./);
  const unseen = 'names tools without an endpoint; Dossier did not see whether this endpoint has them';
  expect(text).toContain(unseen);
  expect((await runDossier(['check', '--from', directory.url, '--out', out], {})).stdout).not.toContain(
    'x402',
  );
  isLocked = false;
  expect(await nextCheck('locked', documentTitle, '.well-known/x402')).toEqual([]);
  expect(await get(`/agents/${handle}.md`)).not.toContain(unseen);
});

it('many cheap ways to pay somebody else hide no other payee in a catalogue', async () => {
  listed = [
    offer(alice, { amount: '900000' }),
    offer(bob, { amount: '800000' }),
    ...Array.from({ length: 25 }, (_, at) => offer(mallory, { amount: `${100 + at}` })),
  ];
  await nextCheck('listed');
  const { observations } = JSON.parse(await get(`/agents/${handleAt('listed')}.json`)) as {
    observations: { kind: string; value?: { place: string; count: number; payees: { address: string }[] } }[];
  };
  const { value } = observations.find((one) => one.value?.place === 'catalog') ?? {};
  expect(value?.count).toBe(27);
  expect(value?.payees.map(({ address }) => address)).toEqual([alice, mallory, bob]);
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
  expect(stderr).toContain(
    '1 fact could not be compared, found by another method now: com.example.same/a: price.offers “https://same.example.com/mcp in .well-known/x402”\n',
  );
});
