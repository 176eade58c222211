import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toText } from '../../src/core/words.ts';
import { compareRuns } from '../../src/observations/compare.ts';
import { passGate } from '../../src/observations/gate.ts';
import { priceChallenge } from '../../src/observations/kinds/prices/offer.ts';
import { offersChange, type PaidOffer, toPaidOffers } from '../../src/observations/kinds/prices/offers.ts';

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

/** The same offers as another version of a protocol spells them. */
const respell = ({ asset, network, ...offer }: PaidOffer): PaidOffer => ({
  ...offer,
  asset: asset.startsWith('0x') ? `0x${asset.slice(2).toUpperCase()}` : asset,
  network: network === 'base' ? 'eip155:8453' : network === 'eip155:8453' ? 'base' : network,
});

const unitOf = ({ asset, network, scheme }: PaidOffer) => [asset, network, scheme].join(' ');

describe('what is said of a price that changed', () => {
  it('is nothing where the same offers come in another order or another spelling', () => {
    fc.assert(
      fc.property(offers, fc.nat(), (some, turn) => {
        const other = some.map((_, at) => some[(at + turn) % some.length] as PaidOffer).map(respell);
        expect(toPaidOffers(other)).toEqual(toPaidOffers(some));
        expect(offersChange(toPaidOffers(some), toPaidOffers(other))).toBeUndefined();
      }),
    );
  });

  it('names no value twice, and something wherever the offers differ', () => {
    fc.assert(
      fc.property(offers, offers, (first, second) => {
        const was = toPaidOffers(first);
        const now = toPaidOffers(second);
        const said = offersChange(was, now);
        expect(said === undefined).toBe(JSON.stringify(was) === JSON.stringify(now));
        const clauses = said === undefined ? [] : toText(said).split('. ');
        for (const clause of clauses) {
          const [, before, after] = /^Price \w+ from (.*) to (.*)$/.exec(clause) ?? [];
          if (before !== undefined) expect([before, after?.startsWith(before)]).toEqual([before, false]);
        }
        expect(new Set(clauses).size).toBe(clauses.length);
      }),
    );
  });

  it('is raised or lowered only within one asset, network and scheme, compared as whole numbers', () => {
    fc.assert(
      fc.property(offers, offers, (first, second) => {
        const was = toPaidOffers(first);
        const now = toPaidOffers(second);
        const said = offersChange(was, now);
        const text = said === undefined ? '' : toText(said);
        const pairs = was.flatMap((a) =>
          now.filter((b) => unitOf(a) === unitOf(b)).map((b) => BigInt(b.amount) - BigInt(a.amount)),
        );
        if (text.includes('raised')) expect(pairs.some((difference) => difference > 0n)).toBe(true);
        if (text.includes('lowered')) expect(pairs.some((difference) => difference < 0n)).toBe(true);
      }),
    );
  });

  it('is no change of the stored fact where only order, spelling or payee differ', () => {
    const stamp = { vantage: '', at: '2026-11-01T00:00:00.000Z' };
    const later = { vantage: '', at: '2026-11-02T00:00:00.000Z' };
    const factOf = (some: readonly PaidOffer[], pay_to: string) =>
      passGate(priceChallenge, {
        value: toPaidOffers(some),
        outcome: 'seen' as const,
        source: 'Dossier',
        details: { offers: some.map((offer) => ({ ...offer, pay_to })) },
      });
    fc.assert(
      fc.property(offers, (some) => {
        const { observations } = compareRuns([], [factOf(some, '0xaa')], stamp);
        const again = compareRuns(observations, [factOf(some.map(respell).toReversed(), '0xbb')], later);
        expect(again.changes).toEqual([]);
        expect(again.observations[0]).not.toHaveProperty('changed_from');
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
    const said = offersChange(toPaidOffers([offer(before)]), toPaidOffers([offer(after)]));
    expect(said && toText(said)).toBe(text);
  });

  it('says of another asset, network or scheme that the price changed', () => {
    const [was] = toPaidOffers([{ amount: '20000', asset: usdc.base, network: 'base', scheme: 'exact' }]);
    const now = toPaidOffers([{ amount: '500', asset: other, network: 'eip155:84532', scheme: 'upto' }]);
    const said = was && offersChange([was], now);
    expect(said && toText(said)).toBe(
      `Price changed from 0.02 USDC on Base to 500 of \`${other.toLowerCase()}\` (scheme \`upto\`) on Base Sepolia`,
    );
  });
});
