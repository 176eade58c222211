import type { Rating } from '../../evidence/rating/rating.ts';
import { newSource_ms, ratingWindow_ms } from '../../evidence/rating/rating-rules.ts';
import { toRelation } from '../../evidence/rating/relation.ts';
import type { OppositeRating } from '../../store/contract/ratings.ts';
import type { Transaction } from '../../store/store.ts';
import type { JudgedBasis, Sides, Submission } from './rating-record.ts';

const interested: readonly string[] = ['paid', 'partner', 'vendor'];

/** Relation and overlap: those of the first version, or as everything recorded until now gives them. */
async function readRelation(tx: Transaction, { source, subject }: Sides, earlier: readonly Rating[]) {
  const [first] = earlier;
  if (first)
    return {
      related: earlier.some(({ related }) => related),
      stated_overlap: first.stated_overlap,
    };
  const identities = await tx.ratings.identities(source.handle, subject.handle);
  const recorded = (handle: string) => identities.filter((identity) => identity.handle === handle);
  const proven = recorded(subject.handle).filter(({ kind }) => kind === 'claim');
  return toRelation(
    { handle: source.handle, roots: [source.claim.root], recorded: recorded(source.handle) },
    { handle: subject.handle, roots: proven.map(({ value }) => value), recorded: recorded(subject.handle) },
  );
}

/** Ratings in the other direction, first made within 90 days of a time; none where the subject was never claimed. */
async function readOpposites(tx: Transaction, { source, subject }: Sides, first_created_at: string) {
  const first_ms = new Date(first_created_at).getTime();
  const at = (offset_ms: number) => new Date(first_ms + offset_ms).toISOString();
  if (!subject.claim) return [];
  return tx.ratings.opposites({
    root: source.claim.root,
    by: subject.claim.root,
    from: at(-ratingWindow_ms),
    until: at(ratingWindow_ms),
  });
}

/** Earlier halves are marked only where their outcome is succeeded, so that no critic is set apart by being rated. */
const toMarked = (opposites: readonly OppositeRating[], first_created_at: string): string[] =>
  opposites
    .filter(({ isCurrent, isMarked, outcome }) => isCurrent && !isMarked && outcome === 'succeeded')
    .filter((opposite) => opposite.first_created_at <= first_created_at)
    .map(({ id }) => id);

/**
 * What decides the group of a submission, after `earlier` versions of the same control root: their flags stay. Marks the
 * earlier halves of a reciprocal pair.
 */
export async function judgeBasis(
  tx: Transaction,
  sides: Sides,
  { submission: { content, now }, earlier }: { submission: Submission; earlier: readonly Rating[] },
): Promise<JudgedBasis> {
  const first_created_at = earlier[0]?.first_created_at ?? now.toISOString();
  const opposites = await readOpposites(tx, sides, first_created_at);
  await tx.ratings.markReciprocal(toMarked(opposites, first_created_at));
  const isLater = (opposite: OppositeRating) =>
    opposite.first_created_at <= first_created_at || content.outcome === 'succeeded';
  const proved_ms = new Date(sides.source.claim.first_proved_at).getTime();
  return {
    ...(await readRelation(tx, sides, earlier)),
    declared_interest:
      interested.includes(content.relationship) || earlier.some((version) => version.declared_interest),
    reciprocal: opposites.some(isLater) || earlier.some((version) => version.reciprocal),
    new_until: new Date(proved_ms + newSource_ms).toISOString(),
    first_created_at,
  };
}
