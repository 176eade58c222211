import { sql } from 'kysely';
import type { ReceiptKey, SeenReceiptKey } from '../../../evidence/claim/receipt-keys.ts';
import type { SeenKeys, SpentProof } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
import { precompileQuery } from '../precompiled-query.ts';

const readKeyRows = precompileQuery((db, handle: string) =>
  db.selectFrom('receipt_key').selectAll().where('handle', '=', handle).orderBy('valid_from').orderBy('kid'),
);

/** Keys for receipts of a listing, oldest first. */
export const readReceiptKeys = async (db: Db, handle: string): Promise<ReceiptKey[]> =>
  (await readKeyRows(db, handle)).map(({ kid, jwk, valid_from, valid_until, kind, place, commit_id }) => ({
    ...{ kid, jwk: JSON.parse(jwk) as ReceiptKey['jwk'], valid_from },
    ...(valid_until !== null && { valid_until }),
    ...{ kind, place },
    ...(commit_id !== null && { commit: commit_id }),
  }));

type KeyLine = Pick<SeenReceiptKey, 'kid' | 'jwk'>;
const isSame = (a: KeyLine, b: KeyLine) => a.kid === b.kid && JSON.stringify(a.jwk) === JSON.stringify(b.jwk);

/** Ends keys that are gone, or that have another value under their name. */
const endKeys = (db: Db, handle: string, { kids, at }: { readonly kids: string[]; readonly at: string }) =>
  db
    .updateTable('receipt_key')
    .set({ valid_until: at })
    .where('handle', '=', handle)
    .where('valid_until', 'is', null)
    .where('kid', 'in', kids)
    .execute();

const mostKeys = 50;

/** Keeps the newest fifty keys, those that are published first: who publishes others every minute loses only their own old ones. */
const deleteOldest = (db: Db, handle: string) =>
  db
    .deleteFrom('receipt_key')
    .where('handle', '=', handle)
    .where(({ eb, selectFrom, refTuple }) =>
      eb(
        refTuple('kid', 'valid_from'),
        'in',
        selectFrom('receipt_key as other')
          .select(['other.kid', 'other.valid_from'])
          .where('other.handle', '=', handle)
          .orderBy(sql`other.valid_until is null`, 'desc')
          .orderBy('other.valid_from', 'desc')
          .orderBy('other.kid')
          .limit(1_000_000)
          .offset(mostKeys)
          .$asTuple('kid', 'valid_from'),
      ),
    )
    .execute();

const addKeys = (db: Db, handle: string, { keys, at }: Pick<SeenKeys, 'keys' | 'at'>) =>
  db
    .insertInto('receipt_key')
    .values(
      keys.map(({ kid, jwk, kind, place, commit }) => ({
        ...{ handle, kid, jwk: JSON.stringify(jwk), valid_from: at, valid_until: null },
        ...{ kind, place, commit_id: commit ?? null },
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['handle', 'kid', 'valid_from']).doUpdateSet(({ ref }) => ({
        jwk: ref('excluded.jwk'),
        valid_until: null,
        ...{ kind: ref('excluded.kind'), place: ref('excluded.place'), commit_id: ref('excluded.commit_id') },
      })),
    )
    .execute();

/**
 * Brings the keys of a listing up to date (contract/ratings.ts); writes nothing where they are the same. Returns whether
 * that changed any.
 */
export async function writeReceiptKeys(
  db: Db,
  handle: string,
  { keys, at, isComplete }: SeenKeys,
): Promise<boolean> {
  const live = (await readReceiptKeys(db, handle)).filter(({ valid_until }) => valid_until === undefined);
  const added = keys.filter((key) => !live.some((one) => isSame(one, key)));
  const isGone = (key: ReceiptKey) =>
    added.some(({ kid }) => kid === key.kid) || (isComplete && !keys.some((one) => isSame(one, key)));
  const kids = live.filter(isGone).map(({ kid }) => kid);
  if (kids.length > 0) await endKeys(db, handle, { kids, at });
  if (added.length > 0) {
    await addKeys(db, handle, { keys: added, at });
    await deleteOldest(db, handle);
  }
  return kids.length + added.length > 0;
}

/** Uses up a proof; the newest version that has it keeps it when an older one is erased. False if another rating used it. */
export async function spendProof(db: Db, { digest, rating_id, versions }: SpentProof): Promise<boolean> {
  const used = await db
    .insertInto('spent_proof')
    .values({ digest, rating_id })
    .onConflict((conflict) =>
      conflict
        .column('digest')
        .doUpdateSet({ rating_id })
        .where('spent_proof.rating_id', 'in', [rating_id, ...versions]),
    )
    .returning('rating_id')
    .executeTakeFirst();
  return used !== undefined;
}

/** Forgets the proof of an erased rating. */
export const forgetProof = (db: Db, ratingId: string) =>
  db.deleteFrom('spent_proof').where('rating_id', '=', ratingId).execute();
