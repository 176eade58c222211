import { hash } from 'node:crypto';
import { asMembers, isJsonObject, type JsonObject } from '../core/json.ts';
import { toGroupCounts } from '../ratings/counts.ts';
import { isCurrent, type RatingRecord } from '../ratings/rating.ts';
import { afterVersion, type FoldedRating, toPairUntil, toSource } from '../ratings/rules.ts';
import { differingFields } from './entry-proof.ts';
import type { ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';
import type { AuditSteps } from './steps.ts';

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

function findVoidFault({ rating_id, voided_at, moderation = [] }: RatingRecord, handle: string) {
  const said = moderation.find(({ action }) => action === 'void')?.at;
  if (said === voided_at) return [];
  const shown = `voided_at is ${toShownValue(voided_at)}, but the actions of the operator say ${toShownValue(said)}`;
  return [rowFault(`rating ${rating_id} of ${handle}`, shown)];
}

function toDiffering(one: unknown, other: unknown): string {
  if (!isJsonObject(one)) return toShownValue(one);
  const others = asMembers(other);
  const differ = differingFields(one, others, Object.keys({ ...one, ...others }));
  return toShownValue(Object.fromEntries(differ.map((field) => [field, one[field]])));
}

const findDifferences = (where: string, shown: JsonObject, listed: JsonObject, fields: readonly string[]) =>
  differingFields(listed, shown, fields).map((field) => {
    const is = toDiffering(shown[field], listed[field]);
    const must = toDiffering(listed[field], shown[field]);
    return rowFault(where, `the document has ${is} as ${field}, but the listed records lead to ${must}`);
  });

export function findCountFaults({ handle, native, ratings }: ShownListing): AuditFault[] {
  const current = ratings.filter(isCurrent);
  const flags = Object.groupBy(
    current.flatMap((rating) => rating.flags ?? []),
    (flag) => flag,
  );
  const listed = new Map(ratings.map((rating) => [rating.rating_id, rating]));
  const counted: JsonObject = {
    ...countListed(current),
    ratings: current.length,
    flags: Object.fromEntries(Object.entries(flags).map(([flag, { length }]) => [flag, length])),
    voided: ratings.filter(({ voided_at }) => voided_at !== undefined).length,
    // Older versions of a hidden rating have no action of their own to count.
    hidden: ratings.filter(({ moderation = [] }) => moderation.some(({ action }) => action === 'hide'))
      .length,
  };
  return [
    ...ratings.flatMap((rating) => findVoidFault(rating, handle)),
    ...findDifferences(`counts of ${handle}`, { ...native }, counted, Object.keys(counted)),
    ...native.recent.flatMap((shown) => {
      const record = { ...listed.get(shown.rating_id) };
      return findDifferences(`rating ${shown.rating_id} of ${handle}`, shown, record, Object.keys(shown));
    }),
  ];
}

const interactionOf = ({ source_handle, interaction_id = '', interaction_sha256 }: RatingRecord) =>
  `${source_handle} ${interaction_sha256 ?? hash('sha256', interaction_id)}`;

function foldVersions(ratings: readonly RatingRecord[]): ReadonlyMap<string, FoldedRating> {
  const inOrder = inLogOrder(ratings);
  const keys = new Map<string, string>();
  // An erased version states no interaction, but the version that amended it may.
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

/** An erased version may have stated something that no other does. */
const sourcesOfErased = (ratings: readonly RatingRecord[]) =>
  new Set(ratings.flatMap(({ erased_at, source_handle }) => (erased_at === undefined ? [] : source_handle)));

/** `isUnknown`: a version that is erased or not listed may have stated something that no other does. */
export function toCounted({ ratings, own, read_on }: ShownListing) {
  const facts = foldVersions(ratings);
  const unknown = sourcesOfErased(ratings);
  return ratings.map((rating) => {
    const { comment, evidence, operation, tags, response, moderation, ...kept } = rating;
    const { group_reason = '', flags = [], rating_id, supersedes } = rating;
    const { new_until, source_ended_at } = own?.derived.get(rating_id) ?? {};
    return {
      ...kept,
      ...(facts.get(rating_id) ?? afterVersion(undefined, rating)),
      group_reason,
      flags,
      new_until,
      source_ended_at,
      read_on,
      isCurrent: isCurrent(rating),
      isUnknown: unknown.has(rating.source_handle) || (supersedes !== undefined && !facts.has(supersedes)),
    };
  });
}
export type CountedRating = ReturnType<typeof toCounted>[number];

/** Only the database shows these columns. */
export function* findColumnFaults(listing: ShownListing): AuditSteps {
  if (!listing.own) return;
  for (const rating of toCounted(listing)) {
    yield undefined;
    const { rating_id, subject_handle, source_root, first_created_at } = rating;
    const folded = { first_created_at, pair_until: toPairUntil(rating) };
    const expected: JsonObject = {
      ...toSource(source_root),
      is_current: rating.isCurrent ? 1 : 0,
      ...(!rating.isUnknown && folded),
    };
    const stored: JsonObject = { ...listing.own.derived.get(rating_id) };
    for (const field of differingFields(expected, stored, Object.keys(expected)))
      yield rowFault(
        `rating ${rating_id} of ${subject_handle}`,
        `${field} is ${toShownValue(stored[field])}, but its listed versions make it ${toShownValue(expected[field])}`,
      );
  }
}
