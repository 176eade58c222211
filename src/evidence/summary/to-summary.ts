import type { ListingDocument } from '../listing/listing-document.ts';
import { isRecordedTag } from '../listing/record/recorded-kinds.ts';
import { questions } from '../observation/question.ts';
import { shownGroups } from '../rating/groups.ts';
import type { RatingCounts, ShortRating } from '../rating/rating.ts';
import type { AgentSummary, ClaimSummary, FactGroup, NativeSummary, RecentRating } from './agent-summary.ts';
import { checkedFacts } from './checked-facts.ts';
import { toNotKnownSummary, toNotSeenSummary } from './not-known-summary.ts';
import { recordFacts } from './record-facts.ts';

const day = (time: string) => time.slice(0, 10);
const mostRecent = 3;
const longestComment = 160;

const withoutZeros = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

function toGroup({
  ratings,
  sources,
  source_outcomes,
  outcomes,
  scores,
  by_proof,
  last_at = '',
}: RatingCounts) {
  const given = withoutZeros(scores);
  return {
    sources,
    ratings,
    ...(sources < ratings && { source_outcomes: withoutZeros(source_outcomes) }),
    outcomes: withoutZeros(outcomes),
    ...(Object.keys(given).length > 0 && { scores: given }),
    by_proof: withoutZeros(by_proof),
    last: day(last_at),
  };
}

const beginning = (text: string) =>
  text.length > longestComment ? `${text.slice(0, longestComment - 1)}…` : text;

function toRecent({
  rating_id,
  source_handle,
  created_at,
  outcome,
  group,
  proof_class,
  score,
  comment,
}: ShortRating): RecentRating {
  return {
    rating_id,
    source_handle,
    date: day(created_at),
    outcome,
    group,
    proof_class,
    ...(score !== undefined && { score }),
    ...(comment !== undefined && { comment: beginning(comment) }),
  };
}

function toNative({ signals: { native } }: ListingDocument): NativeSummary {
  const { statement, recent, voided, hidden } = native;
  const moderated = { ...(voided > 0 && { voided }), ...(hidden > 0 && { hidden }) };
  if (native.ratings === 0) return { statement, ...moderated };
  const counted = shownGroups(native).filter((group) => native[group].ratings > 0);
  const current = recent.filter(
    ({ withdrawn_at, erased_at, voided_at }) => !withdrawn_at && !erased_at && !voided_at,
  );
  return {
    statement,
    ...moderated,
    groups: Object.fromEntries(counted.map((group) => [group, toGroup(native[group])])),
    proof_meanings: native.proof_meanings,
    ...(current.length > 0 && { recent: current.slice(0, mostRecent).map(toRecent) }),
  };
}

function toClaim({ claim }: ListingDocument): ClaimSummary | undefined {
  if (!claim) return undefined;
  const { kind, claimed_at, checked_at, repository, domain, commit, suspended_reason } = claim;
  return {
    kind,
    claimed_at: day(claimed_at),
    checked_at: day(checked_at),
    ...(repository && { repository }),
    ...(domain && { domain }),
    ...(commit && { commit }),
    ...(suspended_reason && { suspended_reason }),
  };
}

/** What is known, in the order of the buyer's questions: what the record says, then what was checked. */
const toFacts = (listing: ListingDocument): FactGroup[] =>
  questions.flatMap((question) => [
    ...recordFacts(listing, question),
    ...checkedFacts(listing.observations, question),
  ]);

const untrustedFields = [
  'summary',
  'title',
  'description',
  'endpoint',
  'repository',
  'tags',
  'facts',
] as const;

/** The short answer: the same facts as the listing document in groups, without zeros and repeated members. */
export function toAgentSummary(listing: ListingDocument): AgentSummary {
  const { summary, handle, sample, title, description, origin, endpoint, repository, state } = listing;
  const claim = toClaim(listing);
  const native = toNative(listing);
  const facts = toFacts(listing);
  const notSeen = toNotSeenSummary(listing);
  const untrusted = untrustedFields.filter((name) => name === 'facts' || listing[name] !== undefined);
  return {
    summary,
    handle,
    ...(sample && { sample }),
    ...(title && { title }),
    description,
    origin,
    observed_at: day(listing.observed_at),
    ...(endpoint && { endpoint }),
    ...(repository && { repository }),
    tags: listing.tags.filter(({ tag }) => !isRecordedTag(tag)).map(({ tag }) => ({ tag })),
    ...(listing.copy_lacks && { copy_lacks: listing.copy_lacks }),
    state,
    ...(claim && { claim }),
    facts,
    signals: { native },
    not_seen: notSeen,
    not_known: toNotKnownSummary(listing.not_known, [...facts, ...listing.not_seen]),
    evidence_snapshot_date: listing.evidence_snapshot_date,
    evidence_snapshot: listing.evidence_snapshot,
    ...(listing.moderation && { moderation: listing.moderation }),
    ...(listing.appeal && { appeal: listing.appeal }),
    links: { page: listing.links.page },
    untrusted_fields: [
      ...untrusted,
      ...(notSeen.some(({ at }) => at) ? ['not_seen'] : []),
      ...(native.recent ? ['signals.native.recent'] : []),
    ],
  };
}
