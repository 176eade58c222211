import fc from 'fast-check';
import { expect, it } from 'vitest';
import { own, toText } from '../../src/core/words.ts';
import { kindOf } from '../../src/observations/kinds.ts';

const payees = ['0xa1', '0xb2', '0xc3'];
const offer = fc.record({
  amount: fc.constantFrom('1', '2', '30'),
  asset: fc.constantFrom('0x01', '0x02'),
  network: fc.constantFrom('eip155:1', 'eip155:8453'),
  scheme: fc.constant('exact'),
  pay_to: fc.constantFrom(...payees),
  tool: fc.constantFrom('find', 'send'),
});
const list = fc.uniqueArray(offer, {
  minLength: 1,
  maxLength: 6,
  selector: (one) => JSON.stringify(one),
});
type List = typeof list extends fc.Arbitrary<infer T> ? T : never;

/** Two lists that are made apart, or two whose payees changed places. */
const lists = fc.oneof(
  fc.tuple(list, list),
  list.chain((was) => {
    const paid = was.map(({ pay_to }) => pay_to);
    const moved = fc.shuffledSubarray(paid, { minLength: paid.length });
    return moved.map((now): [List, List] => {
      const is = was.map((one, at) => ({ ...one, pay_to: now[at] ?? one.pay_to }));
      return [was, [...new Map(is.map((one) => [JSON.stringify(one), one])).values()]];
    });
  }),
);

const sorted = (offers: List) => offers.map((one) => JSON.stringify(one)).toSorted();
const kind = kindOf('price.x402');
const before = (value: List) => ({ value, outcome: 'seen' as const, seen_until: '2026-11-01T00:00:00Z' });
const said = (was: List, is: List) => {
  const words = kind?.sayChange?.(before(was), { value: is }, own('now'));
  return words && toText(words);
};

it('two price lists that differ in anything have words for it, and equal ones have none', () => {
  fc.assert(
    fc.property(lists, ([was, is]) => {
      const isEqual = sorted(was).join() === sorted(is).join();
      expect(said(was, is) === undefined).toBe(isEqual);
      expect(said(was, was.toReversed())).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

it('a payee that a price list did not name before is named, and weighs most', () => {
  fc.assert(
    fc.property(list, list, (was, is) => {
      const known = new Set(was.map(({ pay_to }) => pay_to));
      const came = is.filter(({ pay_to }) => !known.has(pay_to));
      for (const { pay_to } of came) expect(said(was, is)).toContain(pay_to);
      if (came.length > 0) expect(kind?.weighChange?.(before(was), { value: is })).toBe(4);
    }),
    { numRuns: 2000 },
  );
});
