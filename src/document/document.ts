import { placeMember } from '../claims/claim.ts';
import { claimStatement, failingText } from '../claims/methods.ts';
import { toShownKeys } from '../claims/receipt-keys.ts';
import type { Config } from '../config/config.ts';
import { namespaceMatchesRepositoryOwner } from '../core/identity.ts';
import { dayText } from '../core/text.ts';
import { say, toText } from '../core/words.ts';
import { hasField } from '../imports/recorded.ts';
import { isSample, recordedOwners, sampleSentence, statedDates } from '../listings/listing.ts';
import { ownersOf } from '../listings/naming.ts';
import { toAppeal } from '../moderation/moderation.ts';
import { factsOf } from '../observations/known/kind.ts';
import { recordUnreadFields } from '../observations/known/kinds/record.ts';
import { toObservations } from '../observations/known/to-observations.ts';
import { countProofs, proofMeanings } from '../ratings/proof.ts';
import { checkedBefore, type ListingDocument, partAsked, servedAs } from './listing-document.ts';
import { nativeStatement, snapshotWords } from './rated.ts';
import { asOfWords, type ListingFacts, leftOutWords, savedCopySentence } from './record.ts';
import { sharedFacts } from './recorded-facts.ts';
import { toNotKnown, toNotSeen } from './sentences.ts';

/** Without pages, every link is the address of an MCP resource. */
export type DocumentPlace = Pick<
  Config,
  'publicUrl' | 'hasPages' | 'operatorContact' | 'observeInterval_s' | 'serviceName'
>;

const untrustedFields = [
  'title',
  'description',
  'version',
  'status_message',
  'endpoint',
  'remotes',
  'packages',
  'repository',
  'repository_folder',
  'website',
  'versions',
  'tags',
  'claim.receipt_keys',
  'claim.history',
  'signals.imported',
  'signals.native.recent',
  'observations',
  'not_seen',
];

export function listingLinks(
  handle: string,
  { publicUrl, hasPages }: Pick<DocumentPlace, 'publicUrl' | 'hasPages'>,
): ListingDocument['links'] {
  const resource = `agent://${handle}`;
  if (!hasPages)
    return { page: resource, json: resource, markdown: resource, badge: resource, mcp: resource };
  const page = `${publicUrl}/agents/${handle}`;
  return {
    page,
    json: `${page}.json`,
    markdown: `${page}.md`,
    badge: `${publicUrl}/badge/${handle}`,
    mcp: `${publicUrl}/api/mcp`,
  };
}

const isPast = ({ asOf }: Pick<ListingFacts, 'asOf'>) => asOf !== undefined && !asOf.is_today;

function toClaim({ listing, claim, claimHistory, ...facts }: ListingFacts): ListingDocument['claim'] {
  if (!claim) return undefined;
  const failing = failingText(claim);
  const { receiptKeys, capabilities } = facts;
  const { kind, claimed_at, commit, checked_at, tried_at, suspended_reason } = claim;
  return {
    statement: claimStatement(claim, listing.remotes, capabilities),
    kind,
    claimed_at,
    ...placeMember(kind, claim.place),
    commit,
    // Checks that found the same proof again are not kept.
    ...(!isPast(facts) && { checked_at }),
    ...(failing && tried_at && { failing, tried_at }),
    suspended_reason,
    namespace_matches_repository_owner: namespaceMatchesRepositoryOwner(listing.handle, claim.place_key),
    ...(receiptKeys.length > 0 && !listing.hidden && { receipt_keys: toShownKeys(receiptKeys) }),
    history: [...claimHistory],
  };
}

function toRecorded({ listing, reading }: ListingFacts) {
  const lacking = reading.copyLacks.filter((field) => !hasField[field](listing));
  const origin_note = sampleSentence(listing) ?? savedCopySentence(reading);
  const { handle, title, description, version, origin, origin_status, status_message } = listing;
  const { imported_at, endpoint, repository, repository_folder, website } = listing;
  const { published_at, updated_at } = statedDates(listing);
  return {
    handle,
    title,
    description,
    version,
    sample: isSample(listing) ? (true as const) : undefined,
    origin,
    origin_note,
    origin_status,
    status_message,
    published_at,
    updated_at,
    imported_at,
    observed_at: reading.observed_at,
    endpoint,
    [recordedOwners]: ownersOf(listing),
    remotes: [...listing.remotes],
    packages: [...listing.packages],
    repository,
    repository_folder,
    website,
    tags: [...listing.tags],
    copy_lacks: lacking.length > 0 ? lacking : undefined,
  };
}

function toModeration({ moderation, native }: ListingFacts, place: DocumentPlace) {
  const isModerated = moderation.length + native.voided + native.hidden > 0;
  const hasAppeal =
    isModerated || native.recent.some((rating) => rating.moderation ?? rating.response?.moderation);
  return {
    ...(moderation.length > 0 && { moderation: [...moderation] }),
    ...(hasAppeal && { appeal: toAppeal(place) }),
  };
}

/** The listing must not be withdrawn (docs/contract.md). */
export function toListingDocument(facts: ListingFacts, place: DocumentPlace, now: Date): ListingDocument {
  const { handle } = facts.listing;
  const date = dayText(now);
  const observations = toObservations(facts.listing, facts.observed?.observations, {
    now,
    interval_s: place.observeInterval_s,
    isPast: isPast(facts),
  });
  const imported = [...facts.imported, ...sharedFacts(facts)];
  return {
    ...(facts.asOf && {
      as_of: {
        ...facts.asOf,
        statement: say`${asOfWords(facts.asOf)}${isPast(facts) && leftOutWords}`,
      },
    }),
    ...toRecorded(facts),
    ...(facts.away && facts.away.until <= now.toISOString() && { away: facts.away }),
    [servedAs]: place.serviceName,
    [partAsked]: facts[partAsked],
    [checkedBefore]: facts.observed?.before,
    versions: facts.versions.map(({ version, status, published_at, deleted }) => ({
      version,
      status,
      ...(deleted && { deleted }),
      ...(!facts.listing.undated && { published_at }),
    })),
    state: facts.claim?.state ?? 'imported',
    claim: toClaim(facts),
    ...(!facts.claim && facts.claimHistory.length > 0 && { history: [...facts.claimHistory] }),
    signals: {
      native: {
        statement: nativeStatement(facts.native),
        ...facts.native,
        proof_meanings: proofMeanings(countProofs(facts.native)),
        computed_score: null,
      },
      imported,
    },
    observations,
    not_seen: toNotSeen(observations, facts.native.ratings, date),
    not_known: toNotKnown(observations, {
      listing: facts.listing,
      copyLacks: facts.reading.copyLacks,
      unread: factsOf(recordUnreadFields, facts.imported)[0]?.value ?? [],
    }),
    evidence_snapshot_date: date,
    evidence_snapshot: toText(snapshotWords(handle, facts.native, date)),
    links: listingLinks(handle, place),
    ...toModeration(facts, place),
    untrusted_fields: untrustedFields,
  };
}
