import { isPraise } from '../../evidence/rating/groups.ts';
import { recordedNames } from '../../evidence/rating/identity.ts';
import type { Rating } from '../../evidence/rating/rating.ts';
import { interestedRelationships, newSource_ms } from '../../evidence/rating/rating-rules.ts';
import { toRelation } from '../../evidence/rating/relation.ts';
import type { Transaction } from '../../store/store.ts';
import type { JudgedBasis, Sides, Submission } from './rating-record.ts';

/**
 * What decides the group of a submission, after `earlier` versions of the same control root. Whether it is half of a
 * reciprocal pair is settled once it is stored.
 */
export async function judgeBasis(
  tx: Transaction,
  { source, subject }: Sides,
  { submission: { content, now }, earlier }: { submission: Submission; earlier: readonly Rating[] },
): Promise<JudgedBasis> {
  const { root, first_proved_at } = source.claim;
  const first_created_at = earlier[0]?.first_created_at ?? now.toISOString();
  const rating = {
    ...{ source_handle: source.handle, source_root: root, subject_handle: subject.handle },
    first_created_at,
  };
  const recorded = await tx.ratings.identities(source.handle, subject.handle);
  const critic = isPraise(content) ? undefined : await tx.listings.byHandle(source.handle);
  return {
    ...toRelation(rating, recorded, critic && recordedNames(critic)),
    declared_interest:
      interestedRelationships.includes(content.relationship) ||
      earlier.some((version) => version.declared_interest),
    reciprocal: false,
    new_until: new Date(Date.parse(first_proved_at) + newSource_ms).toISOString(),
    first_created_at,
  };
}
