import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEndpoint } from '../../support/endpoints/mcp-endpoint.ts';
import { type ObservedDirectory, openObserved } from '../../support/endpoints/observed.ts';

const accepted = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '10000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x1111111111111111111111111111111111111111',
};
const header = (accepts: unknown) =>
  Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64');
const start402 = (headers: Record<string, string>, body = '') =>
  startEndpoint((_, __, response) => void response.writeHead(402, headers).end(body));
const startQuoting = (changed: Record<string, unknown>) =>
  start402({ 'payment-required': header([{ ...accepted, ...changed }]) });

let observed: ObservedDirectory;

beforeAll(async () => {
  const one = { ...accepted, maxAmountRequired: '10000' };
  observed = await openObserved({
    header: await startEndpoint((_, __, response) => {
      response.socket?.end(
        `HTTP/1.1 402 Payment Required\r\nPAYMENT-REQUIRED: ${'A'.repeat(10_000_000)}\r\n\r\n`,
      );
    }),
    many: await start402(
      {},
      JSON.stringify({ x402Version: 1, accepts: Array.from({ length: 10_000 }, () => one) }),
    ),
    different: await start402(
      {},
      JSON.stringify({
        x402Version: 1,
        accepts: Array.from({ length: 5000 }, (_, at) => ({ ...one, maxAmountRequired: `${at}` })),
      }),
    ),
    endless: await start402(
      {},
      JSON.stringify({
        x402Version: 1,
        accepts: Array.from({ length: 14_000 }, (_, at) => ({ ...one, maxAmountRequired: `${at}` })),
      }),
    ),
    exponent: await startQuoting({ amount: '1e9' }),
    negative: await startQuoting({ amount: '-10000' }),
    number: await startQuoting({ amount: 10_000 }),
    long: await startQuoting({ amount: '9'.repeat(79) }),
    none: await start402({}, '{"x402Version":2,"accepts":[]}'),
    bidi: await startQuoting({ payTo: '0x1111\u202e2222' }),
    garbage: await start402({ 'payment-required': '%%%not base64%%%' }),
    nested: await start402({}, `{"x402Version":1,"accepts":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
    proto: await start402({}, '{"x402Version":1,"accepts":[{"__proto__":{"scheme":"exact"}},null,7,"x"]}'),
    quotes: await start402({ 'www-authenticate': `Payment request="${'\\'.repeat(20_000)}` }),
    spaces: await start402({ 'www-authenticate': `Payment${' '.repeat(15_000)}"` }),
    inside: await startEndpoint(
      (_, __, response) =>
        void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
    ),
  });
});
afterAll(() => observed.close());

it.each([
  ['header', 'silent', /not HTTP within Dossier’s limits/],
  ['garbage', 'asks', /a form that Dossier does not know/],
  ['none', 'asks', /HTTP 402\) and offered no way to pay\.$/],
  ['nested', 'otherwise', /more than 100,000 values/],
  ['spaces', 'asks', /a form that Dossier does not know/],
  ['inside', 'otherwise', /a redirect to another host, `169\.254\.169\.254` \(HTTP 307\) instead of MCP/],
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
  const [equal] = await observed.look('many', 'price.offers', 'quote');
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
