import { own } from '../../core/words.ts';
import type { CopyField } from '../../imports/import-run.ts';
import { isSpecified } from '../../listings/listing.ts';
import { isWeighty } from '../../listings/moves.ts';
import { factsOf, type RecordKind } from '../../observations/known/kind.ts';
import { accessRequired } from '../../observations/known/kinds/access.ts';
import { recordMoves } from '../../observations/known/kinds/moves.ts';
import {
  namespaceHoldsEndpoint,
  namespaceOwner,
  publisherListings,
  sharedKinds,
} from '../../observations/known/kinds/publisher.ts';
import { registryFirstPublished, registryVersions } from '../../observations/known/kinds/record.ts';
import { repositoryExists } from '../../observations/known/kinds/repository.ts';
import { currentOutcome, knowingOf } from '../../observations/known/observation.ts';
import type { ListingDocument } from '../listing-document.ts';
import { packageTypes, recordedSecrets, transports, unreadOf, whyNoneRead } from '../record.ts';
import { criteriaOf, days, daysSince, decided, plain, type Reason, type Result } from './criterion.ts';

/** Unknown if the field is not read, or if no record in the copy has it. */
export const unlessUnread = (listing: ListingDocument, field: CopyField, result: Result): Result =>
  whyNoneRead(listing, field) === undefined ? result : 'unknown';

const signalOf = <K extends RecordKind>({ signals }: ListingDocument, kind: K) =>
  factsOf(kind, signals.imported)[0];

function hasRepository(listing: ListingDocument): Result {
  if (!listing.repository) return unlessUnread(listing, 'repository', 'not_met');
  const gone = factsOf(repositoryExists, listing.observations).find((one) => knowingOf(one) === 'not_seen');
  return decided(currentOutcome(gone) !== 'absent');
}

const isGone: Reason<undefined> = ({ repository }, result) =>
  repository && result === 'not_met' ? own('recorded, but a check did not find it') : undefined;

function asksNoSecret(listing: ListingDocument): Result {
  const { remotes, packages, observations, copy_lacks = [] } = listing;
  const { all, needed, unmarked } = recordedSecrets(listing);
  const isAsked = factsOf(accessRequired, observations).some(
    (one) => one.value === true && currentOutcome(one) === 'seen',
  );
  if (needed.length + unmarked.needed.length > 0 || isAsked) return 'not_met';
  const lacks = copy_lacks.some((field) => field === 'endpoint' || field === 'package');
  const isNamed = all.length + unmarked.all.length > 0;
  const isRead = !isNamed && !isSpecified(listing) && unreadOf(listing).length === 0 && !lacks;
  return isRead && remotes.length + packages.length > 0 ? 'met' : 'unknown';
}

function hasTransport(listing: ListingDocument, wanted: string): Result {
  const { remotes, packages, copy_lacks } = listing;
  const known = [...remotes.map(({ type }) => type), ...packages.map(({ transport }) => transport)];
  if (known.includes(wanted)) return 'met';
  const isLacking = copy_lacks?.includes(wanted === 'stdio' ? 'package' : 'endpoint');
  return isLacking || !known.some(Boolean) ? 'unknown' : 'not_met';
}

function hasPackage(listing: ListingDocument, wanted: string): Result {
  const { packages } = listing;
  if (packages.length === 0) return unlessUnread(listing, 'package', 'not_met');
  return decided(packages.some(({ registry_type }) => registry_type === wanted));
}

/** Any version's date shows a minimum age; only the first's shows the exact age. */
function isListedFor(listing: ListingDocument, wanted: number, now_ms: number): Result {
  const age_days = daysSince(listing.published_at, now_ms);
  if (age_days === undefined) return 'unknown';
  if (signalOf(listing, registryFirstPublished)?.outcome === 'seen') return decided(age_days >= wanted);
  return age_days >= wanted && !listing.sample ? 'met' : 'unknown';
}

function isUpdatedWithin({ updated_at }: ListingDocument, wanted: number, now_ms: number): Result {
  const age_days = daysSince(updated_at, now_ms);
  return decided(age_days === undefined ? undefined : age_days <= wanted);
}

function sharesNothing(listing: ListingDocument): Result {
  const found = sharedKinds.find((kind) => kind.basis === 'records' && signalOf(listing, kind));
  if (found) return signalOf(listing, found)?.outcome === 'seen' ? 'not_met' : 'unknown';
  const isUnread = listing.as_of?.is_today === false || (listing.copy_lacks ?? []).length > 0;
  return isUnread ? 'unknown' : 'met';
}

const onlyRecords: Reason<undefined> = (listing, result) =>
  result === 'met' && sharedKinds.some((kind) => kind.basis === 'checks' && signalOf(listing, kind)?.value)
    ? own('in records alone; a check saw something shared')
    : undefined;

function isUnmovedFor(listing: ListingDocument, wanted: number, now_ms: number): Result {
  const { value: fact, outcome } = signalOf(listing, recordMoves) ?? {};
  const ageOf = (date: string) => daysSince(date, now_ms) ?? 0;
  const last = fact?.moves.find(isWeighty);
  if (listing.published_at === undefined || (last && last.published_at === undefined)) return 'unknown';
  if (last?.published_at !== undefined && ageOf(last.published_at) < wanted) return 'not_met';
  const isCompared = fact ? !fact.partly_read : signalOf(listing, registryVersions)?.value === 1;
  if (outcome === 'not_asked' || !isCompared) return 'unknown';
  return ageOf(last?.published_at ?? fact?.since ?? listing.published_at) >= wanted ? 'met' : 'unknown';
}

const recorded = criteriaOf('imported');

export const recordedCriteria = {
  active: recorded('Listed as active', plain, ['deprecated', 'kept_up'], ({ origin_status }) =>
    decided(origin_status === 'active'),
  ),
  has_endpoint: recorded('Remote endpoint recorded', plain, ['where'], (listing) =>
    listing.endpoint ? 'met' : unlessUnread(listing, 'endpoint', 'not_met'),
  ),
  has_repository: recorded(
    'Source repository recorded, and no check found it gone',
    plain,
    ['whose'],
    hasRepository,
    isGone,
  ),
  needs_no_secret: recorded('Asks for no secret', plain, ['asks'], asksNoSecret),
  transport: recorded('Transport {} recorded', { kind: 'choice', of: transports }, ['where'], hasTransport),
  package: recorded(
    'Package of kind {} recorded',
    { kind: 'choice', of: packageTypes },
    ['where'],
    hasPackage,
  ),
  tag: recorded('Has the tag {}', { kind: 'tag' }, [], ({ tags }, wanted: string) =>
    decided(tags.some(({ tag }) => tag === wanted)),
  ),
  listed_for_days: recorded('First published at least {} day(s) ago', days, ['kept_up'], isListedFor),
  updated_within_days: recorded('Updated within the last {} day(s)', days, ['kept_up'], isUpdatedWithin),
  namespace_matches_repository_owner: recorded(
    'Namespace and repository have the same owner',
    plain,
    ['whose'],
    (listing) => {
      const signal = signalOf(listing, namespaceOwner);
      return decided(signal?.outcome === 'seen' ? signal.value === true : undefined);
    },
  ),
  endpoint_at_domain: recorded('Endpoint at the domain of its namespace', plain, ['whose'], (listing) =>
    listing.remotes.length > 0
      ? decided(signalOf(listing, namespaceHoldsEndpoint)?.value ?? undefined)
      : unlessUnread(listing, 'endpoint', 'not_applicable'),
  ),
  nothing_shared: recorded(
    'No other publisher records its endpoint, package, repository or description',
    plain,
    ['shared', 'whose'],
    sharesNothing,
    onlyRecords,
  ),
  record_unmoved_for: recorded(
    'No version of the last {} day(s) moved to another owner, asked for another secret, changed a runtime or left https (what it drops does not count)',
    days,
    ['moved', 'kept_up'],
    isUnmovedFor,
  ),
  publisher_listings_at_most: recorded(
    'Publisher has at most {} listing(s)',
    { kind: 'number', max: 100_000 },
    ['whose'],
    (listing, most: number) => {
      const listings = signalOf(listing, publisherListings)?.value;
      return decided(listings == null ? undefined : listings <= most);
    },
  ),
};
