import { expect, it } from 'vitest';
import { startEndpoint, startModernServer } from '../../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../../support/endpoints/observed.ts';
import { startMppServer, startX402Server } from '../../support/endpoints/paid-endpoint.ts';
import { alice, offerOf, unknownToken } from '../../support/offers.ts';

/** A server that answers every POST with 402 and a body. */
const start402 = (body: string, headers: Record<string, string | string[]> = {}) =>
  startEndpoint((_, { method }, response) => {
    if (method === 'POST') void response.writeHead(402, headers).end(body);
    else response.writeHead(404).end();
  });
const versionOne = (accepts: unknown) => JSON.stringify({ x402Version: 1, error: 'pay', accepts });
const accepted = offerOf({ network: 'base', amount: undefined, maxAmountRequired: '10000' });

/** In version 1 and 2 of x402 alike. */
const onBase = {
  amount: '10000',
  scheme: 'exact',
  network: 'eip155:8453',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
};

const header = (accepts: unknown) =>
  Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64');
const startQuoting = (changed: Record<string, unknown>) =>
  start402('', { 'payment-required': header([offerOf(changed)]) });

const one = offerOf({ maxAmountRequired: '10000', maxTimeoutSeconds: undefined });
const observed = await openObserved({
  two: startX402Server(() => ({ dollars: '$0.01', payTo: alice })),
  one: start402(versionOne([accepted, { ...accepted, asset: unknownToken }])),
  mpp: startMppServer(),
  both: start402('', {
    'www-authenticate': [
      'Bearer realm="a, b"',
      `Payment id="1", method="stripe", intent="charge", request="${Buffer.from(JSON.stringify({ amount: '50', currency: 'usd' })).toString('base64url')}"`,
    ],
  }),
  free: startModernServer(() => [{ name: 'look_up', description: 'Looks up' }]),
  locked: startEndpoint((_, __, response) => void response.writeHead(401).end()),
  odd: start402('{"x402Version":9}'),
  header: startEndpoint((_, __, response) => {
    response.socket?.end(
      `HTTP/1.1 402 Payment Required\r\nPAYMENT-REQUIRED: ${'A'.repeat(10_000_000)}\r\n\r\n`,
    );
  }),
  crowd: start402(versionOne(Array.from({ length: 10_000 }, () => one))),
  different: start402(
    versionOne(Array.from({ length: 5000 }, (_, at) => ({ ...one, maxAmountRequired: `${at}` }))),
  ),
  endless: start402(
    versionOne(Array.from({ length: 14_000 }, (_, at) => ({ ...one, maxAmountRequired: `${at}` }))),
  ),
  exponent: startQuoting({ amount: '1e9' }),
  negative: startQuoting({ amount: '-10000' }),
  number: startQuoting({ amount: 10_000 }),
  long: startQuoting({ amount: '9'.repeat(79) }),
  nothing: start402('{"x402Version":2,"accepts":[]}'),
  bidi: startQuoting({ payTo: '0x1111\u202e2222' }),
  garbage: start402('', { 'payment-required': '%%%not base64%%%' }),
  nested: start402(`{"x402Version":1,"accepts":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
  proto: start402('{"x402Version":1,"accepts":[{"__proto__":{"scheme":"exact"}},null,7,"x"]}'),
  quotes: start402('', { 'www-authenticate': `Payment request="${'\\'.repeat(20_000)}` }),
  spaces: start402('', { 'www-authenticate': `Payment${' '.repeat(15_000)}"` }),
  inside: startEndpoint(
    (_, __, response) =>
      void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  ),
});

const quote = async (name: string) => (await observed.look(name, 'price.offers', 'quote'))[0];

it('shows the price of a real x402 server as it was quoted, and who is paid', async () => {
  expect(await quote('two')).toMatchObject({
    subject: 'https://two.example.com/mcp',
    question: 'price',
    outcome: 'seen',
    value: {
      place: 'quote',
      count: 1,
      offers: [{ ...onBase, pays: [{ address: alice }] }],
      payees: [{ address: alice, network: 'eip155:8453' }],
    },
  });
});

it('reads x402 version 1 from the body, dollars first', async () => {
  const { outcome, value } = (await quote('one')) ?? {};
  expect(outcome).toBe('seen');
  const pays = [{ address: alice }];
  expect(value).toMatchObject({
    count: 2,
    priced: 2,
    offers: [
      { ...onBase, pays },
      { ...onBase, asset: unknownToken, pays },
    ],
  });
});

it('shows the price of a real server of the Machine Payments Protocol', async () => {
  const { outcome, value } = (await quote('mpp')) ?? {};
  expect(outcome).toBe('seen');
  const asset = '0x20c000000000000000000000b9537d11c60e8b50';
  const pays = [{ address: '0x742d35cc6634c0532925a3b844bc9e7595f8fe00' }];
  expect(value).toMatchObject({
    offers: [{ amount: '10000', scheme: 'charge', network: 'eip155:4217', asset, pays }],
  });
  const page = await observed.directory.app.request(`/agents/${handleAt('mpp')}.md`);
  expect(await page.text()).toContain(
    `* Costs: Quotes for one request before it answers: 0.01 USDC.e (10000 of \`${asset}\`) (scheme \`charge\`) on Tempo Mainnet (\`eip155:4217\`), paid to`,
  );
});

it('reads a payment beside another way to authenticate, without a recipient', async () => {
  expect(await quote('both')).toMatchObject({
    outcome: 'seen',
    value: { offers: [{ amount: '50', asset: 'usd', network: 'stripe', scheme: 'charge' }], payees: [] },
  });
});

it('says that it saw no price, that credentials come first, or that it does not know the form', async () => {
  expect(await quote('free')).toMatchObject({
    outcome: 'nothing',
    value: null,
    reason: expect.stringContaining('a call may still cost'),
  });
  expect(await quote('locked')).toMatchObject({ outcome: 'asks', asks_for: 'credentials', value: null });
  expect(await quote('odd')).toMatchObject({
    outcome: 'asks',
    asks_for: 'payment',
    value: null,
    as_seen: { sha256_of_body: '7ae3e27ae7d9f26954d65e1241110c284c21e0f673f3f9bf49f6ddc46ee80f17' },
  });
});

it('a look that sees the same price is no change, although every challenge has its own id and end', async () => {
  const size = await observed.directory.store.log.size();
  observed.directory.wait(86_400);
  await observed.look('mpp', 'price.offers', 'quote');
  await observed.look('two', 'price.offers', 'quote');
  expect(await observed.directory.store.log.size()).toBe(size);
});

it('neither pays, nor calls a tool, nor sends a credential', () => {
  const sent = Object.values(observed.servers).flatMap((server) => server.sent);
  expect(sent.length).toBeGreaterThan(7);
  const named = ['authorization', 'cookie', 'x-payment', 'payment-signature'];
  expect(sent.filter(({ headers }) => named.some((name) => name in headers))).toEqual([]);
  expect(sent.filter(({ body }) => body.includes('tools/call'))).toEqual([]);
});

it.each([
  ['header', 'silent', /not HTTP within Dossier’s limits/],
  ['garbage', 'asks', /a form that Dossier does not know/],
  ['nothing', 'asks', /HTTP 402\) and offered no way to pay\.$/],
  ['nested', 'otherwise', /more than 100,000 values/],
  ['spaces', 'asks', /a form that Dossier does not know/],
  [
    'inside',
    'otherwise',
    /a redirect to another host, `169\.254\.169\.254` \(HTTP 307; Dossier did not follow it\) instead of MCP/,
  ],
])('%s ends as %s', async (name, outcome, reason) => {
  const [found] = await observed.look(name, 'price.offers', 'quote');
  expect(found).toMatchObject({ outcome, value: null, reason: expect.stringMatching(reason) });
});

it.each([
  ['exponent', { count: 1, priced: 0 }],
  ['negative', { count: 1, priced: 0 }],
  ['number', { count: 1, priced: 0 }],
  ['long', { count: 1, priced: 0 }],
  ['bidi', { count: 1, priced: 1, payees: [] }],
  ['proto', { count: 4, priced: 0, payees: [] }],
])('%s is an offer of which Dossier cannot read all, and it says so', async (name, value) => {
  const [found] = await observed.look(name, 'price.offers', 'quote');
  expect(found).toMatchObject({ outcome: 'seen', value: { ...value, unreadable: value.count } });
  expect(found?.reason).toContain(`could not read ${value.count} of the ${value.count} offers`);
});

it('of 10,000 equal offers there is one, and of 5,000 different ones all are compared and ten shown', async () => {
  const [equal] = await observed.look('crowd', 'price.offers', 'quote');
  expect(equal).toMatchObject({ outcome: 'seen', value: { count: 1 } });
  const [other] = await observed.look('different', 'price.offers', 'quote');
  expect(other).toMatchObject({ outcome: 'seen', value: { count: 5000 } });
  const { offers } = (other?.value ?? {}) as { offers?: object[] };
  expect(offers).toHaveLength(10);
});

it('more than 100,000 values are no price, and that it cannot be watched is said', async () => {
  const [found] = await observed.look('endless', 'price.offers', 'quote');
  expect(found).toMatchObject({ outcome: 'otherwise', value: null });
});
