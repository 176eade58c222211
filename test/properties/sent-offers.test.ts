import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSentOffers } from '../../src/observations/known/prices/sent.ts';

const usual = '0x1111111111111111111111111111111111111111';
const other = '0x2222222222222222222222222222222222222222';

const offerTo = (payTo: string) => ({
  scheme: 'exact',
  network: 'eip155:8453',
  payTo,
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  amount: '10000',
});
const base64 = (one: unknown) => Buffer.from(JSON.stringify(one)).toString('base64');
const challengeTo = (recipient: string) =>
  `Payment id="1", realm="x", method="tempo", intent="charge", request="${base64({ amount: '1', currency: 'usd', recipient }).replaceAll(/=+$/g, '')}"`;

/** The forms in which an agent may have a request for a payment. */
const forms: readonly ((payTo: string) => unknown)[] = [
  (payTo) => offerTo(payTo),
  (payTo) => ({
    x402Version: 2,
    resource: { url: `https://${payTo}.example/mcp` },
    accepts: [offerTo(payTo)],
  }),
  (payTo) => ({ x402Version: 1, accepts: [{ ...offerTo(payTo), resource: `https://${payTo}.example/mcp` }] }),
  (payTo) => base64({ x402Version: 2, accepts: [offerTo(payTo)] }),
  (payTo) => challengeTo(payTo),
  (payTo) => ({
    challenges: [
      { method: 'tempo', intent: 'charge', request: { amount: '1', currency: 'usd', recipient: payTo } },
    ],
  }),
];

/** What clients and servers put around one. */
const wrappings: readonly ((inner: unknown) => unknown)[] = [
  (inner) => inner,
  (inner) => [inner],
  (inner) => ({ structuredContent: inner, isError: true }),
  (inner) => ({
    content: [{ type: 'text', text: typeof inner === 'string' ? inner : JSON.stringify(inner) }],
  }),
  (inner) => ({ jsonrpc: '2.0', id: 1, result: inner }),
  (inner) => ({ jsonrpc: '2.0', id: 1, error: { code: 402, data: inner } }),
  (inner) => ({ _meta: { 'org.paymentauth/payment-required': inner } }),
  (inner) => ({ status: 402, headers: { 'Content-Type': 'application/json' }, body: inner }),
  (inner) => (typeof inner === 'string' ? inner : JSON.stringify(inner)),
];

const placed = (payTo: string) =>
  fc
    .tuple(fc.constantFrom(...forms), fc.array(fc.constantFrom(...wrappings), { maxLength: 2 }))
    .map(([form, around]) => around.reduce<unknown>((inner, wrap) => wrap(inner), form(payTo)));

/** Ways to send two requests at once. */
const joinings: readonly ((one: unknown, two: unknown) => unknown)[] = [
  (one, two) => [one, two],
  (one, two) => ({ structuredContent: one, content: [{ type: 'text', text: JSON.stringify(two) }] }),
  (one, two) => ({ error: { data: one }, result: two }),
  (one, two) => ({ headers: { 'payment-required': one }, body: two }),
  (one, two) => ({ body: one, 'www-authenticate': two }),
  (one, two) => ({ ...offerTo(usual), data: one, body: two }),
  (one, two) => JSON.stringify([one, two]),
];

it('wherever a request for another payment is beside the usual one, both are read', () => {
  const sent = fc.tuple(placed(usual), placed(other), fc.constantFrom(...joinings), fc.boolean());
  fc.assert(
    fc.property(sent, ([one, two, join, isTurned]) => {
      const read = readSentOffers(isTurned ? join(two, one) : join(one, two));
      const payees = new Set(read?.offers.map(({ pay_to }) => pay_to));
      expect(payees).toEqual(new Set([usual, other]));
      expect(read?.count).toBeGreaterThanOrEqual(2);
    }),
    { numRuns: 2000 },
  );
});

it('of any number of offers, the only one that is another is among those that are compared', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (before, after) => {
      const offers = [...Array(before).fill(usual), other, ...Array(after).fill(usual)].map(offerTo);
      const read = readSentOffers({ accepts: offers });
      expect(read?.offers.find(({ pay_to }) => pay_to === other)?.number).toBe(before + 1);
      expect(read?.offers.length).toBeLessThanOrEqual(20);
      expect(read?.count).toBe(before + after + 1);
    }),
  );
});
