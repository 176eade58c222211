import { afterAll, describe, expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { whereShown } from '../support/doors.ts';
import { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { faultsOfHtml } from '../support/valid-html.ts';

const alice = '0xAAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaAA';
const mallory = '0x2222222222222222222222222222222222222222';
const written = '0x5555555555555555555555555555555555555abc';
const mallPayee = '0x4444444444444444444444444444444444444444';
const sol = 'DYw8jCTfwHNRJhhmFcbXvVDTqWMEVFBX6ZKUmG5CNSKK';
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const base = 'eip155:8453';
const sepolia = 'eip155:84532';
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const start_ms = Date.now();
const inDays = (days: number) => new Date(start_ms + days * 86_400_000).toISOString().slice(0, 10);

/** Who is paid on which network. */
type Offers = readonly (readonly [network: string, payTo: string])[];
const quoted: Record<string, Offers> = {
  shop: [[base, alice]],
  stall: [
    [base, alice],
    [solana, sol],
  ],
  kiosk: [[sepolia, mallory]],
  booth: [['<b>net</b>', 'pay.example-1']],
  account: [[base, `EIP155:8453:${written.toUpperCase().replace('0X', '0x')}`]],
  plain: [[base, written]],
  stand: [
    ['card', 'vendor.md'],
    ['card', 'vendor'],
    ['card', 'vendor.json'],
  ],
  ...Object.fromEntries(
    [
      ['.', '..', '%2e'],
      ['shop/../till?a=1&b#c', 'pay@shop.example', 'tip*{a}[b]<c>=~$'],
      [`${sepolia}:${mallory.replace('0x2', '0x7')}`, 'x'.repeat(200), '..json'],
    ].map((payees, at) => [`odd${at}`, payees.map((payee) => ['card', payee] as const)]),
  ),
};

/** A server that asks for a cent of USDC before it answers, as x402 version 2 has it. */
const startShop = (offersAt: (url: string) => Offers | undefined) =>
  startEndpoint((_body, { method, url = '' }, response) => {
    const offers = method === 'POST' ? offersAt(url) : undefined;
    if (!offers) return void response.writeHead(404).end();
    const price = { scheme: 'exact', asset: usdc, amount: '10000', maxTimeoutSeconds: 60 };
    const accepts = offers.map(([network, payTo]) => ({ ...price, network, payTo }));
    response.writeHead(402, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }));
  });
/** Six endpoints, each of which asks to be paid at one address on twenty networks. */
const mallAt = (url: string) =>
  Array.from(
    { length: /^\/mcp\/\d$/.test(url) ? 20 : 0 },
    (_, one) => [`eip155:${1000 + 20 * Number(url.slice(5)) + one}`, mallPayee] as const,
  );

/** The listing of a shop, each of another publisher. */
const handleAt = (name: string) => `com.${name}/a`;
const urlAt = (name: string) => `https://mcp.${name}.com/mcp`;

const names = Object.keys(quoted);
const servers = await Promise.all([
  ...names.map((name) => startShop((url) => (url === '/mcp' ? quoted[name] : undefined))),
  startShop(mallAt),
]);
const hosts = [...names, 'mall'].map((name, at) => [`mcp.${name}.com`, servers[at]?.url]);
const directory = await openedDirectory({
  entries: [...names, 'mall'].map((name) => {
    const paths = name === 'mall' ? ['/0', '/1', '/2', '/3', '/4', '/5'] : [''];
    const remotes = paths.map((path) => ({ type: 'streamable-http', url: `${urlAt(name)}${path}` }));
    return registryEntry(handleAt(name), { remotes });
  }),
  environment: { LIMITS: 'off', HOST_OVERRIDES: JSON.stringify(Object.fromEntries(hosts)) },
});
for (const name of names) await directory.observe(handleAt(name));
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

interface Body {
  readonly code?: string;
  readonly detail?: string;
  readonly handle?: string;
  readonly found_by?: string;
  readonly candidates?: readonly { readonly handle: string; readonly differs: string }[];
  readonly listings?: readonly { readonly handle: string }[];
  readonly results?: readonly {
    readonly outcome: string;
    readonly handle?: string;
    readonly found_by?: string;
  }[];
  readonly total?: object;
  readonly order?: string;
  readonly next_cursor?: string;
  readonly offers?: readonly object[];
  readonly advice?: string;
}
const call = (tool: string, input: object) => callTool<Body>(directory, tool, input);
const get = (path: string, accept = 'text/html') => directory.app.request(path, { headers: { accept } });
const read = async (path: string) => (await get(path)).text();
const plain = (text: string) => text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
interface Shown {
  readonly payee: string;
  readonly network?: string;
  readonly networks?: readonly string[];
  readonly asked_by: readonly { readonly handle: string; readonly since: string; readonly until?: string }[];
  readonly on_other_networks?: Shown['asked_by'];
}
const readJson = async (path: string) => (await (await get(`${path}.json`)).json()) as Shown;

const found = (where: string) =>
  `the only listing whose endpoint asks to be paid at ${where}; this does not show who owns the address`;

describe('a payee names the one listing that asks to be paid there', () => {
  it.each([
    ['a CAIP-10 name', `${sepolia}:${mallory}`, 'kiosk', 'this address on Base Sepolia'],
    ['the address alone', mallory, 'kiosk', 'this address'],
    ['an address of solana', sol, 'stall', 'this address'],
    ['one by its CAIP-10 name', `${solana}:${sol}`, 'stall', 'this address on Solana'],
    [
      'the same on another network',
      `${base}:${mallory}`,
      'kiosk',
      'this address, though not on Base as far as Dossier knows',
    ],
    [
      'one that is asked for on a network without a CAIP-2 name',
      `${base}:pay.example-1`,
      'booth',
      'this address, though not on Base as far as Dossier knows',
    ],
  ])('%s', async (_what, handle, name, where) => {
    expect(await call('get_agent', { handle })).toMatchObject({
      handle: handleAt(name),
      found_by: found(where),
    });
    const { results } = await call('resolve_agents', { handles: [handle] });
    expect(results).toMatchObject([{ outcome: 'listed', handle: handleAt(name), found_by: found(where) }]);
  });

  it('and its capitals count on solana only', async () => {
    expect(await call('get_agent', { handle: sol.toLowerCase() })).toMatchObject({ code: 'unknown_handle' });
    const handle = `${sepolia}:${mallory.toUpperCase()}`;
    expect(await call('get_agent', { handle })).toMatchObject({ handle: handleAt('kiosk') });
  });

  it('and several listings are told apart', async () => {
    const several = await call('get_agent', { handle: alice });
    expect(several.detail).toMatch(/^2 listings ask to be paid at this address\. /);
    const [, page = ''] = /Since when each asks: `(\/payees\/[^`]+)`\./.exec(several.detail ?? '') ?? [];
    expect((await readJson(page)).asked_by).toMatchObject([
      { since: expect.any(String) },
      { since: expect.any(String) },
    ]);
    expect(several.candidates?.map(({ handle }) => handle).toSorted()).toEqual([
      handleAt('shop'),
      handleAt('stall'),
    ]);
    expect(several.candidates?.[0]?.differs).toContain('domain ');
    const priced = { differs: expect.stringMatching(/, asks for 0\.01 USDC on Base(?: \(1 more offer\))?$/) };
    expect(several.candidates).toEqual([expect.objectContaining(priced), expect.objectContaining(priced)]);
    const { results } = await call('resolve_agents', { handles: [alice] });
    expect(results).toMatchObject([{ outcome: 'several_listings', candidates: [priced, priced] }]);
  });

  it('in a comparison and in a search too', async () => {
    const compared = await call('compare_agents', { handles: [`${sepolia}:${mallory}`, sol] });
    expect(compared.listings?.map(({ handle }) => handle)).toEqual([handleAt('kiosk'), handleAt('stall')]);
    const hits = await call('search_agents', { query: alice });
    expect(hits.listings?.map(({ handle }) => handle).toSorted()).toEqual([
      handleAt('shop'),
      handleAt('stall'),
    ]);
    expect(hits.total).toEqual({ count: 2, capped: false });
    expect(await read(`/agents?q=${base}:${alice}`)).toContain(`href="/agents/${handleAt('stall')}"`);
    for (const named of [`${base}:${alice}`, `/payees/${base}:${alice}`])
      expect(await read(`/agents?q=${encodeURIComponent(named)}`)).toMatch(
        /href="\/payees\/eip155:8453:0xaa/,
      );
  });
});

describe('the page of a payee', () => {
  it('says who asks to be paid there, since when, on which network and with which offers', async () => {
    const page = await read(`/payees/${base}:${alice.toLowerCase()}`);
    expect(plain(page)).toContain('2 listings ask to be paid there on Base.');
    expect(plain(page)).toContain(
      `${handleAt('shop')} asks to be paid there since ${inDays(0)}, last seen on ${inDays(0)}: 0.01 USDC on Base, at https://mcp.shop.com/mcp`,
    );
    expect(page).toContain(`<a class="handle" href="/agents/${handleAt('stall')}">`);
    const shown = await readJson(`/payees/${base}:${alice.toLowerCase()}`);
    expect(shown).toMatchObject({
      payee: `${base}:${alice.toLowerCase()}`,
      network: base,
      asked_by: [
        {
          network: base,
          endpoints: ['https://mcp.shop.com/mcp'],
          offers: [{ amount: '10000', asset: usdc.toLowerCase(), network: base, scheme: 'exact' }],
        },
        { handle: handleAt('stall') },
      ],
      untrusted_fields: ['asked_by'],
    });
    const markdown = await read(`/payees/${base}:${alice.toLowerCase()}.md`);
    expect(markdown).toContain(`* \`${handleAt('shop')}\` asks to be paid there since`);
  });

  it('has one address for every spelling, and one without a network', async () => {
    const moved = await get(`/payees/${base}:${alice}.json`);
    expect([moved.status, moved.headers.get('location')]).toEqual([
      308,
      `/payees/${base}:${alice.toLowerCase()}.json`,
    ]);
    expect(await readJson(`/payees/${sol}`)).toMatchObject({
      payee: sol,
      networks: [solana],
      asked_by: [{ handle: handleAt('stall'), network: solana }],
    });
    expect(await readJson('/payees/pay.example-1')).toMatchObject({
      asked_by: [{ handle: handleAt('booth') }],
    });
  });

  it('says of another network that it was seen there', async () => {
    const page = plain(await read(`/payees/${base}:${mallory}`));
    expect(page).toContain('No listing asks to be paid there on Base.');
    expect(page).toContain(`On other networks${handleAt('kiosk')} asks to be paid there since`);
  });

  it('on a network that is asked for is read before a hundred on others', async () => {
    await directory.observe(handleAt('mall'));
    const page = plain(await read(`/payees/eip155:1119:${mallPayee}`));
    expect(page).toContain('1 listing asks to be paid there on eip155:1119.');
    expect(page).toContain('Only the first 100 are shown.');
    expect(plain(await read(`/payees/${mallPayee}`))).toContain('At least 1 listing asks to be paid there.');
  });

  it('is valid HTML, with what others wrote as text', async () => {
    for (const path of [`/payees/${base}:${alice.toLowerCase()}`, '/payees/pay.example-1'])
      expect(await faultsOfHtml(await read(path))).toEqual([]);
    const page = await read('/payees/pay.example-1');
    expect(page).toContain('&lt;b&gt;net&lt;/b&gt;');
    expect(page).not.toContain('<b>net');
    expect(await read('/payees/pay.example-1.md')).not.toContain(' <b>net');
  });

  it('is one of its own where the name of a payee ends as that of a document does', async () => {
    const last = /<h1 class="handle address">([^<]+)<\/h1>/;
    const titleAt = async (path: string) => last.exec(await read(path))?.[1];
    for (const [at, payee] of [
      ['vendor', 'vendor'],
      ['vendor.md.html', 'vendor.md'],
      ['vendor.json.html', 'vendor.json'],
    ] as const) {
      expect(await titleAt(`/payees/${at}`)).toBe(payee);
      expect(await read(`/payees/${payee}.md`)).toMatch(new RegExp(`^# Payee \`${payee}\`\n`));
      expect(await readJson(`/payees/${payee}`)).toMatchObject({ payee });
      expect(await read(`/agents/${handleAt('stand')}`)).toContain(`href="/payees/${at}"`);
    }
    const other = await get('/payees/vendor.html');
    expect([other.status, other.headers.get('location')]).toEqual([308, '/payees/vendor']);
    const handle = '/payees/vendor.md.html';
    const query = 'http://127.0.0.1:3000/payees/vendor.md.json';
    const found = { handle: handleAt('stand') };
    expect(await call('get_agent', { handle })).toMatchObject(found);
    expect((await call('search_agents', { query })).listings).toMatchObject([found]);
    expect((await call('resolve_agents', { handles: [query] })).results).toMatchObject([found]);
    expect(await call('check_offer', { handle, offer: [{ payTo: 'vendor.md' }] })).toMatchObject(found);
  });

  it.each([
    ['.', '/payees/..html', '/payees/..json'],
    ['..', '/payees/...html', '/payees/...json'],
    ['%2e', '/payees/%252e', '/payees/%252e.json'],
    ['shop/../till?a=1&b#c', '/payees/shop%2F..%2Ftill%3Fa%3D1%26b%23c'],
    ['pay@shop.example', '/payees/pay%40shop.example'],
    ['tip*{a}[b]<c>=~$', '/payees/tip%2A%7Ba%7D%5Bb%5D%3Cc%3E%3D~%24'],
    [
      `${sepolia}:0x7222222222222222222222222222222222222222`,
      '/payees/eip155%3A84532%3A0x7222222222222222222222222222222222222222',
    ],
    ['x'.repeat(200), `/payees/${'x'.repeat(200)}`],
    ['..json', '/payees/..json.html', '/payees/..json.json'],
  ])('%s has an address that every client can follow', async (payee, at, json = `${at}.json`) => {
    const listings = await Promise.all(
      ['odd0', 'odd1', 'odd2'].map((name) => read(`/agents/${handleAt(name)}`)),
    );
    const links = listings.flatMap((page) =>
      [...page.matchAll(/href="(\/payees\/[^"]+)"/g)].map(([, href = '']) => href),
    );
    expect(links).toContain(at);
    const followed = (path: string) => get(new URL(path, 'http://127.0.0.1:3000/agents').pathname);
    const page = await followed(at);
    expect([page.status, plain(await page.text()).includes('1 listing asks to be paid there.')]).toEqual([
      200,
      true,
    ]);
    const answer = await followed(json);
    expect(await answer.json()).toMatchObject({ payee, page: `http://127.0.0.1:3000${at}` });
    expect(answer.headers.get('link')).toBe(`<http://127.0.0.1:3000${at}>; rel="canonical"`);
    const shown = await read(at);
    const markdown = json.replace(/json$/, 'md');
    expect(shown).toContain(`href="${json}"`);
    expect(shown).toContain(`href="${markdown}"`);
    expect(await (await followed(markdown)).text()).toContain('asks to be paid there since');
    const { results } = await call('resolve_agents', { handles: [`http://127.0.0.1:3000${at}`] });
    expect(results).toMatchObject([{ outcome: 'listed' }]);
  });

  it('has the same for a CAIP-10 name that a client encoded as a whole, or of which a proxy decoded a part', async () => {
    const named = encodeURIComponent(`${base}:${alice.toLowerCase()}`);
    expect(await readJson(`/payees/${named}`)).toMatchObject({ network: base });
    expect(await readJson('/payees/pay@shop.example')).toMatchObject({ payee: 'pay@shop.example' });
  });

  it('is the same if an offer states it as an account of its own network', async () => {
    const { asked_by } = await readJson(`/payees/${base}:${written}`);
    expect(asked_by.map(({ handle }) => handle)).toEqual([handleAt('account'), handleAt('plain')]);
    expect(await read(`/agents/${handleAt('account')}`)).toContain(`href="/payees/${written}"`);
    const payeeOf = async (name: string, payTo: string) => {
      const offer = { payTo, network: base, asset: usdc, amount: '10000', scheme: 'exact' };
      const { offers } = await call('check_offer', { handle: handleAt(name), offer });
      return offers?.map((one) => (one as { payee: string }).payee);
    };
    expect(await payeeOf('account', written)).toEqual(['new']);
    expect(await payeeOf('plain', `${base}:${written}`)).toEqual(['new']);
    expect(await payeeOf('plain', `eip155:1:${written}`)).toEqual(['never_seen']);
    for (const odd of ['%E2%80%8B', '%E2%80%AE123', '%2C%200x1'])
      expect(await payeeOf('plain', `${base}:${written}${odd}`)).toEqual(['never_seen']);
  });

  it('is found by a search for it on a network where nobody asks for it, which is said', async () => {
    expect(await call('search_agents', { query: `eip155:1:${mallory}` })).toMatchObject({
      listings: [{ handle: handleAt('kiosk') }],
      advice:
        'No endpoint that Dossier checked asks to be paid at this address on Ethereum; these listings do so on a different network, or on one that Dossier does not know.',
    });
  });

  it('is found page by page, whatever order is asked for, and the answer names the order that it has', async () => {
    const query = `eip155:8453:${alice}`;
    const handles = ({ listings = [] }: Body) => listings.map(({ handle }) => handle);
    const all = handles(await call('search_agents', { query }));
    const pages: Body[] = [];
    for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined; ) {
      const next = await call('search_agents', { query, limit: 1, sort: 'updated', cursor });
      pages.push(next);
      cursor = next.next_cursor;
    }
    expect(pages[0]?.order).toBe('oldest publication first');
    expect(pages.map((page) => handles(page))).toEqual(all.map((handle) => [handle]));
    expect(all.length).toBeGreaterThan(1);
  });

  it.each([
    '/payees/0x9999999999999999999999999999999999999999',
    `/payees/${sol.toLowerCase()}`,
    '/payees/x.json',
    '/payees/a:b',
  ])('%s: says what is not known', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(plain(await answer.text())).toContain(
      'Dossier shows no listing whose endpoint asked to be paid at this address.',
    );
  });

  it.each(['/payees/%3Cb%3E', `/payees/${'a'.repeat(300)}`])('%s: there is no such page', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe('a payee that was seen and is no more', () => {
  it('finds its listing, with until when, after those that ask for it now', async () => {
    quoted.kiosk = [[sepolia, alice]];
    quoted.shop = [[base, mallory]];
    directory.wait(86_400);
    await directory.observe(handleAt('kiosk'));
    await directory.observe(handleAt('shop'));
    // Two listings that swapped their payees: what is asked for now comes first.
    expect(await call('get_agent', { handle: mallory })).toMatchObject({
      handle: handleAt('shop'),
      found_by: `${found('this address')}; \`${handleAt('kiosk')}\` asked for it until ${inDays(0)}`,
    });
    const bothAsk = await call('get_agent', { handle: alice });
    expect(bothAsk.detail).toContain(
      `2 listings ask to be paid at this address; \`${handleAt('shop')}\` asked for it until ${inDays(0)}. `,
    );
    const shown = await readJson(`/payees/${mallory}`);
    expect(
      shown.asked_by.map(({ handle, since, until }) => [handle, since.slice(0, 10), until?.slice(0, 10)]),
    ).toEqual([
      [handleAt('shop'), inDays(1), undefined],
      [handleAt('kiosk'), inDays(0), inDays(0)],
    ]);
    expect(plain(await read(`/payees/${mallory}`))).toContain(
      `1 listing asks to be paid there; 1 listing did before, but not now. Who asks to be paid there ${handleAt('shop')}`,
    );
    quoted.shop = [[base, alice]];
    directory.wait(86_400);
    await directory.observe(handleAt('shop'));
    const former = await call('get_agent', { handle: `${base}:${mallory}` });
    expect(former).toMatchObject({
      handle: handleAt('shop'),
      found_by: `the only listing whose endpoint asked to be paid at this address on Base, until ${inDays(1)}; no listing asks for it now`,
    });
    expect(await call('search_agents', { query: `${base}:${mallory}` })).toMatchObject({
      listings: [{ handle: handleAt('shop') }],
      total: { count: 1 },
      advice: `\`${handleAt('shop')}\` is the only listing whose endpoint asked to be paid at this address on Base, until ${inDays(1)}; no listing asks for it now. get_agent reads this name.`,
    });
    expect(await call('search_agents', { query: mallory })).toMatchObject({
      listings: [{ handle: handleAt('shop') }, { handle: handleAt('kiosk') }],
      advice: expect.stringMatching(
        /^No listing shown here asks to be paid at this address now; 2 listings asked for it\. .* get_agent reads this name\.$/,
      ),
    });
    const several = await call('get_agent', { handle: mallory });
    expect(several.detail).toMatch(
      /^No listing shown here asks to be paid at this address now; 2 listings asked for it\. /,
    );
    expect(several.candidates?.map(({ handle, differs }) => [handle, differs.slice(0, 30)])).toEqual([
      [handleAt('shop'), `asked for it until ${inDays(1)}, `.slice(0, 30)],
      [handleAt('kiosk'), `asked for it until ${inDays(0)}, `.slice(0, 30)],
    ]);
    const { results } = await call('resolve_agents', { handles: [`${base}:${mallory}`] });
    expect(results).toMatchObject([{ outcome: 'listed', handle: handleAt('shop') }]);
    expect(plain(await read(`/payees/${mallory}`))).toContain('No listing asks to be paid there; 2 listings');
  });

  it('counts for nothing in what listings share', async () => {
    const shared = async (name: string) => {
      const { signals } = (await (await get(`/agents/${handleAt(name)}.json`)).json()) as {
        readonly signals: {
          readonly imported: readonly { readonly kind: string; readonly value: unknown }[];
        };
      };
      return signals.imported.find(({ kind }) => kind === 'shared.pay_to')?.value;
    };
    expect(await shared('shop')).toBe(2);
    quoted.booth = [[base, mallory]];
    await directory.observe(handleAt('booth'));
    expect(await shared('booth')).toBeUndefined();
    quoted.booth = [['<b>net</b>', 'pay.example-1']];
    await directory.observe(handleAt('booth'));
  });

  it('is named no more once its listing is withdrawn', async () => {
    const doors = () =>
      whereShown(directory, { handles: [handleAt('kiosk')], query: 'kiosk', payee: mallory }, 'mcp.shop.com');
    expect(await doors()).toEqual(
      expect.arrayContaining(['', '.json', '.md'].map((end) => `/payees/${mallory}${end}`)),
    );
    for (const name of ['shop', 'booth']) await directory.act('withdraw', handleAt(name), 'unlawful');
    expect(await doors()).toEqual([]);
    expect(await call('get_agent', { handle: `${base}:${mallory}` })).toMatchObject({
      handle: handleAt('kiosk'),
      found_by: `the only listing whose endpoint asked to be paid at this address, though not on Base as far as Dossier knows, until ${inDays(0)}; no listing asks for it now`,
    });
    expect(await read(`/payees/${mallory}`)).not.toContain(handleAt('shop'));
    await directory.act('hide', handleAt('kiosk'), 'personal_data');
    expect((await get(`/payees/${mallory}`)).status).toBe(404);
    expect(await call('get_agent', { handle: mallory })).toMatchObject({ code: 'unknown_handle' });
  });
});
