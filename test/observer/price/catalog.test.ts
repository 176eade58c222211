import { declareDiscoveryExtension } from '@x402/extensions/bazaar';
import { expect, it } from 'vitest';
import { startEndpoint, startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { offerOf } from '../../support/offers.ts';

const accepted = offerOf({ amount: '2500' });
/** An item of MCP as the packages of x402 declare it. */
const toolItem = (toolName: string, amount: string, more: object = {}) => ({
  resource: 'https://tools.example.com/mcp',
  type: 'mcp',
  x402Version: 2,
  accepts: [{ ...accepted, amount }],
  extensions: declareDiscoveryExtension({ toolName, inputSchema: { type: 'object' } }),
  ...more,
});
const dear = toolItem('dear', '9000000', { lastUpdated: '2026-10-01T00:00:00Z' });
/** As the specification of the Bazaar has it. */
const gone = {
  ...toolItem('', '1000'),
  extensions: { bazaar: { info: { input: { type: 'mcp', tool: 'gone', inputSchema: {} } } } },
};
const items = [
  gone,
  ...Array.from({ length: 120 }, (_, at) => ({ resource: `https://other${at}.example.com/`, accepts: [] })),
  { resource: 'https://listed.example.com/mcp', accepts: [accepted], lastUpdated: '2026-11-01T00:00:00Z' },
  dear,
  toolItem('constructor', '70'),
  toolItem('cheap', '2500', { lastUpdated: '2026-11-02T00:00:00Z' }),
  ...Array.from({ length: 51 }, (_, at) =>
    toolItem(`tool${at + 10}`, '2500', { resource: 'https://crowded.example.com/mcp' }),
  ),
  { resource: 'https://several.example.com/mcp', accepts: [accepted] },
  { resource: 'https://several.example.com/mcp', accepts: [{ ...accepted, amount: '9000000' }] },
  { resource: 'https://odd.example.com/mcp', accepts: [{ ...accepted, amount: '1e9' }, null] },
  { resource: 7 },
  null,
];

/** A Bazaar in the form of x402: pages of a list. */
const startBazaar = (items: readonly unknown[]) =>
  startEndpoint((_, { url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://bazaar');
    if (!/^(?:\/(?:old|new))?\/discovery\/resources$/.test(pathname))
      return void response.writeHead(404).end();
    const offset = Number(searchParams.get('offset'));
    const limit = Number(searchParams.get('limit'));
    const shown = items.slice(offset, offset + limit);
    response.end(
      JSON.stringify({ x402Version: 2, items: shown, pagination: { limit, offset, total: items.length } }),
    );
  });

const bazaar = await startBazaar(items);
const free = () => startModernServer(() => []);
const servers = {
  listed: await free(),
  tools: await startModernServer(() => ['cheap', 'dear', 'free'].map((name) => ({ name }))),
  several: await free(),
  crowded: await free(),
  odd: await free(),
  missing: await free(),
  bazaar,
  two: await startBazaar(items.toReversed()),
  broken: await startEndpoint((_, __, response) => void response.end('<html>')),
};
const observed = await openObserved(servers, {
  PRICE_CATALOGS:
    'https://bazaar.example.com/, https://broken.example.com, https://two.example.com/old, https://two.example.com/new, https://two.example.com/old',
});

const see = async (name: string) => {
  const found = await observed.look(name, 'price.offers');
  return found.find(({ source }) => source === 'bazaar.example.com');
};
const today = new Date().toISOString().slice(0, 10);
const textOf = async (name: string) =>
  (await observed.directory.app.request(`/agents/${handleAt(name)}.md`)).text();

it('shows what the catalogue lists for the address, from the catalogue, and when it was read', async () => {
  expect(await see('listed')).toMatchObject({
    outcome: 'seen',
    subject: 'https://listed.example.com/mcp in bazaar.example.com',
    value: {
      place: 'catalog',
      offers: [
        { amount: '2500', scheme: 'exact', network: 'eip155:8453', asset: accepted.asset.toLowerCase() },
      ],
    },
    source: 'bazaar.example.com',
    source_url: 'https://bazaar.example.com',
    reason: `Dossier read the catalogue on ${today}.`,
    as_seen: { last_updated: '2026-11-01T00:00:00Z' },
  });
});

it('has a price for each tool at one address, by its name and in the unit that people use', async () => {
  const found = await see('tools');
  const asset = accepted.asset.toLowerCase();
  const network = 'eip155:8453';
  expect(found).toMatchObject({
    value: {
      offers: [
        { for: 'cheap', amount: '2500', asset, network, scheme: 'exact' },
        { for: 'constructor', amount: '70', asset, network, scheme: 'exact' },
        { for: 'dear', amount: '9000000', asset, network, scheme: 'exact' },
        { for: 'gone', amount: '1000', asset, network, scheme: 'exact' },
      ],
    },
    as_seen: { last_updated: '2026-11-02T00:00:00Z', unlisted: ['constructor', 'gone'] },
    reason: `Dossier read the catalogue on ${today}.`,
  });
  expect(await textOf('tools')).toContain(
    `Prices and payees: \`cheap\` 0.0025 USDC on Base, \`constructor\` 0.00007 USDC on Base, \`dear\` 9 USDC on Base, 1 more tool, advertised (paid to \`${accepted.payTo}\`); not among the tools that the endpoint lists: \`constructor\` and \`gone\``,
  );
});

it('and the same whatever the order of its pages', async () => {
  const found = await observed.look('tools', 'price.offers');
  const ofCatalogs = found.filter(({ source }) => source.endsWith('example.com') || source.includes('/'));
  const values = ofCatalogs.filter(({ outcome }) => outcome === 'seen').map(({ value }) => value);
  expect(values).toHaveLength(3);
  expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(1);
});

it('tells two catalogues of one host apart', async () => {
  const found = await observed.look('listed', 'price.offers');
  expect(
    found.filter(({ source }) => source.startsWith('two.')).map(({ source, outcome }) => [source, outcome]),
  ).toEqual([
    ['two.example.com/old', 'seen'],
    ['two.example.com/new', 'seen'],
  ]);
});

it('says that the catalogue does not list it, or that what it lists cannot be read', async () => {
  expect(await see('missing')).toMatchObject({ outcome: 'nothing', value: null });
  expect(await see('odd')).toMatchObject({ outcome: 'seen', value: { count: 2, priced: 0, unreadable: 2 } });
});

it('a catalogue that is none says so, and stops nothing', async () => {
  const found = await observed.look('listed', 'price.offers');
  expect(found.find(({ source }) => source === 'broken.example.com')).toMatchObject({
    outcome: 'otherwise',
    reason:
      'The catalogue at `https://broken.example.com` returned a response without a content type (HTTP 200) instead of a list of resources.',
  });
});

it('is read once, page by page, whatever the number of listings', () => {
  const asked = bazaar.sent.map(({ path }) => path).filter((path) => path.startsWith('/discovery'));
  expect(asked).toEqual([
    '/discovery/resources?limit=100&offset=0',
    '/discovery/resources?limit=100&offset=100',
  ]);
});

it('says of no endpoint that a catalogue does not list it unless it was read to its end', async () => {
  const pageOf = (from: number, length: number) =>
    JSON.stringify({
      items: Array.from({ length }, (_, at) =>
        from + at === 60
          ? { resource: 'https://late.example.com/mcp', accepts: [accepted] }
          : { resource: `https://n${from + at}.example.com/`, accepts: [] },
      ),
    });
  /** A catalogue of pages of 50 whatever the limit, without a total. */
  const startPaged = (items: number) =>
    startEndpoint((_, { url = '' }, response) => {
      const from = Number(new URL(url, 'http://bazaar').searchParams.get('offset'));
      response.end(pageOf(from, Math.max(0, Math.min(50, items - from))));
    });
  const opened = await openObserved(
    {
      late: await startModernServer(() => []),
      absent: await startModernServer(() => []),
      short: await startPaged(120),
      endless: await startPaged(Infinity),
    },
    { PRICE_CATALOGS: 'https://short.example.com, https://endless.example.com' },
  );
  const states = async (name: string) =>
    (await opened.look(name, 'price.offers'))
      .filter(({ source }) => source.includes('.example.com'))
      .map(({ source, outcome }) => [source, outcome]);
  expect(await states('late')).toEqual([
    ['short.example.com', 'seen'],
    ['endless.example.com', 'not_asked'],
  ]);
  const [short] = await opened.look('absent', 'price.offers', 'short.example.com');
  const [endless] = await opened.look('absent', 'price.offers', 'endless.example.com');
  expect(short).toMatchObject({ outcome: 'nothing' });
  expect(endless).toMatchObject({
    outcome: 'not_asked',
    reason: `Dossier read the first 10,000 resources of the catalogue on ${today}, and not its end, so it does not know all that the catalogue lists.`,
  });
});

it('reads no more of a catalogue than 32 Mi characters of what it keeps, and says so', async () => {
  const wide = Array.from({ length: 20 }, (_, at) => ({
    ...accepted,
    amount: `${at}`,
    network: 'n'.repeat(200),
    asset: 'a'.repeat(200),
    payTo: 'p'.repeat(200),
  }));
  const full = await startEndpoint((_, { url = '' }, response) => {
    const from = Number(new URL(url, 'http://bazaar').searchParams.get('offset'));
    const resources = Array.from({ length: 100 }, (_, at) => `https://n${from + at}.example.com/`);
    response.end(JSON.stringify({ items: resources.map((resource) => ({ resource, accepts: wide })) }));
  });
  const opened = await openObserved(
    { absent: await startModernServer(() => []), full },
    { PRICE_CATALOGS: 'https://full.example.com' },
  );
  const [found] = await opened.look('absent', 'price.offers', 'full.example.com');
  expect(found).toMatchObject({
    outcome: 'not_asked',
    reason: `Dossier read the first 2,500 resources of the catalogue on ${today}, and not its end, so it does not know all that the catalogue lists.`,
  });
});

it('says so where no catalogue is configured', async () => {
  const without = await openObserved({ plain: await startModernServer(() => []) });
  expect(await without.look('plain', 'price.offers', 'a catalogue')).toMatchObject([
    {
      value: null,
      outcome: 'not_asked',
      reason: 'Dossier is not configured here to read catalogues of prices (PRICE_CATALOGS).',
    },
  ]);
});
