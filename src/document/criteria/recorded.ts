import { namespaceIdentity } from '../../core/identity.ts';
import { dayOf, own, say } from '../../core/words.ts';
import type { CopyField } from '../../imports/import-run.ts';
import { isSpecified } from '../../listings/listing.ts';
import { isWeighty } from '../../listings/version-moves.ts';
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
import { type ListingDocument, partAsked } from '../listing-document.ts';
import {
  copyLacksWords,
  noDates,
  packageTypes,
  recordedSecrets,
  transports,
  unreadOf,
  unreadWords,
  whyNoneRead,
} from '../record.ts';
import {
  because,
  criteriaOf,
  days,
  daysSince,
  decided,
  type JudgedResult,
  noEndpoint,
  plain,
  unknown,
} from './criterion.ts';

/** Unknown if the field is not read, or if no record in the copy has it. */
export function unlessUnread(listing: ListingDocument, field: CopyField, result: JudgedResult): JudgedResult {
  const why = whyNoneRead(listing, field);
  return why ? unknown(why) : result;
}

const signalOf = <K extends RecordKind>({ signals }: ListingDocument, kind: K) =>
  factsOf(kind, signals.imported)[0];

function hasRepository(listing: ListingDocument): JudgedResult {
  if (!listing.repository) return unlessUnread(listing, 'repository', 'not_met');
  const gone = factsOf(repositoryExists, listing.observations).find((one) => knowingOf(one) === 'not_seen');
  const isGone = currentOutcome(gone) === 'absent';
  return isGone ? because('not_met', own('recorded, but a check did not find it')) : 'met';
}

function asksNoSecret(listing: ListingDocument): JudgedResult {
  const { remotes, packages, observations, copy_lacks, [partAsked]: part } = listing;
  const { needed, optional, unmarked } = recordedSecrets(listing);
  const seen = factsOf(accessRequired, observations).filter((one) => currentOutcome(one) === 'seen');
  const isAsked = seen.some(({ value }) => value === true);
  if (needed.length + unmarked.needed.length > 0 || isAsked) return 'not_met';
  const unread = unreadOf(listing);
  if (unread.length > 0) return unknown(unreadWords(unread));
  if (optional.length > 0) return unknown(own('a recorded secret is optional'));
  if (unmarked.optional.length > 0) return unknown(own('what the record does not mark as secret may be one'));
  const lacked = (['endpoint', 'package'] as const).find((field) => copy_lacks?.includes(field));
  const why = part || !lacked ? undefined : copyLacksWords(copy_lacks, lacked);
  if (why) return unknown(why);
  if (remotes.length + packages.length === 0) return unknown(own('no endpoint or package recorded'));
  if (isSpecified(listing)) return unknown(own('the specification names no inputs'));
  // A record has no field for what an endpoint asks for by OAuth, and one without any input is silent.
  const isOpen = ({ url }: (typeof remotes)[number]) => seen.some(({ subject }) => subject === url);
  const silent = packages.every(({ inputs }) => inputs) ? undefined : 'a package';
  const maySo = remotes.every(isOpen) ? silent : 'an endpoint';
  return maySo ? unknown(own(`${maySo} may ask for some that no record states`)) : 'met';
}

function hasTransport(listing: ListingDocument, wanted: string): JudgedResult {
  const { remotes, packages } = listing;
  const known = [...remotes.map(({ type }) => type), ...packages.map(({ transport }) => transport)];
  if (known.includes(wanted)) return 'met';
  const why = whyNoneRead(listing, wanted === 'stdio' ? 'package' : 'endpoint');
  if (why) return unknown(why);
  return known.some(Boolean) ? 'not_met' : unknown(own('no transport recorded'));
}

function hasPackage(listing: ListingDocument, wanted: string): JudgedResult {
  const { packages } = listing;
  if (packages.length === 0) return unlessUnread(listing, 'package', 'not_met');
  return decided(packages.some(({ registry_type }) => registry_type === wanted));
}

const noAge = (date: string | undefined) =>
  unknown(date === undefined ? noDates : own('the recorded date is in the future'));

/** Any version's date shows a minimum age; only the first's shows the exact age. */
function isListedFor(listing: ListingDocument, wanted: number, now_ms: number): JudgedResult {
  const age_days = daysSince(listing.published_at, now_ms);
  if (age_days === undefined) return noAge(listing.published_at);
  const first = signalOf(listing, registryFirstPublished);
  if (first?.outcome === 'seen') return decided(age_days >= wanted);
  return age_days >= wanted && !listing.sample ? 'met' : unknown(first?.reason ?? noDates);
}

const longestBehind_days = 1;

/** Undefined if the record is as of now. */
function whyBehind({ observed_at }: ListingDocument, now_ms: number) {
  const isBehind = (daysSince(observed_at, now_ms) ?? 0) > longestBehind_days;
  return isBehind ? unknown(say`the record is as of ${dayOf(observed_at)}`) : undefined;
}

function isUpdatedWithin(listing: ListingDocument, wanted: number, now_ms: number): JudgedResult {
  const age_days = daysSince(listing.updated_at, now_ms);
  if (age_days === undefined) return noAge(listing.updated_at);
  return age_days <= wanted ? 'met' : (whyBehind(listing, now_ms) ?? 'not_met');
}

const ofPastDay = own('not kept for past days');

function sharesNothing(listing: ListingDocument): JudgedResult {
  const { as_of, copy_lacks = [] } = listing;
  const kind = sharedKinds.find((one) => one.basis === 'records' && signalOf(listing, one));
  const found = kind && signalOf(listing, kind);
  if (found?.outcome === 'seen') return 'not_met';
  const [lacked = 'endpoint'] = copy_lacks;
  const why = found
    ? found.reason
    : as_of?.is_today === false
      ? ofPastDay
      : copyLacksWords(copy_lacks, lacked);
  if (why) return unknown(why);
  if (found) return unknown(own('not all listings were compared'));
  const isShared = sharedKinds.some((one) => one.basis === 'checks' && signalOf(listing, one)?.value);
  if (isShared) return because('met', own('in records alone; a check saw something shared'));
  const hasMore = (signalOf(listing, publisherListings)?.value ?? 0) > 1;
  return hasMore ? because('met', own('other listings of its own publisher do not count')) : 'met';
}

function isUnmovedFor(listing: ListingDocument, wanted: number, now_ms: number): JudgedResult {
  const { value: fact, outcome, reason } = signalOf(listing, recordMoves) ?? {};
  const ageOf = (date: string) => daysSince(date, now_ms) ?? 0;
  const moves = fact?.moves.filter(isWeighty) ?? [];
  if (listing.published_at === undefined || moves.some((one) => one.published_at === undefined))
    return unknown(noDates);
  // A record that lost the version which moved it is moved back.
  const dates = moves.flatMap((one) => [one.published_at ?? [], one.deleted_at ?? []].flat());
  const last = dates.toSorted().at(-1);
  if (last !== undefined && ageOf(last) < wanted) return 'not_met';
  const versions = signalOf(listing, registryVersions);
  const isCompared = fact ? !fact.partly_read : versions?.value === 1;
  if (outcome === 'not_asked' || !isCompared)
    return unknown(reason ?? versions?.reason ?? own('not all versions were compared'));
  const since = last ?? fact?.since ?? listing.published_at;
  if (ageOf(since) < wanted) return unknown(say`compared since ${dayOf(since)}`);
  const behind = whyBehind(listing, now_ms);
  if (behind) return behind;
  const [other] =
    fact?.moves.flatMap((one) => one.published_at ?? []).filter((day) => ageOf(day) < wanted) ?? [];
  return other === undefined
    ? 'met'
    : because(
        'met',
        say`what moved on ${dayOf(other)} leads to no other owner and sends no secret elsewhere`,
      );
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
      if (signal?.outcome === 'seen') return decided(signal.value === true);
      const none = listing.repository
        ? undefined
        : (whyNoneRead(listing, 'repository') ?? own('no repository recorded'));
      return unknown(none ?? own('the owners of its namespace and its repository cannot be compared'));
    },
  ),
  endpoint_at_domain: recorded('Endpoint at the domain of its namespace', plain, ['whose'], (listing) => {
    if (listing.remotes.length === 0) return unlessUnread(listing, 'endpoint', noEndpoint);
    const value = signalOf(listing, namespaceHoldsEndpoint)?.value;
    if (value != null) return decided(value);
    const isAccount = namespaceIdentity(listing.handle).includes('/');
    return unknown(
      own(isAccount ? 'its namespace is an account, not a domain' : 'the host of an endpoint is not fixed'),
    );
  }),
  nothing_shared: recorded(
    'No other publisher records its endpoint, package, repository or description',
    plain,
    ['shared', 'whose'],
    sharesNothing,
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
      return listings == null ? unknown(ofPastDay) : decided(listings <= most);
    },
  ),
};
