import { differingFields } from '../../evidence/log/compare-record.ts';
import { toCanonicalJson } from '../../evidence/log/leaf.ts';
import { ratingGroups } from '../../evidence/rating/groups.ts';
import { countedSource } from '../../evidence/rating/identity.ts';
import { isCurrent, type RatingCounts, type RatingRecord } from '../../evidence/rating/rating.ts';
import type { ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';

const countOf = (texts: readonly string[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Object.fromEntries(counts);
};

/** The newest rating of each source; the records are listed newest first. */
const newestOfSources = (ratings: readonly RatingRecord[]): RatingRecord[] => [
  ...new Map(ratings.toReversed().map((rating) => [countedSource(rating.source_root), rating])).values(),
];

/** Counts that are not zero, of the current ratings of one group. */
const countRecords = (ratings: readonly RatingRecord[]) => ({
  ratings: ratings.length,
  sources: newestOfSources(ratings).length,
  source_handles: new Set(ratings.map(({ source_handle }) => source_handle)).size,
  source_outcomes: countOf(newestOfSources(ratings).map(({ outcome }) => outcome)),
  outcomes: countOf(ratings.map(({ outcome }) => outcome)),
  scores: countOf(ratings.flatMap(({ score }) => (score === undefined ? [] : String(score)))),
  by_proof: countOf(ratings.map(({ proof_class }) => proof_class)),
});

const withoutZeros = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

const toComparable = ({ ratings, sources, source_handles, ...counts }: RatingCounts) => ({
  ...{ ratings, sources, source_handles },
  source_outcomes: withoutZeros(counts.source_outcomes),
  outcomes: withoutZeros(counts.outcomes),
  scores: withoutZeros(counts.scores),
  by_proof: withoutZeros(counts.by_proof),
});

/** Ratings that are voided, or not, other than the actions beside them say. */
const findVoidFaults = ({ handle, ratings }: Pick<ShownListing, 'handle' | 'ratings'>): AuditFault[] =>
  ratings.flatMap(({ rating_id, voided_at, moderation = [] }) => {
    const said = moderation.find(({ action }) => action === 'void')?.at;
    if (said === voided_at) return [];
    const shown = `voided_at is ${toShownValue(voided_at)}, but the actions of the operator say ${toShownValue(said)}`;
    return [rowFault(`rating ${rating_id} of ${handle}`, shown)];
  });

const differs = (shown: object, counted: object) => toCanonicalJson(shown) !== toCanonicalJson(counted);

/** Where the total, the flags and the newest records of a listing document are not those of the listed records. */
function findTotalFaults({
  handle,
  native,
  ratings,
}: Pick<ShownListing, 'handle' | 'native' | 'ratings'>): AuditFault[] {
  if (!native) return [];
  const current = ratings.filter(isCurrent);
  const fault = (shown: unknown, counted: unknown, what: string) =>
    rowFault(
      `counts of ${handle}`,
      `the document has ${toShownValue(shown)} as ${what}, but the listed records have ${toShownValue(counted)}`,
    );
  const flags = countOf(current.flatMap((rating) => rating.flags));
  const shownFlags = withoutZeros(native.flags);
  const byId = new Map(ratings.map((rating) => [rating.rating_id, rating]));
  const recent = native.recent.flatMap((shown) => {
    const listed: Readonly<Record<string, unknown>> = { ...byId.get(shown.rating_id) };
    const [field] = differingFields(listed, { ...shown }, Object.keys(shown));
    if (field === undefined) return [];
    const [is, must] = [toShownValue(shown[field as keyof typeof shown]), toShownValue(listed[field])];
    const message = `${field} is ${is} in the document, but ${must} in the listed record`;
    return [rowFault(`rating ${shown.rating_id} of ${handle}`, message)];
  });
  return [
    ...(native.ratings === current.length ? [] : [fault(native.ratings, current.length, 'ratings')]),
    ...(differs(shownFlags, flags) ? [fault(shownFlags, flags, 'flags')] : []),
    ...recent,
  ];
}

/** Where the counts of voided ratings and of hidden texts differ from the records. */
function findModeratedFaults({
  handle,
  native,
  ratings,
}: Pick<ShownListing, 'handle' | 'native' | 'ratings'>): AuditFault[] {
  const counted = {
    voided: ratings.filter(({ voided_at }) => voided_at !== undefined).length,
    hidden: ratings.filter(({ hidden_at }) => hidden_at !== undefined).length,
  };
  return (['voided', 'hidden'] as const).flatMap((name) =>
    native === undefined || native[name] === counted[name]
      ? []
      : [
          rowFault(
            `counts of ${handle}`,
            `the document counts ${native[name]} ${name}, but the listed records are ${counted[name]}`,
          ),
        ],
  );
}

/** Where the counts of a listing document differ from the records that list_ratings shows of the same listing. */
export function findCountFaults({ handle, native, ratings }: ShownListing): AuditFault[] {
  const voided = findVoidFaults({ handle, ratings });
  if (!native) return voided;
  const current = ratings.filter(isCurrent);
  const moderated = findModeratedFaults({ handle, native, ratings });
  const grouped = ratingGroups.flatMap((group) => {
    const counted = countRecords(current.filter((rating) => rating.group === group));
    const shown = toComparable(native[group]);
    if (toCanonicalJson(counted) === toCanonicalJson(shown)) return [];
    const message = `the document counts ${toShownValue(shown)} in the group ${group}, but the listed records are ${toShownValue(counted)}`;
    return [rowFault(`counts of ${handle}`, message)];
  });
  return [...voided, ...grouped, ...moderated, ...findTotalFaults({ handle, native, ratings })];
}
