import { hash } from 'node:crypto';
import { Holder } from '../core/identity.ts';
import type { JsonObject } from '../core/json.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import { isPraise, ratingGroups } from '../ratings/groups.ts';
import { isCurrent, type RatingCounts, type RatingRecord, type ShortRating } from '../ratings/rating.ts';
import { interestedRelationships } from '../ratings/rules.ts';
import { differingFields } from './entry-proof.ts';
import type { ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';

const countOf = (texts: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => [text, length]));

/** Sorts ratings by log index; the clocks of nodes and the order of the list are not reliable. */
const inLogOrder = (ratings: Iterable<RatingRecord>) =>
  [...ratings].sort((one, other) => one.log_index - other.log_index);

/** The newest rating of each source. */
const newestOfSources = (ratings: readonly RatingRecord[]): RatingRecord[] => [
  ...new Map(inLogOrder(ratings).map((rating) => [new Holder(rating.source_root).counted, rating])).values(),
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
const findVoidFaults = ({ handle, ratings }: ShownListing): AuditFault[] =>
  ratings.flatMap(({ rating_id, voided_at, moderation = [] }) => {
    const said = moderation.find(({ action }) => action === 'void')?.at;
    if (said === voided_at) return [];
    const shown = `voided_at is ${toShownValue(voided_at)}, but the actions of the operator say ${toShownValue(said)}`;
    return [rowFault(`rating ${rating_id} of ${handle}`, shown)];
  });

/** The first field in which each of the newest records of a listing document differs from the listed one. */
const findRecentFaults = (handle: string, recent: readonly ShortRating[], ratings: readonly RatingRecord[]) =>
  recent.flatMap((record) => {
    const shown: JsonObject = { ...record };
    const listed: JsonObject = { ...ratings.find(({ rating_id }) => rating_id === record.rating_id) };
    const [field] = differingFields(listed, shown, Object.keys(shown));
    if (field === undefined) return [];
    const message = `${field} is ${toShownValue(shown[field])} in the document, but ${toShownValue(listed[field])} in the listed record`;
    return [rowFault(`rating ${record.rating_id} of ${handle}`, message)];
  });

/** Where the counts of a listing document differ from the records that list_ratings shows of the same listing. */
export function findCountFaults(listing: ShownListing): AuditFault[] {
  const { handle, native, ratings } = listing;
  if (!native) return findVoidFaults(listing);
  const current = ratings.filter(isCurrent);
  const voided = ratings.filter(({ voided_at }) => voided_at !== undefined);
  // The older versions of a hidden rating are hidden with it, and no action of their own is counted.
  const hidden = ratings.filter(({ moderation = [] }) => moderation.some(({ action }) => action === 'hide'));
  const flags = countOf(current.flatMap(({ flags = [] }) => flags));
  const compared: [shown: unknown, counted: unknown, what: string, verb: string, be: string][] = [
    ...ratingGroups.map((group): (typeof compared)[number] => {
      const counted = countRecords(current.filter((rating) => rating.group === group));
      return [toComparable(native[group]), counted, `in the group ${group}`, 'counts', 'are'];
    }),
    [native.voided, voided.length, 'voided', 'counts', 'are'],
    [native.hidden, hidden.length, 'hidden', 'counts', 'are'],
    [native.ratings, current.length, 'as ratings', 'has', 'have'],
    [withoutZeros(native.flags), flags, 'as flags', 'has', 'have'],
  ];
  const faults = compared.flatMap(([shown, counted, what, verb, be]) => {
    if (toCanonicalJson([shown]) === toCanonicalJson([counted])) return [];
    const message = `the document ${verb} ${toShownValue(shown)} ${what}, but the listed records ${be} ${toShownValue(counted)}`;
    return [rowFault(`counts of ${handle}`, message)];
  });
  return [...findVoidFaults(listing), ...faults, ...findRecentFaults(handle, native.recent, ratings)];
}

/** What versions of one rating have in common. */
const interactionOf = ({ source_handle, interaction_id = '', interaction_sha256 }: RatingRecord) =>
  `${source_handle} ${interaction_sha256 ?? hash('sha256', interaction_id)}`;

/** The facts that all versions of a rating state together; erased versions before them have no interaction any more. */
function toInteraction(versions: Iterable<RatingRecord>, byId: ReadonlyMap<string, RatingRecord>) {
  const all = new Set(versions);
  for (const one of all) {
    const before = byId.get(one.supersedes ?? '');
    if (before) all.add(before);
  }
  const inOrder = inLogOrder(all);
  const first_created_at = inOrder[0]?.created_at ?? '';
  const praised_at = inOrder.find(isPraise)?.created_at ?? first_created_at;
  const isDeclared = [...all].some(({ relationship }) => interestedRelationships.includes(relationship));
  return { first_created_at, praised_at, isDeclared };
}

/**
 * The newest version of every rating that a listing shows, without its texts, and the facts from its other versions.
 * `isUnknown`: an erased version may have stated something that no other does; `praised_at`: the time of the first version that
 * praises, or else of the first version; `read_on`: the day of the reading.
 */
export function toCounted({ ratings, read_on }: ShownListing) {
  const byId = new Map(ratings.map((rating) => [rating.rating_id, rating]));
  const versions = Map.groupBy(
    ratings.filter(({ erased_at }) => erased_at === undefined),
    interactionOf,
  );
  // A rating that was withdrawn and made again has the same interaction, so the facts of all versions are merged once.
  const interactions = new Map([...versions].map(([key, all]) => [key, toInteraction(all, byId)]));
  const sourcesOfErased = new Set(
    ratings.flatMap(({ erased_at, source_handle }) => (erased_at === undefined ? [] : source_handle)),
  );
  return ratings
    .filter(({ superseded_by }) => superseded_by === undefined)
    .map((rating) => {
      const { rating_id, log_index, source_handle, source_root, source_root_generation } = rating;
      const { subject_handle, outcome, score, withdrawn_at } = rating;
      const { group, group_reason = '', flags = [] } = rating;
      const interaction = rating.erased_at === undefined && interactions.get(interactionOf(rating));
      return {
        ...(interaction || toInteraction([rating], byId)),
        ...{ rating_id, log_index, source_handle, source_root, source_root_generation, subject_handle },
        ...{ outcome, score, group, group_reason, flags, withdrawn_at },
        ...{ read_on, isCurrent: isCurrent(rating), isUnknown: sourcesOfErased.has(source_handle) },
      };
    });
}

export type CountedRating = ReturnType<typeof toCounted>[number];
