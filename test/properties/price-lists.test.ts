import fc from 'fast-check';
import { expect, it } from 'vitest';
import { own, toText, type Words } from '../../src/core/words.ts';
import { canonicalDigest } from '../../src/log/leaf.ts';
import { kindOf } from '../../src/observations/known/kinds.ts';
import { type Offer, statesOffers } from '../../src/observations/known/prices/offer.ts';

const addresses = ['0xa1', '0xb2', '0xc3'];
const payee = fc.record(
  { address: fc.constantFrom(...addresses), amount: fc.constantFrom('1', '2') },
  { requiredKeys: ['address'] },
);
const offer: fc.Arbitrary<Offer> = fc.record(
  {
    amount: fc.constantFrom('1', '2', '30', 'dynamic'),
    asset: fc.constantFrom('0x01', '0x02'),
    network: fc.constantFrom('eip155:1', 'eip155:8453'),
    scheme: fc.constant('exact'),
    pays: fc.uniqueArray(payee, { minLength: 1, maxLength: 2, selector: ({ address }) => address }),
    for: fc.constantFrom('find', 'send'),
    unreadable: fc.constantFrom('aa', 'bb'),
  },
  { requiredKeys: [] },
);
const list = fc.array(offer, { minLength: 1, maxLength: 6 });

/** Two lists that are made apart, or two whose payees changed places. */
const lists = fc.oneof(
  fc.tuple(list, list),
  list.chain((was) => {
    const paid = was.map(({ pays }) => pays);
    const moved = fc.shuffledSubarray(paid, { minLength: paid.length });
    return moved.map((now): [Offer[], Offer[]] => [
      was,
      was.map(({ pays: _, ...one }, at) => ({ ...one, ...(now[at] && { pays: now[at] }) })),
    ]);
  }),
);

const kind = kindOf('price.offers');
const place = fc.constantFrom('quote' as const, 'x402' as const);
type Place = 'quote' | 'x402';

function compare(of: Place, was: readonly Offer[], is: readonly Offer[]) {
  const before = statesOffers(of, was);
  const after = statesOffers(of, is);
  const difference = kind?.difference?.(before.whole, after.whole) ?? { items: [], counts: {} };
  const kept = { items: difference.items.slice(0, 20), counts: { ...difference.counts } };
  const value_digest = canonicalDigest({ value: before.whole });
  const seen = { outcome: 'seen' as const, seen_until: '2026-11-01T00:00:00Z', difference: kept };
  const from = { ...seen, value: before.value, value_digest };
  const now = { value: after.value, value_digest: canonicalDigest({ value: after.whole }) };
  const words: Words | undefined = kind?.sayChange?.(from, now, own('now'));
  return {
    ...difference,
    isEqual: value_digest === now.value_digest,
    said: words && toText(words),
    weight: kind?.weighChange?.(from, now) ?? 0,
    from: before.whole as unknown as { readonly offers: Offer[] },
    to: after.whole as unknown as { readonly offers: Offer[] },
  };
}

it('two lists of offers that differ in anything have words for it, and equal ones have none', () => {
  fc.assert(
    fc.property(place, lists, (of, [was, is]) => {
      const { said, isEqual, items } = compare(of, was, is);
      expect([said === undefined, items.length === 0]).toEqual([isEqual, isEqual]);
      expect(compare(of, was, was.toReversed())).toMatchObject({ items: [], said: undefined });
    }),
    { numRuns: 2000 },
  );
});

it('the difference leads from the first list to the second', () => {
  fc.assert(
    fc.property(lists, ([was, is]) => {
      const { items, counts, from, to } = compare('x402', was, is);
      const changes = items as readonly { readonly was?: Offer; readonly is?: Offer }[];
      const textsOf = (all: readonly (Offer | undefined)[]) =>
        all.flatMap((one) => (one ? [canonicalDigest(one)] : []));
      const gone = new Set(textsOf(changes.map((one) => one.was)));
      const left = textsOf(from.offers).filter((one) => !gone.has(one));
      expect([...left, ...textsOf(changes.map((one) => one.is))].sort()).toEqual(textsOf(to.offers).sort());
      expect(Object.values(counts).reduce((sum, one) => sum + one, 0)).toBe(items.length);
    }),
    { numRuns: 2000 },
  );
});

it('a payee that a list did not name before is named, and weighs most', () => {
  fc.assert(
    fc.property(place, list, list, (of, was, is) => {
      const { said, weight } = compare(of, was, is);
      const paidBy = (all: readonly Offer[]) =>
        new Set(all.flatMap(({ pays = [] }) => pays.map(({ address }) => address)));
      const came = paidBy(is).difference(paidBy(was));
      for (const address of came) expect(said).toContain(address);
      if (came.size > 0) expect(weight).toBe(4);
    }),
    { numRuns: 2000 },
  );
});
