import { hash } from 'node:crypto';
import type { ClaimEvent } from '../claims/claim.ts';
import { countedSource, namespaceIdentity, provenBy, rootIdentity } from '../core/identity.ts';
import type { JsonObject } from '../core/json.ts';
import { day_ms } from '../core/text.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import {
  isPraise,
  isRelated,
  overlapReason,
  type RatingFlag,
  ratingGroups,
  toRelationSides,
} from '../ratings/groups.ts';
import { isCurrent, type RatingCounts, type RatingRecord, type ShortRating } from '../ratings/rating.ts';
import { interestedRelationships, newSource_ms } from '../ratings/rules.ts';
import { claimOf, isProof, momentsOf } from './check-claims.ts';
import { differingFields } from './entry-proof.ts';
import type { ShownListing } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';

const countOf = (texts: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => [text, length]));

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
  const flags = countOf(current.flatMap((rating) => rating.flags));
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

/** Two ratings within this time in both directions are a pair. */
const pair_ms = 90 * day_ms;

/** What versions of one rating have in common. */
const interactionOf = ({ source_handle, interaction_id = '', interaction_sha256 }: RatingRecord) =>
  `${source_handle} ${interaction_sha256 ?? hash('sha256', interaction_id)}`;

const timesOf = (versions: readonly RatingRecord[]) => versions.map(({ created_at }) => created_at).sort();

/**
 * The newest version of every rating that a listing shows, and what its other versions say of it. `isUnknown`: whether one that is erased
 * may say what no other does; `praised_at`: when the first one that praises was made, else the first; `read_on`: when it was read.
 */
export function toCounted({ ratings, read_on }: ShownListing) {
  const byId = new Map(ratings.map((rating) => [rating.rating_id, rating]));
  const versions = Map.groupBy(
    // What is erased has no interaction any more.
    ratings.filter(({ erased_at }) => erased_at === undefined),
    interactionOf,
  );
  const sourcesOfErased = new Set(
    ratings.flatMap(({ erased_at, source_handle }) => (erased_at === undefined ? [] : source_handle)),
  );
  return ratings
    .filter(({ superseded_by }) => superseded_by === undefined)
    .map((rating) => {
      const all = new Set([rating, ...(versions.get(interactionOf(rating)) ?? [])]);
      for (const one of all) {
        const before = byId.get(one.supersedes ?? '');
        if (before) all.add(before);
      }
      const [first_created_at = ''] = timesOf([...all]);
      const [praised_at = first_created_at] = timesOf([...all].filter(isPraise));
      return {
        ...rating,
        ...{ read_on, first_created_at, praised_at, isCurrent: isCurrent(rating) },
        isDeclared: [...all].some(({ relationship }) => interestedRelationships.includes(relationship)),
        isUnknown: sourcesOfErased.has(rating.source_handle),
      };
    });
}

export type CountedRating = ReturnType<typeof toCounted>[number];

interface GroupEvidence {
  readonly ratings: readonly CountedRating[];
  /** Ratings that only the log shows, because their listing is withdrawn. */
  readonly unshown: readonly Pick<CountedRating, 'subject_handle' | 'source_root'>[];
  /** In the order of the log; undefined if some of them may not be readable. */
  readonly eventsOf: (handle: string) => readonly ClaimEvent[] | undefined;
  /** The entry that withdrew or erased a rating. */
  readonly endedBy: (rating: CountedRating) => number | undefined;
  /** Entries before the audit began; what came later may have been read or not. */
  readonly size: number;
}

const keyOf = (root: string | undefined, generation: number | undefined) => `${root} ${generation}`;

const rootsIn = (events: readonly ClaimEvent[]) => events.filter(isProof).flatMap(({ root = [] }) => root);

/** What the events before an entry say of a rating's flags by claims, and when its source stops being new, or ended. */
function toClaimFlags(rating: CountedRating, events: Record<'source' | 'subject', readonly ClaimEvent[]>) {
  const key = keyOf(rating.source_root, rating.source_root_generation);
  const isOfRoot = ({ root, root_generation }: ClaimEvent) => keyOf(root, root_generation) === key;
  const first = events.source.find((event) => isProof(event) && isOfRoot(event))?.at;
  const claim = claimOf(events.source);
  const isHeld = claim?.state === 'claimed' && keyOf(claim.root, claim.root_generation) === key;
  const last = events.source.findLastIndex((event) => isProof(event) && isOfRoot(event));
  const ended = events.source
    .slice(last + 1)
    .find((event) => event.type === 'suspended' || (isProof(event) && !isOfRoot(event)));
  const proven = rootsIn(events.subject)
    .flatMap(provenBy)
    .map((value) => ({
      ...{ handle: rating.subject_handle, kind: 'proven' as const, value },
      first_imported_at: '',
    }));
  const left_ms = Date.parse(first ?? '') + newSource_ms - Date.parse(rating.read_on);
  // Within a day of the end, the hour of the reading would decide.
  const isSoon = Number.isNaN(left_ms) || (left_ms > -day_ms && left_ms < 2 * day_ms);
  return {
    related: isRelated(toRelationSides(rating, proven), isPraise(rating)),
    source_ended: !isHeld,
    new_source: isSoon ? undefined : left_ms > 0,
    source_ended_at: ended?.at,
    new_until: first && new Date(Date.parse(first) + newSource_ms).toISOString(),
  };
}
type ClaimFlags = ReturnType<typeof toClaimFlags>;

/** The flags by claims at each moment at which the rating may have been read. */
function readClaimFlags(rating: CountedRating, { eventsOf, size }: GroupEvidence): Partial<ClaimFlags>[] {
  const source = eventsOf(rating.source_handle);
  const subject = eventsOf(rating.subject_handle);
  return momentsOf(size, [...(source ?? []), ...(subject ?? [])]).map((end) => {
    const before = (events: readonly ClaimEvent[] = []) => events.filter(({ log_index }) => log_index < end);
    const { related, ...ofSource } = toClaimFlags(rating, {
      source: before(source),
      subject: before(subject),
    });
    return { ...(subject && { related }), ...(source && ofSource) };
  });
}

/** Whether a rating in the other direction that is not withdrawn was first made within 90 days; undefined if that is not known. */
function createPairs({ ratings, unshown, eventsOf, endedBy, size }: GroupEvidence) {
  const holdersOf = (handle: string) => {
    const events = eventsOf(handle) ?? [];
    const sure = rootsIn(events.filter(({ log_index }) => log_index < size));
    const namespace = namespaceIdentity(handle);
    return {
      sure: new Set([namespace, ...sure.map(rootIdentity)]),
      possible: new Set([namespace, ...rootsIn(events).map(rootIdentity)]),
      isWhole: eventsOf(handle) !== undefined,
    };
  };
  const known = new Map<string, ReturnType<typeof holdersOf>>();
  const readHolders = (handle: string) => {
    const holders = known.get(handle) ?? holdersOf(handle);
    known.set(handle, holders);
    return holders;
  };
  interface Half {
    readonly rating?: CountedRating;
    readonly isSure: boolean;
  }
  const halves = new Map<string, Half[]>();
  const add = (
    half: Half,
    { source_root, subject_handle }: Pick<CountedRating, 'source_root' | 'subject_handle'>,
  ) => {
    const { sure, possible } = readHolders(subject_handle);
    for (const holder of possible) {
      const key = `${rootIdentity(source_root)} ${holder}`;
      const known = { ...half, isSure: half.isSure && sure.has(holder) };
      halves.set(key, [...(halves.get(key) ?? []), known]);
    }
  };
  for (const rating of ratings) {
    const end = endedBy(rating) ?? (rating.withdrawn_at === undefined ? Infinity : -1);
    if (end < size) continue;
    const isSure = rating.log_index < size && end === Infinity && !rating.isUnknown;
    add({ rating, isSure }, rating);
  }
  for (const rating of unshown) add({ isSure: false }, rating);
  return (rating: CountedRating): boolean | undefined => {
    const source = rootIdentity(rating.source_root);
    const { sure, possible, isWhole } = readHolders(rating.subject_handle);
    const found = [...possible]
      .filter((holder) => holder !== source)
      .flatMap((holder) =>
        (halves.get(`${holder} ${source}`) ?? []).map((half) => ({
          ...half,
          isSure: half.isSure && sure.has(holder) && !rating.isUnknown,
        })),
      );
    const isNear = ({ rating: back }: Half) =>
      back === undefined ||
      back.isUnknown ||
      rating.isUnknown ||
      (Date.parse(back.first_created_at) - Date.parse(rating.praised_at) <= pair_ms &&
        Date.parse(rating.first_created_at) - Date.parse(back.praised_at) <= pair_ms);
    const near = found.filter(isNear);
    if (near.some(({ isSure }) => isSure)) return true;
    return near.length === 0 && isWhole ? false : undefined;
  };
}

/** What each flag of a rating must be; undefined if that is not known. */
function toExpected(
  rating: CountedRating,
  claims: readonly Partial<ClaimFlags>[],
  isPaired: (rating: CountedRating) => boolean | undefined,
): Partial<Record<RatingFlag, boolean | undefined>> {
  const agreed = (flag: 'related' | 'source_ended' | 'new_source') => {
    const [first, ...others] = new Set(claims.map((one) => one[flag]));
    return others.length === 0 ? first : undefined;
  };
  return {
    related: agreed('related'),
    declared_interest: rating.isDeclared || (rating.isUnknown ? undefined : false),
    reciprocal: isPraise(rating) && isPaired(rating),
    source_ended: agreed('source_ended'),
    new_source: agreed('new_source'),
  };
}

/** Criticism is set apart only by what its own source's record names; nothing by what was read after its first version, of praise the first one that praises. */
function isAllowedOverlap(rating: CountedRating, at: string): boolean {
  const { source_handle: source, subject_handle: subject, group_reason } = rating;
  if (at > (isPraise(rating) ? rating.praised_at : rating.first_created_at).slice(0, 10)) return false;
  const bySource = overlapReason({ by: source, of: subject, at });
  return (
    group_reason === bySource ||
    (isPraise(rating) && group_reason === overlapReason({ by: subject, of: source, at }))
  );
}

/** A sentence of a rating that says another date than the log, or another record than may set it apart. */
function findReasonFault(rating: CountedRating, claims: readonly Partial<ClaimFlags>[]): string | undefined {
  const { group, group_reason } = rating;
  const shown = /\d{4}-\d\d-\d\d/.exec(group_reason)?.[0] ?? '';
  if (group === 'stated_overlap')
    return isAllowedOverlap(rating, shown)
      ? undefined
      : `it is shown as stated_overlap by a record that cannot set it apart: ${group_reason}`;
  if (group !== 'source_ended' && group !== 'new_source') return undefined;
  const field = group === 'source_ended' ? 'source_ended_at' : 'new_until';
  const said = claims.flatMap((one) => one[field]?.slice(0, 10) ?? []);
  if (said.length === 0 || said.includes(shown)) return undefined;
  return `it is shown as ${group} with the date ${shown}, but claim events in the log lead to ${said[0]}`;
}

/** Ratings whose group or flags are not those that ratings and claim events, which the log holds, lead to. */
export function findGroupFaults(evidence: GroupEvidence) {
  const faults: AuditFault[] = [];
  /** Of how many ratings each flag is not known. */
  const unknown = new Map<string, number>();
  const isPaired = createPairs(evidence);
  for (const rating of evidence.ratings.filter((one) => one.isCurrent)) {
    const { rating_id, subject_handle, group, flags } = rating;
    const claims = readClaimFlags(rating, evidence);
    const where = `rating ${rating_id} of ${subject_handle}`;
    for (const [flag, expected] of Object.entries(toExpected(rating, claims, isPaired)))
      if (expected === undefined) unknown.set(flag, (unknown.get(flag) ?? 0) + 1);
      else if (flags.some((one) => one === flag) !== expected)
        faults.push(
          rowFault(
            where,
            expected
              ? `it is not shown as ${flag}, which ratings and claim events in the log make it`
              : `it is shown as ${flag}, which no rating or claim event in the log makes it`,
          ),
        );
    if (group !== (flags[0] ?? 'independent'))
      faults.push(
        rowFault(where, `it is shown in the group ${group}, but its flags are ${flags.join(', ') || 'none'}`),
      );
    const reason = findReasonFault(rating, claims);
    if (reason) faults.push(rowFault(where, reason));
  }
  return { faults, unknown };
}
