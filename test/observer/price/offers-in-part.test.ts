import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';
import { alice, mallory, numbered, offerOf, unknownToken, usdc } from '../../support/offers.ts';

const start_ms = Date.now();
const inDays = (days: number) => new Date(start_ms + days * 86_400_000).toISOString().slice(0, 10);

const manyAt = (at: number) =>
  offerOf({ payTo: numbered(1000 + at), amount: String(1000 + at), asset: numbered(5000 + at) });

/** An offer that cannot be read. */
const unread = offerOf({ network: 'lightning', amount: '0.001', asset: 'BTC', payTo: 'lnbc1' });

const ofEuro = (amount: string, payee: number) =>
  offerOf({ asset: '0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb43', amount, payTo: numbered(payee) });

let requests = 0;
/** What each server asks for now; a server without offers fails. */
const asked: Record<string, () => readonly object[]> = {
  many: () => Array.from({ length: 40 }, (_, at) => manyAt(at)),
  crowd: () => Array.from({ length: 30 }, (_, at) => manyAt(at)),
  half: () => [offerOf({ payTo: numbered(9) }), offerOf({ amount: 'ask' })],
  twenty: () => Array.from({ length: 20 }, (_, at) => manyAt(at)),
  rotating: () => {
    requests += 1;
    return [offerOf({ payTo: numbered(requests) })];
  },
  optimism: () => [offerOf({ network: 'eip155:10' })],
  amoy: () => [offerOf({ network: 'eip155:80002' })],
  unnamed: () => [offerOf({ network: 'newchain' })],
  shop: () => [offerOf()],
  evil: () => [offerOf({ payTo: mallory })],
  mixed: () => [offerOf({ payTo: numbered(7) })],
  growing: () => [offerOf({ payTo: numbered(20) }), unread],
  swapping: () => [offerOf({ payTo: numbered(21) }), unread],
  laundered: () => [offerOf({ payTo: numbered(35) })],
  kept: () => [offerOf({ payTo: numbered(36) }), offerOf({ payTo: numbered(31), amount: '20000' })],
  thousands: () => Array.from({ length: 1500 }, (_, at) => manyAt(at)),
  brim: () => Array.from({ length: 1000 }, (_, at) => manyAt(at)),
  unreadable: () => [offerOf({ payTo: numbered(32) })],
  joined: () => [offerOf({ payTo: numbered(33) }), unread],
  nudged: () => [offerOf({ payTo: numbered(41) }), ofEuro('20000', 41)],
  again: () => [offerOf({ payTo: numbered(42) }), ofEuro('20000', 42)],
  never: () => [offerOf({ payTo: numbered(43) }), ofEuro('20000', 43), unread],
  back: () => [offerOf({ payTo: numbered(44) }), ofEuro('20000', 44)],
  cut: () => [...Array.from({ length: 25 }, (_, at) => manyAt(at)), unread],
};
const session = { amount: '5', currency: unknownToken, recipient: numbered(8) };
const toChallenge = (request: object) =>
  `Payment id="1", realm="x", method="tempo", intent="session", request="${Buffer.from(JSON.stringify(request)).toString('base64url')}"`;
const challenges: Readonly<Record<string, string>> = {
  mixed: toChallenge(session),
  brim: toChallenge({ ...session, amount: 'ask' }),
};
const documents: Readonly<Record<string, object>> = {
  shop: {
    resources: [
      {
        resource: 'https://shop.example.com/mcp',
        accepts: [offerOf({ amount: '5000' }), offerOf({ payTo: mallory })],
      },
    ],
  },
};

const startShop = (name: string) =>
  startEndpoint((_body, { method, url }, response) => {
    const document = method === 'GET' && url === '/.well-known/x402' ? documents[name] : undefined;
    if (document) return void response.writeHead(200).end(JSON.stringify(document));
    const accepts = asked[name]?.() ?? [];
    if (method !== 'POST' || accepts.length === 0) return void response.writeHead(404).end();
    response.writeHead(402, {
      'content-type': 'application/json',
      ...(challenges[name] && { 'www-authenticate': challenges[name] }),
    });
    response.end(JSON.stringify({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }));
  });

let observed: ObservedDirectory;
beforeAll(async () => {
  const names = Object.keys(asked);
  const servers = await Promise.all(names.map(async (name) => [name, await startShop(name)] as const));
  observed = await openObserved(Object.fromEntries(servers), { LIMITS: 'off' });
  for (const name of [...names, ...names]) await observed.directory.observe(handleAt(name));
});
afterAll(() => observed.close());

interface Body {
  readonly handle?: string;
  readonly message: string;
  readonly stands_out?: readonly string[];
  readonly lines: { readonly costs: string };
  readonly offers: readonly (Readonly<Record<string, string>> & { readonly facts: readonly string[] })[];
}
async function call(tool: string, body: object): Promise<Body> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await (await observed.directory.app.request(`/api/tools/${tool}`, init)).json()) as Body;
}
async function check(name: string, offer: object) {
  const { offers } = await call('check_offer', { handle: handleAt(name), offer: [offer] });
  const { facts = [], ...states } = offers[0] ?? {};
  return { facts, states };
}

it('of more offers than Dossier keeps, the others are not known, and not never seen', async () => {
  const { states, facts } = await check('many', manyAt(35));
  expect(states).toMatchObject({ payee: 'not_known', amount: 'not_known', asset: 'not_known' });
  expect(states).toMatchObject({ network: 'as_seen', scheme: 'as_seen' });
  expect(facts[0]).toBe(
    `Payee \`${numbered(1035)}\`, amount 1035, asset \`${numbered(5035)}\`: not known: Dossier read or kept only some of the offers that were quoted on ${inDays(0)}.`,
  );
  expect((await check('many', manyAt(15))).states).toMatchObject({ payee: 'as_seen', amount: 'as_seen' });
  // Twenty offers are all read, although their value is stored shortened.
  expect((await check('twenty', manyAt(35))).states).toMatchObject({
    payee: 'never_seen',
    asset: 'never_seen',
    amount: 'not_known',
  });
});

it('of more than a thousand offers, the others are not read, and that is said', async () => {
  const { observations } = (await (
    await observed.directory.app.request(`/agents/${handleAt('thousands')}.json`)
  ).json()) as { observations: { kind: string; reason?: string; is_part?: true }[] };
  for (const kind of ['price.pay_to', 'price.paid_for'])
    expect(observations.find((one) => one.kind === kind)).toMatchObject({
      is_part: true,
      reason: expect.stringContaining('Dossier did not read 500 of the 1,500 offers'),
    });
});

it('of a thousand offers and one in another format, that one could not be read', async () => {
  const { observations } = (await (
    await observed.directory.app.request(`/agents/${handleAt('brim')}.json`)
  ).json()) as { observations: { kind: string; reason?: string }[] };
  for (const kind of ['price.pay_to', 'price.paid_for'])
    expect(observations.find((one) => one.kind === kind)?.reason).toContain(
      'Dossier could not read 1 of the 1,001 offers',
    );
});

it('a token on a network without a name is named beside that network', async () => {
  const { facts } = await check(
    'optimism',
    offerOf({ network: 'eip155:10', asset: unknownToken, extra: { name: 'USDC' } }),
  );
  expect(facts).toContain(
    `The offer names the asset “USDC”; USDC on \`eip155:10\` is \`0x0b2c639c533813f4aa9d7837caf62653d097ff85\` (by Dossier’s table of assets), this is \`${unknownToken}\`.`,
  );
});

it('networks are compared as what they are, whatever version of x402 names them', async () => {
  expect((await check('amoy', offerOf({ network: 'polygon-amoy' }))).states).toEqual({
    payee: 'as_seen',
    amount: 'as_seen',
    asset: 'as_seen',
    network: 'as_seen',
    scheme: 'as_seen',
  });
  const { states, facts } = await check('shop', offerOf({ network: 'newchain' }));
  expect(states).toMatchObject({ network: 'not_known', asset: 'not_known', amount: 'not_known' });
  expect(facts.join('\n')).toContain(
    'network `newchain`: not known: `newchain` is a name, and Dossier does not know which network has it.',
  );
  expect((await check('unnamed', offerOf())).states).toMatchObject({ network: 'not_known' });
  expect((await check('unnamed', offerOf({ network: 'newchain' }))).states).toMatchObject({
    network: 'as_seen',
  });
});

it('of several advertised prices, that one is said which is like the offer, with its own payee', async () => {
  const of = async (changed: object) =>
    (await check('shop', offerOf(changed))).facts.find((fact) => fact.includes('/.well-known/x402'));
  const place = `\`shop.example.com/.well-known/x402\` (${inDays(0)}) lists`;
  const rest = 'asset, network, scheme as listed.';
  expect(await of({})).toBe(
    `${place} 0.01 USDC on Base, paid to \`${mallory}\`; 1 more there. This offer compared with it: payee other; amount, ${rest}`,
  );
  expect(await of({ amount: '5000' })).toBe(
    `${place} 0.005 USDC on Base; 1 more there. This offer compared with it: payee, amount, ${rest}`,
  );
  expect(await of({ network: 'eip155:10', payTo: unknownToken })).toMatch(
    / on Base, paid to `0x[12]{40}`; 1 more there\. This offer compared with it: payee, amount not known; asset, network other; scheme as listed\.$/,
  );
  expect(await of({ network: 'newchain' })).toMatch(
    /\. This offer compared with it: payee, amount, asset, network not known; scheme as listed\.$/,
  );
});

it('of many listings that ask to be paid at a payee, three are named with when that was seen', async () => {
  expect((await check('twenty', offerOf())).facts.join('\n')).toMatch(
    /^4 other listings ask to be paid at this payee, among them `[^`]+` \(seen [\d-]{10}\), `[^`]+` \(seen [\d-]{10}\) and `[^`]+` \(seen [\d-]{10}\)\.$/m,
  );
});

it('says that the offer itself named the listing, and that it names another address than the caller', async () => {
  const resource = { url: 'https://evil.example.com/mcp' };
  const offer = { x402Version: 2, resource, accepts: [offerOf({ payTo: mallory })] };
  const last = (name: string) =>
    `A price was last quoted to Dossier at \`https://${name}.example.com/mcp\` on ${inDays(0)}.`;
  expect(await call('check_offer', { offer })).toMatchObject({
    handle: handleAt('evil'),
    message: `The listing was found by the address that the offer itself names. ${last('evil')}`,
    offers: [{ payee: 'as_seen' }],
  });
  const url = 'https://shop.example.com/mcp';
  for (const named of [{ url }, { url, handle: handleAt('shop') }])
    expect(await call('check_offer', { ...named, offer })).toMatchObject({
      handle: handleAt('shop'),
      message: `The offer names as its resource \`https://evil.example.com/mcp\`, at a host other than \`shop.example.com\`; an offer can name any resource. \`com.example.evil/a\` records that resource (record, 2026-10-02). ${last('shop')}`,
      offers: [{ payee: 'never_seen' }],
    });
});

it('says what a handle was found by that is none, as the very payee that is asked about', async () => {
  const { handle, message } = await call('check_offer', {
    handle: mallory,
    offer: [offerOf({ payTo: mallory })],
  });
  expect(handle).toBe(handleAt('evil'));
  expect(message).toContain(
    'It is the only listing whose endpoint asks to be paid at this address; this does not show who owns the address.',
  );
});

it('what was quoted before is compared by what was read of it', async () => {
  observed.directory.wait(3 * 86_400);
  asked.many = () => [offerOf({ network: 'eip155:137' })];
  asked.rotating = () => [];
  for (const name of ['many', 'rotating']) {
    await observed.directory.observe(handleAt(name));
    observed.directory.wait(86_400);
    await observed.directory.observe(handleAt(name));
  }
  const { states, facts } = await check('many', manyAt(15));
  expect(states).toEqual({
    payee: 'seen_until',
    amount: 'seen_until',
    asset: 'seen_until',
    network: 'seen_until',
    scheme: 'as_seen',
  });
  expect(facts).toContain(
    `Asset \`${numbered(5015)}\`: other: \`${usdc.toLowerCase()}\` on Polygon (\`eip155:137\`) since ${inDays(3)}; this one was seen until ${inDays(0)}.`,
  );
  expect((await check('many', manyAt(35))).states).toMatchObject({ payee: 'not_known', asset: 'not_known' });
  expect((await check('rotating', offerOf({ payTo: mallory }))).facts[0]).toBe(
    `Payee \`${mallory}\`: never seen here; other: another each time until ${inDays(0)}.`,
  );
});

/** Looks at a server again on another day, after it was changed. */
async function lookAgain(name: string, offers: readonly object[]) {
  asked[name] = () => offers;
  observed.directory.wait(86_400);
  await observed.directory.observe(handleAt(name));
  return call('get_agent', { handle: handleAt(name) });
}

it('of offers that are stored shortened, none is said to be gone, and of many payees those that changed', async () => {
  const twenty = Array.from({ length: 20 }, (_, at) => manyAt(at));
  const [first] =
    (await lookAgain('twenty', [{ ...manyAt(0), amount: '9' }, ...twenty.slice(1)])).stands_out ?? [];
  expect(first).toMatch(
    /^Its offers changed; they are now 9 of `0x0{36}5000` on Base \(19 more offers\) \(between /,
  );
  const { stands_out } = await lookAgain('twenty', [offerOf({ payTo: alice }), ...twenty.slice(1)]);
  expect(stands_out).toContainEqual(
    expect.stringMatching(
      /^It also asks to be paid at `0x1{40}`\. It no longer asks to be paid at `0x0{36}1000` \(between /,
    ),
  );
});

it('the date of several payees is not said of each of them', async () => {
  const both = [offerOf(), offerOf({ payTo: mallory })];
  const { lines } = await lookAgain('shop', both);
  expect(lines.costs).toMatch(
    /, this price since [\d-]{10} and exactly these payees since [\d-]{10}; prices in its x402 document/,
  );
});

it('offers of x402 and MPP together are not all for one request', async () => {
  const { lines } = await call('get_agent', { handle: handleAt('mixed') });
  expect(lines.costs).toMatch(/^Quotes for an amount of use that is not known before it answers: /);
});

it('an offer behind those that Dossier keeps is compared too', async () => {
  const thirty = Array.from({ length: 30 }, (_, at) => manyAt(at));
  const otherPayee = await lookAgain('crowd', [...thirty.slice(1), { ...manyAt(0), payTo: mallory }]);
  expect(otherPayee.stands_out).toEqual([
    expect.stringMatching(/^The addresses at which it asks to be paid changed \(between /),
    expect.stringMatching(
      /^In the quoted price: who is paid for which offer, or an amount, changed \(between /,
    ),
  ]);
  const { stands_out } = await lookAgain('crowd', [...thirty.slice(1), { ...manyAt(0), amount: '7' }]);
  expect(stands_out).toContainEqual(expect.stringMatching(/^Its offers changed; they are now /));
});

it('a quote of which Dossier could not read every offer is not called unchanged', async () => {
  const paidElsewhere = async (name: string, offers: readonly object[]) => {
    await lookAgain(name, offers);
    return JSON.stringify(await call('get_history', { handle: handleAt(name), kind: 'price' }));
  };
  const price = 'quoted price (amount, asset, network, scheme)';
  const payTo = numbered(10);
  expect(await paidElsewhere('optimism', [offerOf({ network: 'eip155:10', payTo })])).toContain(
    `: ${price}: 10000 of \`${usdc.toLowerCase()}\` on \`eip155:10\`.`,
  );
  const half = await paidElsewhere('half', [offerOf({ payTo }), offerOf({ payTo, amount: 'ask' })]);
  expect(half).toContain('Address that is paid');
  expect(half).not.toContain('quoted price');
});

describe('beside an offer that cannot be read', () => {
  const historyOf = async (name: string) =>
    JSON.stringify(await call('get_history', { handle: handleAt(name), kind: 'price' }));
  const other =
    'another part was read than before, and only what both parts have was compared: Price that the endpoint quotes';

  it('an offer that is new is dated from the check that first saw it', async () => {
    const dear = offerOf({ payTo: numbered(20), amount: '9000000' });
    const { lines } = await lookAgain('growing', [offerOf({ payTo: numbered(20) }), dear, unread]);
    expect(lines.costs).toContain('9 USDC');
    expect(lines.costs).toMatch(/this price since [\d-]{10} and this payee since [\d-]{10}/);
    const [, price, payee] =
      /this price since ([\d-]{10}) and this payee since ([\d-]{10})/.exec(lines.costs) ?? [];
    expect(payee).toBe(inDays(0));
    expect(price).not.toBe(inDays(0));
    const { facts } = await check('growing', dear);
    expect(facts.find((fact) => fact.includes('mount 9 USDC'))).toContain(`new since ${price} (1 check)`);
    expect(await historyOf('growing')).toContain(other);
    expect(await historyOf('growing')).not.toContain('No such change');
  });

  it('different offers take the place of those that were read before', async () => {
    const { lines } = await lookAgain('swapping', [
      offerOf({ scheme: 'upto', amount: '9000000', payTo: mallory }),
      unread,
    ]);
    expect(lines.costs).toContain('9 USDC');
    expect(lines.costs).not.toContain('nothing in this part differed');
    expect(await historyOf('swapping')).toContain(other);
  });

  it('a change behind those that are kept leaves a trace', async () => {
    const offers = Array.from({ length: 25 }, (_, at) => manyAt(at));
    await lookAgain('cut', [...offers.slice(0, 24), { ...manyAt(24), amount: '900000000' }, unread]);
    expect(await historyOf('cut')).toContain('Price that the endpoint quotes');
    expect(await historyOf('cut')).not.toContain('No such change');
  });

  it('an offer that was not there when all could be read is a change, although one day had only a part', async () => {
    const payTo = numbered(35);
    const same = await lookAgain('laundered', [offerOf({ payTo }), unread]);
    expect(same.lines.costs).toContain('0.01 USDC');
    const dear = offerOf({ payTo, amount: '5000000' });
    const { stands_out } = await lookAgain('laundered', [offerOf({ payTo }), dear, unread]);
    expect(stands_out).toEqual([
      expect.stringMatching(
        /^Also quoted: 5 USDC on Base; the endpoint quotes more than Dossier can read \(between [\d-]+ and [\d-]+\)\.$/,
      ),
    ]);
    expect(await historyOf('laundered')).toContain(
      'also quoted: 5 USDC on Base; the endpoint quotes more than',
    );
    const feed = await (await observed.directory.app.request('/changes?since=0')).text();
    expect(feed.split('\n').filter((line) => line.includes(handleAt('laundered')))).toEqual([
      expect.stringContaining('price.challenge'),
    ]);
    expect(await observed.directory.audit()).toEqual([]);
  });

  it('a price that is kept is not said to be paid to somebody who is not paid any more', async () => {
    const { lines, stands_out } = await lookAgain('kept', [offerOf({ payTo: mallory }), unread]);
    expect(lines.costs).toContain('or 0.02 USDC (20000 of');
    expect(lines.costs).toMatch(/, of which checks since [\d-]+ saw at most a part /);
    expect(lines.costs).toContain(mallory);
    expect(lines.costs).not.toContain(numbered(36));
    expect(stands_out).toEqual([
      expect.stringMatching(
        /^It also asks to be paid at `0x2{40}`; the endpoint quotes more than Dossier can read \(between /,
      ),
    ]);
    expect((await check('kept', offerOf({ payTo: mallory }))).states).toMatchObject({ payee: 'new' });
    expect((await check('kept', offerOf({ payTo: numbered(36) }))).states).toMatchObject({
      payee: 'seen_until',
    });
  });

  it('an answer in which nothing can be read says neither that nobody was paid nor that somebody is new', async () => {
    await lookAgain('unreadable', [unread]);
    const { lines, stands_out } = await lookAgain('unreadable', [offerOf({ payTo: numbered(32) })]);
    expect(stands_out).toBeUndefined();
    expect(lines.costs).toMatch(/0.01 USDC .*, paid to `0x0{38}32`/);
    expect(await historyOf('unreadable')).not.toContain('Address that is paid');
  });

  const usdcOf = (amount: string, payee: number) => offerOf({ amount, payTo: numbered(payee) });
  const raised = /rice raised from 20000 of `0x60\w+` to 900000000 of `0x60/;

  it('a change of one offer hides no later change of an offer that the part lacks', async () => {
    await lookAgain('nudged', [usdcOf('11000', 41), unread]);
    await lookAgain('nudged', [usdcOf('11000', 41), ofEuro('900000000', 41), unread]);
    expect(await historyOf('nudged')).toMatch(raised);
    const { stands_out } = await lookAgain('nudged', [usdcOf('11000', 41), ofEuro('900000000', 41)]);
    expect(stands_out?.join('\n')).toMatch(raised);
  });

  it('nor does an answer in which nothing could be read', async () => {
    await lookAgain('again', [unread]);
    const { stands_out } = await lookAgain('again', [usdcOf('10000', 42), unread]);
    expect(stands_out).toBeUndefined();
    expect(JSON.stringify(await call('get_agent', { handle: handleAt('again') }))).not.toContain(
      'a different price',
    );
    await lookAgain('again', [usdcOf('10000', 42), ofEuro('900000000', 42), unread]);
    expect(await historyOf('again')).toMatch(raised);
  });

  it('nor does a smaller part of a quote that was never read as a whole', async () => {
    await lookAgain('never', [usdcOf('10000', 43), unread]);
    await lookAgain('never', [usdcOf('10000', 43), ofEuro('900000000', 43), unread]);
    expect(await historyOf('never')).toMatch(raised);
  });

  it('an offer that comes back as it was is no change, and one that a whole quote lacks is', async () => {
    await lookAgain('back', [usdcOf('11000', 44), unread]);
    const { stands_out } = await lookAgain('back', [usdcOf('11000', 44), ofEuro('20000', 44)]);
    expect(stands_out?.join('\n')).toMatch(/Price raised from 0\.01 USDC to 0\.011 USDC/);
    expect(stands_out?.join('\n')).not.toContain('20000');
    await lookAgain('back', [usdcOf('11000', 44), unread]);
    await lookAgain('back', [usdcOf('12000', 44), unread]);
    const whole = await lookAgain('back', [usdcOf('12000', 44)]);
    expect(whole.stands_out?.join('\n')).toMatch(/No longer quoted: 20000 of `0x60\w+` on Base/);
    expect(await observed.directory.audit()).toEqual([]);
  });

  it('a payee who was read last is not replaced by another one who is read besides', async () => {
    const both = [offerOf({ payTo: numbered(33) }), offerOf({ payTo: numbered(34), amount: '20000' })];
    const { stands_out } = await lookAgain('joined', both);
    expect(stands_out).toEqual([
      expect.stringMatching(
        /^It also asks to be paid at `0x0{38}34`; before, the endpoint quoted more than Dossier could read \(between /,
      ),
    ]);
    expect((await lookAgain('joined', [both[1] ?? {}, unread])).stands_out?.[0]).toMatch(/last seen on/);
    expect(await historyOf('joined')).not.toContain('no longer paid');
  });
});
