import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { own, toText } from '../../src/core/words.ts';
import { canonicalDigest } from '../../src/log/leaf.ts';
import { passGate, withPacked } from '../../src/observations/known/gate.ts';
import { offersDifference } from '../../src/observations/known/prices/difference.ts';
import { statesOffers, toOffer, unitOf } from '../../src/observations/known/prices/offer.ts';
import { priceOffers } from '../../src/observations/known/prices/offers.ts';
import { recordRun } from '../../src/observations/known/recording.ts';
import { states } from '../../src/observations/known/timeline/timeline.ts';

const usdc = {
  base: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  baseSepolia: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
};
const other = `0x${'aB'.repeat(20)}`;
const networks = [
  'eip155:8453',
  'base',
  'eip155:84532',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'elsewhere',
];

const quoted = fc.record({
  amount: fc.oneof(
    fc.constantFrom('10000', '20000', '0', '9007199254740993', '9007199254740992'),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
  ),
  asset: fc.constantFrom(usdc.base, usdc.baseSepolia, usdc.base.toLowerCase(), other, 'EURC'),
  network: fc.constantFrom(...networks),
  scheme: fc.constantFrom('exact', 'exact', 'upto'),
});
const offers = fc.array(quoted, { minLength: 1, maxLength: 5 });

type Stated = Readonly<Record<'amount' | 'asset' | 'network' | 'scheme', string>>;

/** The same offers as another version of a protocol spells them. */
const respell = ({ asset, network, ...offer }: Stated): Stated => ({
  ...offer,
  asset: asset.startsWith('0x') ? `0x${asset.slice(2).toUpperCase()}` : asset,
  network: network === 'base' ? 'eip155:8453' : network === 'eip155:8453' ? 'base' : network,
});

const toFinding = (some: readonly Stated[]) =>
  statesOffers(
    'quote',
    some.map((one) => toOffer(one, [])),
  );

/** The words of the kind about a change from one quote to the other. */
function said(first: readonly Stated[], second: readonly Stated[]): string | undefined {
  const was = toFinding(first);
  const now = toFinding(second);
  const before = { outcome: 'seen' as const, seen_until: '2026-11-01T00:00:00Z', value: was.value };
  const difference = offersDifference(was.whole, now.whole);
  const kept = { items: difference.items.slice(0, 20), counts: difference.counts };
  const digestOf = ({ whole: value }: typeof was) => canonicalDigest({ value });
  const words = priceOffers.sayChange?.(
    { ...before, value_digest: digestOf(was), difference: kept },
    { value: now.value, value_digest: digestOf(now) },
    own('now'),
  );
  return words && toText(words).replace(/ \(now\)$/, '');
}

describe('what is said of a price that changed', () => {
  it('is nothing where the same offers come in another order or another spelling', () => {
    fc.assert(
      fc.property(offers, fc.nat(), (some, turn) => {
        const other = some.map((_, at) => some[(at + turn) % some.length] as Stated).map(respell);
        expect(toFinding(other)).toEqual(toFinding(some));
        expect(said(some, other)).toBeUndefined();
      }),
    );
  });

  it('names no value twice, and something wherever the offers differ', () => {
    fc.assert(
      fc.property(offers, offers, (first, second) => {
        const text = said(first, second);
        const isSame = JSON.stringify(toFinding(first)) === JSON.stringify(toFinding(second));
        expect(text === undefined).toBe(isSame);
        const clauses = text === undefined ? [] : text.split('. ');
        for (const clause of clauses) {
          const [, before, after] = /^Price \w+ from (.*) to (.*)$/.exec(clause) ?? [];
          if (before !== undefined)
            expect([before, after === before || after?.startsWith(`${before} (`)]).toEqual([before, false]);
        }
        expect(new Set(clauses).size).toBe(clauses.length);
      }),
    );
  });

  it('is raised or lowered only within one asset, network and scheme, compared as whole numbers', () => {
    fc.assert(
      fc.property(offers, offers, (first, second) => {
        const [was, now] = [first, second].map((some) => some.map((one) => toOffer(one, [])));
        const text = said(first, second) ?? '';
        const differences = was?.flatMap((a) =>
          (now ?? [])
            .filter((b) => unitOf(a) === unitOf(b))
            .map((b) => BigInt(b.amount ?? 0) - BigInt(a.amount ?? 0)),
        );
        if (text.includes('raised')) expect(differences?.some((one) => one > 0n)).toBe(true);
        if (text.includes('lowered')) expect(differences?.some((one) => one < 0n)).toBe(true);
      }),
    );
  });

  it('is no change of the stored fact where only order or spelling differ', async () => {
    const stamp = { vantage: '', at: '2026-11-01T00:00:00.000Z' };
    const later = { vantage: '', at: '2026-11-02T00:00:00.000Z' };
    const factOf = (some: readonly Stated[]) =>
      withPacked(passGate(priceOffers, { ...toFinding(some), source: 'Dossier' }));
    await fc.assert(
      fc.asyncProperty(offers, async (some) => {
        const { timelines } = recordRun({ timelines: [] }, [await factOf(some)], stamp);
        const again = recordRun({ timelines }, [await factOf(some.map(respell).toReversed())], later);
        expect(again.changes).toEqual([]);
        expect(states(again.timelines[0]?.spans ?? [])).toHaveLength(1);
      }),
    );
  });

  it.each([
    ['1', '2', 'Price raised from 0.01 USDC to 0.02 USDC on Base'],
    [
      '9007199254740993',
      '9007199254740992',
      'Price lowered from 9007199254740993 of `x` to 9007199254740992 of `x` on `y`',
    ],
  ] as const)('compares %s with %s', (before, after, text) => {
    const isBase = before === '1';
    const offer = (amount: string) => ({
      amount: isBase ? `${amount}0000` : amount,
      asset: isBase ? usdc.base : 'x',
      network: isBase ? 'base' : 'y',
      scheme: 'exact',
    });
    expect(said([offer(before)], [offer(after)])).toBe(text);
  });

  it('says of another asset, network or scheme that the price changed', () => {
    const was = { amount: '20000', asset: usdc.base, network: 'base', scheme: 'exact' };
    const now = { amount: '500', asset: other, network: 'eip155:84532', scheme: 'upto' };
    expect(said([was], [now])).toBe(
      `Price changed from 0.02 USDC on Base to at most 500 of \`${other.toLowerCase()}\` (scheme \`upto\`) on Base Sepolia`,
    );
  });
});
