import { hash } from 'node:crypto';
import type { JsonObject } from '../core/json.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import { toGroupCounts } from '../ratings/counts.ts';
import { afterVersion, type FoldedRating, toPairUntil, toSource } from '../ratings/fold.ts';
import { ratingGroups } from '../ratings/groups.ts';
import { isCurrent, type RatingRecord, type ShortRating } from '../ratings/rating.ts';
import { differingFields } from './entry-proof.ts';
import type { ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';
import type { AuditSteps } from './steps.ts';

const countOfRatings = (texts: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => [text, length]));

/** Neither the clocks of nodes nor the order of a list is reliable. */
const inLogOrder = (ratings: Iterable<RatingRecord>) =>
  [...ratings].sort((one, other) => one.log_index - other.log_index);

const newestBy = (ratings: readonly RatingRecord[], toKey: (rating: RatingRecord) => string) =>
  new Set(new Map(ratings.map((rating) => [`${rating.group} ${toKey(rating)}`, rating])).values());

function countListed(current: readonly RatingRecord[]) {
  const ratings = inLogOrder(current);
  const ofSources = newestBy(ratings, ({ source_root }) => toSource(source_root).source);
  const ofHandles = newestBy(ratings, ({ source_handle }) => source_handle);
  return toGroupCounts(
    ratings.flatMap((rating) => {
      const { group: in_group, outcome, score = null, proof_class, created_at: last } = rating;
      const sources = Number(ofSources.has(rating));
      const source_handles = Number(ofHandles.has(rating));
      return in_group
        ? { in_group, outcome, score, proof_class, last, ratings: 1, sources, source_handles }
        : [];
    }),
  );
}

const differingFrom = (other: object, one: object): JsonObject => {
  const shown: JsonObject = { ...one };
  const counted: JsonObject = { ...other };
  const fields = differingFields(counted, shown, Object.keys({ ...shown, ...counted }));
  return Object.fromEntries(fields.map((field) => [field, shown[field]]));
};

const findVoidFaults = ({ handle, ratings }: ShownListing): AuditFault[] =>
  ratings.flatMap(({ rating_id, voided_at, moderation = [] }) => {
    const said = moderation.find(({ action }) => action === 'void')?.at;
    if (said === voided_at) return [];
    const shown = `voided_at is ${toShownValue(voided_at)}, but the actions of the operator say ${toShownValue(said)}`;
    return [rowFault(`rating ${rating_id} of ${handle}`, shown)];
  });

const findRecentFaults = (handle: string, recent: readonly ShortRating[], ratings: readonly RatingRecord[]) =>
  recent.flatMap((record) => {
    const shown: JsonObject = { ...record };
    const listed: JsonObject = { ...ratings.find(({ rating_id }) => rating_id === record.rating_id) };
    const [field] = differingFields(listed, shown, Object.keys(shown));
    if (field === undefined) return [];
    const message = `${field} is ${toShownValue(shown[field])} in the document, but ${toShownValue(listed[field])} in the listed record`;
    return [rowFault(`rating ${record.rating_id} of ${handle}`, message)];
  });

export function findCountFaults(listing: ShownListing): AuditFault[] {
  const { handle, native, ratings } = listing;
  if (!native) return findVoidFaults(listing);
  const current = ratings.filter(isCurrent);
  const voided = ratings.filter(({ voided_at }) => voided_at !== undefined);
  // The older versions of a hidden rating are hidden with it. They have no action of their own to count.
  const hidden = ratings.filter(({ moderation = [] }) => moderation.some(({ action }) => action === 'hide'));
  const flags = countOfRatings(current.flatMap(({ flags = [] }) => flags));
  const groups = countListed(current);
  const compared: [shown: unknown, counted: unknown, what: string][] = [
    ...ratingGroups.map((group): (typeof compared)[number] => {
      const shown = native[group];
      const counted = groups[group];
      const less = differingFrom(counted, shown);
      const more = differingFrom(shown, counted);
      return [less, more, `the counts of the group ${group}`];
    }),
    [native.voided, voided.length, 'the number of voided ratings'],
    [native.hidden, hidden.length, 'the number of hidden ratings'],
    [native.ratings, current.length, 'the number of ratings'],
    [native.flags, flags, 'the flags'],
  ];
  const faults = compared.flatMap(([shown, counted, what]) => {
    if (toCanonicalJson([shown]) === toCanonicalJson([counted])) return [];
    const message = `the document has ${toShownValue(shown)} as ${what}, but the listed records lead to ${toShownValue(counted)}`;
    return [rowFault(`counts of ${handle}`, message)];
  });
  return [...findVoidFaults(listing), ...faults, ...findRecentFaults(handle, native.recent, ratings)];
}

const interactionOf = ({ source_handle, interaction_id = '', interaction_sha256 }: RatingRecord) =>
  `${source_handle} ${interaction_sha256 ?? hash('sha256', interaction_id)}`;

function foldVersions(ratings: readonly RatingRecord[]): ReadonlyMap<string, FoldedRating> {
  const inOrder = inLogOrder(ratings);
  const keys = new Map<string, string>();
  // An erased version states no interaction, but the version that amended it may state one.
  for (const rating of inOrder.toReversed()) {
    const { rating_id, erased_at, superseded_by = '' } = rating;
    const key = erased_at === undefined ? interactionOf(rating) : (keys.get(superseded_by) ?? rating_id);
    keys.set(rating_id, key);
  }
  const newest = new Map<string | undefined, FoldedRating>();
  return new Map(
    inOrder.map((rating) => {
      const key = keys.get(rating.rating_id);
      const facts = afterVersion(newest.get(key), rating);
      newest.set(key, facts);
      return [rating.rating_id, facts];
    }),
  );
}

/** An erased version may have stated something that no other version does. */
const sourcesOfErased = (ratings: readonly RatingRecord[]) =>
  new Set(ratings.flatMap(({ erased_at, source_handle }) => (erased_at === undefined ? [] : source_handle)));

export function* findColumnFaults({ handle, ratings, derived }: ShownListing): AuditSteps {
  if (!derived) return;
  const facts = foldVersions(ratings);
  const unknown = sourcesOfErased(ratings);
  for (const rating of ratings) {
    yield undefined;
    const { rating_id, supersedes, source_handle, source_root } = rating;
    const isWhole = !unknown.has(source_handle) && (supersedes === undefined || facts.has(supersedes));
    const folded = isWhole ? facts.get(rating_id) : undefined;
    const expected: JsonObject = {
      ...toSource(source_root),
      is_current: isCurrent(rating) ? 1 : 0,
      ...(folded && { first_created_at: folded.first_created_at, pair_until: toPairUntil(folded) }),
    };
    const stored: JsonObject = { ...derived.get(rating_id) };
    for (const field of differingFields(expected, stored, Object.keys(expected)))
      yield rowFault(
        `rating ${rating_id} of ${handle}`,
        `${field} is ${toShownValue(stored[field])}, but its listed versions make it ${toShownValue(expected[field])}`,
      );
  }
}

/**
 * The fields of a rating that stay in memory until the log is read. The texts of the rating are not among
 * them.
 */
const countedFields = [
  'rating_id',
  'log_index',
  'source_handle',
  'source_root',
  'source_root_generation',
  'subject_handle',
  'outcome',
  'score',
  'group',
  'superseded_by',
  'withdrawn_at',
  'erased_at',
  'hidden_at',
] as const;
const toCountedFields = (rating: RatingRecord) =>
  Object.fromEntries(countedFields.map((field) => [field, rating[field]])) as Pick<
    RatingRecord,
    (typeof countedFields)[number]
  >;

/**
 * Folds every version of the listed ratings with the versions before it. `isUnknown` says that an erased
 * version of the same source may have stated something that no other version does.
 */
export function toCounted({ ratings, derived, read_on }: ShownListing) {
  const facts = foldVersions(ratings);
  const unknown = sourcesOfErased(ratings);
  return ratings.map((rating) => {
    const { group_reason = '', flags = [], rating_id } = rating;
    const { new_until, source_ended_at } = derived?.get(rating_id) ?? {};
    return {
      ...toCountedFields(rating),
      ...(facts.get(rating_id) ?? afterVersion(undefined, rating)),
      group_reason,
      flags,
      new_until,
      source_ended_at,
      read_on,
      isCurrent: isCurrent(rating),
      isUnknown: unknown.has(rating.source_handle),
    };
  });
}

export type CountedRating = ReturnType<typeof toCounted>[number];
