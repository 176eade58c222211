import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPairs } from '../../src/ratings/pairs.ts';
import { makeListing, makeRating } from '../store/examples.ts';
import { createDatabase, openDatabase } from '../support/database.ts';
import { partOf } from '../support/long.ts';
import { opened } from '../support/opened.ts';

const store = await opened(openDatabase(await createDatabase()));

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('rate' as const),
      from: name,
      to: name,
      first: fc.nat(200),
      later: fc.nat(200),
      outcome: fc.constantFrom('succeeded', 'succeeded', 'failed'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constantFrom('withdraw', 'void', 'count'), which: fc.nat(20) }),
  },
  fc.record({ act: fc.constant('prove' as const), listing: name, holder: name }),
  fc.record({
    act: fc.constant('claim' as const),
    listing: name,
    state: fc.constantFrom('claimed', 'suspended'),
    root_generation: fc.nat(1),
  }),
);

const day_ms = 86_400_000;
const onDay = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * day_ms).toISOString();
const later = onDay(2000);

interface Made {
  readonly id: string;
  readonly source_root: string;
  readonly subject_handle: string;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly isPraise: boolean;
  isWithdrawn: boolean;
  isVoided: boolean;
  source_ended_at: string | null;
}

const claimAt = (handle: string, at: string) => ({
  handle,
  claimed_at: at,
  kind: 'repository' as const,
  place: 'https://github.com/x/y',
  place_key: 'github.com/x/y',
  first_proved_at: at,
  checked_at: at,
});

let made = 0;

it('after any writes, the columns of all ratings are those that follow from what is stored', async () => {
  let pairs = 0;
  let alone = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
      const run = made++;
      const handleOf = (of: string) => `io.github.${of}${run}/t`;
      const rootOf = (of: string) => `github.com/${of}${run}`;
      const holders = new Map(names.map((of) => [handleOf(of), new Set([rootOf(of)])]));
      const ratings: Made[] = [];
      await store.write(async (tx) => {
        await tx.listings.putListings(names.map((of, at) => makeListing(handleOf(of), run * 10 + at)));
        await tx.ratings.putIdentities(
          names.map((of) => ({
            handle: handleOf(of),
            kind: 'proven' as const,
            value: rootOf(of),
            first_imported_at: onDay(0),
          })),
        );
      });
      for (const taken of steps)
        await store.write(async (tx) => {
          if (taken.act === 'rate') {
            if (taken.from === taken.to) return;
            const id = `${run}-${made++}`;
            const first_created_at = onDay(taken.first);
            const created_at = onDay(taken.first + taken.later);
            const rating = makeRating(id, {
              source_handle: handleOf(taken.from),
              source_root: rootOf(taken.from),
              subject_handle: handleOf(taken.to),
              outcome: taken.outcome as 'failed',
              log_index: made,
              created_at,
              first_created_at,
              praised_at: taken.outcome === 'succeeded' ? created_at : undefined,
            });
            await tx.ratings.insert(rating);
            await tx.ratings.settlePairs(rating);
            const isPraise = taken.outcome === 'succeeded';
            ratings.push({
              id,
              source_root: rating.source_root,
              subject_handle: rating.subject_handle,
              from_ms: Date.parse(first_created_at),
              until_ms: Date.parse(isPraise ? created_at : first_created_at) + 90 * day_ms,
              isPraise,
              isWithdrawn: false,
              isVoided: false,
              source_ended_at: null,
            });
          } else if (taken.act === 'claim') {
            const handle = handleOf(taken.listing);
            const at = onDay(1000 + made++);
            const state = taken.state as 'claimed';
            const root = { root: rootOf(taken.listing), root_generation: taken.root_generation };
            await tx.claims.putClaim({ ...claimAt(handle, at), ...root, state });
            await tx.ratings.followClaim(handle, at);
            const isHeld = state === 'claimed' && taken.root_generation === 0;
            for (const rating of ratings)
              if (rating.source_root === root.root)
                rating.source_ended_at = isHeld ? null : (rating.source_ended_at ?? at);
          } else if (taken.act === 'prove') {
            await tx.ratings.addHolder(handleOf(taken.listing), { root: rootOf(taken.holder), at: later });
            holders.get(handleOf(taken.listing))?.add(rootOf(taken.holder));
          } else {
            const rating = ratings[taken.which % Math.max(ratings.length, 1)];
            if (!rating) return;
            if (taken.act === 'withdraw') {
              await tx.ratings.end(rating.id, { withdrawn_at: later, withdrawn_by: made++ });
              rating.isWithdrawn = true;
            } else if (taken.act === 'count' || !rating.isWithdrawn) {
              await tx.ratings.setVoided(rating.id, taken.act === 'void' ? later : undefined);
              rating.isVoided = taken.act === 'void';
            }
          }
        });
      const all = createPairs((handle) => holders.get(handle) ?? []);
      for (const rating of ratings) if (!rating.isWithdrawn) all.add(rating);
      for (const of of names) {
        const shown = await store.ratings.list(handleOf(of), { limit: 100, now: later });
        for (const { rating_id, flags } of shown) {
          const rating = ratings.find(({ id }) => id === rating_id);
          const isCurrent = !rating?.isWithdrawn && !rating?.isVoided;
          expect([rating_id, flags !== undefined]).toEqual([rating_id, isCurrent]);
          if (!rating || !flags) continue;
          const isPair = rating.isPraise && all.has(rating);
          pairs += Number(isPair);
          alone += Number(!isPair);
          expect([rating_id, flags.includes('reciprocal')]).toEqual([rating_id, isPair]);
        }
        const derived = await store.ratings.derived(handleOf(of), { limit: 100 });
        for (const { id, is_current, pair_until, source_ended_at } of derived) {
          const rating = ratings.find((one) => one.id === id);
          expect([id, is_current]).toEqual([id, rating?.isWithdrawn || rating?.isVoided ? 0 : 1]);
          expect([id, source_ended_at]).toEqual([id, rating?.source_ended_at]);
          expect([id, Date.parse(pair_until)]).toEqual([id, rating?.until_ms]);
        }
      }
    }),
    { numRuns: partOf(60, 300) },
  );
  // Otherwise it would say nothing.
  expect(pairs).toBeGreaterThan(0);
  expect(alone).toBeGreaterThan(0);
});
