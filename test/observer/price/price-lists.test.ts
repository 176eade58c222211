import { beforeAll, describe, expect, it } from 'vitest';
import { startDocumented, startInFront } from '../../support/endpoints/documented.ts';
import { type Endpoint, startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startShop } from '../../support/endpoints/paid-endpoint.ts';
import { registryEntry } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { mallory, numbered, offerOf } from '../../support/offers.ts';
import { opened } from '../../support/opened.ts';
import { expectSameFacts } from '../../support/same-facts.ts';

const today = new Date().toISOString().slice(0, 10);
const urlAt = (name: string) => `https://${name}.example.com/mcp`;

const many = (length: number) =>
  Array.from({ length }, (_, at) => offerOf({ amount: `${1000 + at}`, payTo: numbered(1000 + at) }));
const unreadable = offerOf({ amount: '1e4', payTo: mallory });

/** The entries of the x402 document of each host. */
const entries: Readonly<Record<string, readonly unknown[]>> = {
  whole: [{ url: '/mcp', accepts: many(3) }],
  long: Array.from({ length: 60 }, (_, at) => ({
    url: '/mcp',
    tool: `tool${at}`,
    accepts: [offerOf({ payTo: numbered(at) }), offerOf({ network: 'eip155:137' })],
  })),
  ways: [{ url: '/mcp', accepts: many(40) }],
  unread: [{ url: '/mcp', accepts: [offerOf({ amount: '1000' }), unreadable] }],
  untold: [
    { url: '/mcp', tool: 'find', accepts: [offerOf({ amount: '1000' })] },
    { url: '/mcp', tool: 'send', accepts: [unreadable] },
  ],
  late: [
    { url: '/mcp', accepts: [offerOf({ amount: '1000' })] },
    ...Array.from({ length: 10_000 }, () => '/x'),
    { url: '/mcp', accepts: [offerOf()] },
  ],
  schemes: [{ url: '/mcp', accepts: [offerOf({ scheme: 'upto' }), offerOf({ amount: '5000' })] }],
  tools: [
    { url: '/mcp', accepts: [offerOf({ amount: '900000', payTo: mallory })] },
    { url: '/mcp', tool: 'find', accepts: [offerOf()] },
    { url: 'mcp://tool/send%5Fall', accepts: [offerOf({ amount: '700' })] },
  ],
};

/** A catalogue with an address whose ways to pay are not all kept, and one of which one cannot be read. */
const startBazaar = () =>
  startEndpoint((_, { url = '' }, response) => {
    const items = url.includes('offset=0')
      ? [
          { resource: urlAt('crowded'), accepts: many(21) },
          { resource: urlAt('odd'), accepts: [offerOf({ amount: '1000' }), offerOf({ amount: 10_000 })] },
          { resource: urlAt('whole'), accepts: [offerOf({ amount: '1000' })] },
        ]
      : [];
    response.end(JSON.stringify({ items, pagination: { total: 3 } }));
  });

/** Whether the document of the host `stale` can be read. */
let isStale = false;
const startStale = async () =>
  startInFront(
    await startDocumented(['find'], () => ({
      '/.well-known/x402': { resources: [{ url: '/mcp', tool: 'find', accepts: [offerOf()] }] },
    })),
    (path) => (isStale && path.startsWith('/.well-known/') ? new Response('', { status: 503 }) : undefined),
  );

const servers: Record<string, Endpoint> = { bazaar: await startBazaar() };
for (const name of [...Object.keys(entries), 'crowded', 'odd'])
  servers[name] = await startDocumented(['find', 'send_all'], () => {
    const resources = entries[name];
    return resources ? { '/.well-known/x402': { resources } } : {};
  });
servers.stale = await startStale();
// An endpoint that asks mallory's price before it answers anything.
servers.quoting = await startShop(() => [offerOf({ payTo: mallory })]);
// Two lists in one document are one.
servers.lists = await startDocumented(['find'], () => ({
  '/.well-known/x402': { resources: ['/mcp'], items: [{ url: '/mcp', accepts: [offerOf()] }] },
}));
const observed = await openObserved(servers, { LIMITS: 'off', PRICE_CATALOGS: 'https://bazaar.example.com' });
for (const name of Object.keys(servers))
  if (name !== 'bazaar') await observed.directory.observe(handleAt(name));
const client = await opened(connect('v2', { app: observed.directory.app }));

/** The comparisons of one offer with price lists, as JSON and as text. */
async function check(name: string, offer: object) {
  const answer = await client.call('check_offer', { handle: handleAt(name), offer });
  const text = answer.content[0]?.text ?? '';
  expectSameFacts(text, answer.structuredContent ?? {});
  const { offers } = answer.structuredContent as unknown as {
    readonly offers: readonly { readonly price_lists: readonly Readonly<Record<string, unknown>>[] }[];
  };
  return { text, lists: offers[0]?.price_lists ?? [] };
}

describe('of a price list of which Dossier could not read all, no difference is known', () => {
  const swapped = offerOf({ amount: '999999', payTo: mallory });
  const states = { network: 'as_listed', asset: 'as_listed', scheme: 'as_listed' };

  it.each([
    ['a way to pay that cannot be read', 'unread', 'unread.example.com/.well-known/x402', 'as_listed'],
    ['a tool whose price cannot be read', 'untold', 'untold.example.com/.well-known/x402', 'as_listed'],
    ['a way to pay in a catalogue that cannot be read', 'odd', 'bazaar.example.com', 'other'],
  ])(
    '%s: the amount is not known, and whether the payee is listed is',
    async (_what, name, source, payee) => {
      const { lists, text } = await check(name, [swapped]);
      expect(lists).toMatchObject([{ source, payee, amount: 'not_known', ...states }]);
      expect(text.replaceAll('\\', '')).toContain(
        ' Dossier could not read all of this list. This offer compared with it: ',
      );
    },
  );

  it('and what is as listed is known', async () => {
    const { lists } = await check('long', [offerOf({ payTo: numbered(0) })]);
    expect(lists).toMatchObject([{ tool: 'tool0', payee: 'as_listed', amount: 'as_listed', ...states }]);
    const resource = { url: 'mcp://tool/tool9' };
    const last = await check('long', { x402Version: 2, resource, accepts: [offerOf()] });
    expect(last.lists).toMatchObject([{ payee: 'other', amount: 'as_listed', network: 'as_listed' }]);
  });

  it.each([
    ['a list above 16 KiB', 'long'],
    ['many ways to pay', 'ways'],
    ['an entry behind 10,000 others', 'late'],
    ['many ways to pay in a catalogue', 'crowded'],
  ])('but of a whole one it is, however long: %s', async (_what, name) => {
    const { lists, text } = await check(name, [swapped]);
    expect(lists).toMatchObject([{ payee: 'other', amount: 'higher', ...states }]);
    expect(text).not.toContain('could not read');
  });

  it('and all lists of a document are one', async () => {
    const { lists, text } = await check('whole', [swapped]);
    const other = { payee: 'other', amount: 'higher', ...states };
    expect(lists).toMatchObject([other, other]);
    expect(text).not.toContain('could not read');
    expect((await check('lists', [swapped])).lists).toMatchObject([other]);
  });
});

describe('an offer for a tool whose endpoint quotes nothing', () => {
  const resource = { url: 'mcp://tool/find' };
  const same = { payee: 'as_listed', amount: 'as_listed', asset: 'as_listed', network: 'as_listed' };

  it.each([
    ['the same', {}, {}],
    ['another payee', { payTo: mallory }, { payee: 'other' }],
    ['more', { amount: '600000' }, { amount: 'higher' }],
    ['less', { amount: '100' }, { amount: 'lower' }],
    ['another scheme', { scheme: 'upto' }, { amount: 'not_known', scheme: 'other' }],
    [
      'another network',
      { network: 'eip155:84532' },
      { amount: 'not_known', asset: 'other', network: 'other' },
    ],
  ])('is told, in the JSON, from what its host lists: %s', async (_what, changed, states) => {
    const offer = { x402Version: 2, resource, accepts: [offerOf(changed)] };
    const { lists, text } = await check('tools', offer);
    expect(lists).toEqual([
      {
        source: 'tools.example.com/.well-known/x402',
        observed_on: today,
        tool: 'find',
        ...same,
        scheme: 'as_listed',
        ...states,
      },
    ]);
    expect(text).toContain('Dossier calls no tool, and a call may still cost something.');
    expect(text).toContain(': not known from quotes: the endpoint quoted Dossier none.');
  });

  it('is said to be for a tool that no price list names', async () => {
    const offer = { x402Version: 2, resource: { url: 'mcp://tool/none' }, accepts: [offerOf()] };
    const { lists, text } = await check('long', offer);
    const none = { payee: 'not_known', amount: 'not_known', asset: 'not_known', network: 'not_known' };
    expect(lists).toMatchObject([{ ...none, scheme: 'not_known' }]);
    expect(text).toContain('lists no price for `none`, which the request for the payment names, and ');
  });
});

describe('the price in a list that an offer is compared with', () => {
  const place = `\`tools.example.com/.well-known/x402\` (${today}) lists`;

  it('has its scheme, and not its amount in another scheme', async () => {
    const { lists } = await check('schemes', [offerOf()]);
    expect(lists).toMatchObject([
      { scheme: 'as_listed', amount: 'higher', payee: 'as_listed', more_there: 1 },
    ]);
  });

  it('is chosen by similarity if the request names no tool, and that is said in text and JSON', async () => {
    const { lists, text } = await check('tools', [offerOf()]);
    expect(lists).toMatchObject([
      { tool: 'find', tool_by_similarity: true, more_there: 2, amount: 'as_listed' },
    ]);
    expect(text).toContain(
      `${place} 0.01 USDC on Base for \`find\`; 2 more there; chosen by similarity, because the request names no tool. This`,
    );
  });

  it.each([
    ['find', 'find', { amount: 'higher', payee: 'other' }],
    ['send%5Fall', 'send_all', { amount: 'higher', payee: 'other' }],
    ['other', undefined, { amount: 'as_listed', payee: 'as_listed' }],
  ])('is that of the tool %s, or else that of the endpoint itself', async (named, tool, states) => {
    const offer = offerOf({ amount: '900000', payTo: mallory });
    const resource = { url: `mcp://tool/${named}` };
    const { lists, text } = await check('tools', { x402Version: 2, resource, accepts: [offer] });
    expect(lists).toMatchObject([states]);
    expect([lists[0]?.tool, lists[0]?.tool_by_similarity, lists[0]?.more_there]).toEqual([
      tool,
      undefined,
      undefined,
    ]);
    expect(text).not.toContain('similarity');
  });
});

it('a price list that later checks did not see is said with the day on which it was read, and since when it was not seen', async () => {
  const { wait, observe } = observed.directory;
  isStale = true;
  wait(2 * 86_400);
  await observe(handleAt('stale'));
  const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const { text, lists } = await check('stale', offerOf());
  expect(lists).toMatchObject([{ observed_on: today, missed_since: day, payee: 'as_listed' }]);
  expect(text).toContain(
    `stale.example.com/.well-known/x402\` (${today}, not seen by checks since ${day}) listed 0.01 USDC on Base for \`find\``,
  );
});

describe('a listing with two endpoints, of which one quotes a price', () => {
  beforeAll(async () => {
    const remotes = ['whole', 'quoting'].map((name) => ({ type: 'streamable-http', url: urlAt(name) }));
    await observed.directory.importEntries([registryEntry('com.example.both/a', { remotes })]);
    await observed.directory.observe('com.example.both/a');
  });

  it('shows the price list of the other one if that has exactly this offer', async () => {
    const offer = { ...many(1)[0], resource: 'mcp://tool/find' };
    const { lists, text } = await check('both', offer);
    expect(text).toContain(`Payee \`${numbered(1000)}\`: never seen here`);
    expect(lists).toMatchObject([
      {
        source: 'whole.example.com/.well-known/x402',
        endpoint: urlAt('whole'),
        payee: 'as_listed',
        amount: 'as_listed',
      },
    ]);
    expect(text).toContain(`as listed. It is published for \`${urlAt('whole')}\`.`);
  });
});
