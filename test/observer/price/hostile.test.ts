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
  ['exponent', 'asks', /whole number/],
  ['negative', 'asks', /whole number/],
  ['number', 'asks', /whole number/],
  ['long', 'asks', /whole number/],
  ['bidi', 'asks', /plain identifiers/],
  ['garbage', 'asks', /a form that Dossier does not know/],
  ['none', 'asks', /HTTP 402\) and offered no way to pay\.$/],
  ['nested', 'otherwise', /more than 100,000 values/],
  ['proto', 'asks', /whole number/],
  ['quotes', 'asks', /a form that Dossier does not know|whole number/],
  ['spaces', 'asks', /a form that Dossier does not know|whole number/],
  ['inside', 'otherwise', /a redirect to another host, `169\.254\.169\.254` \(HTTP 307\) instead of MCP/],
])('%s ends as %s', async (name, outcome, reason) => {
  const [found] = await observed.look(name, 'price.challenge');
  expect(found).toMatchObject({ outcome, value: null, reason: expect.stringMatching(reason) });
});

it('shows twenty of 10,000 offers, and says so', async () => {
  const [found] = await observed.look('many', 'price.challenge');
  expect(found).toMatchObject({
    outcome: 'seen',
    reason: '10,000 offers were sent; Dossier shows the first 20 that it could read.',
  });
  expect(found?.details?.offers).toHaveLength(20);
});
