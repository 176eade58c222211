import type { Context } from '../../context.ts';
import { isHandle } from '../../core/handle.ts';
import { isOnNamespace } from '../../core/identity.ts';
import { wrongField } from '../../core/problem.ts';
import { dayText } from '../../core/text.ts';
import { code, isEmpty, join, own, say, source, type Words } from '../../core/words.ts';
import { askedPart, atPart, partOf } from '../../document/asked-part.ts';
import type { ListingFacts } from '../../document/record.ts';
import { reasonWords } from '../../document/resolved.ts';
import type { Listing } from '../../listings/listing.ts';
import { toEndpoints, toReferences } from '../../listings/references/name.ts';
import { type Reference, toHost } from '../../listings/references/references.ts';
import type { SentOffer } from '../../observations/known/prices/sent.ts';
import { beforeWords } from '../../observations/known/to-observations.ts';
import { findHolders } from './asked-command.ts';
import { severalListings } from './holders.ts';
import { findHolder, findListingFacts, firstRecording, mostAtAddress, readFacts } from './listing.ts';
import { findLacking } from './near-misses.ts';
import { endpointsIn } from './seen-lists.ts';

const hostsOf = (text: string): Reference[] =>
  toReferences(text).flatMap(({ kind, key }) =>
    kind === 'endpoint' || kind === 'host' ? { kind: 'host', key: toHost(key) } : [],
  );

const mostNamed = 2;

function recordWords(all: readonly Listing[], what: Words): Words {
  const named = all.slice(0, mostNamed).map(({ handle, updated_at, undated }) => ({
    name: code(handle),
    from: source('record', undated ? undefined : dayText(updated_at)),
  }));
  const [only, other] = named;
  if (!only) return say``;
  if (!other) return say`${only.name} records ${what}${only.from}.`;
  const number = all.length > mostAtAddress ? say`More than ${mostAtAddress}` : say`${all.length}`;
  const each = named.map(({ name, from }) => say`${name}${from}`);
  return say`${number} listings record ${what}${all.length > mostNamed ? own(', among them') : own(':')} ${join(each, ' and ')}.`;
}

/** As it is recorded. Listings on its domain come first, because anybody may record it. */
async function recordedBy(address: string, context: Pick<Context, 'store'>, named?: Words): Promise<Words> {
  const found = await firstRecording(toEndpoints(address), context);
  const isHeld = ({ handle }: Listing) => Number(isOnNamespace(handle, address));
  const all = found.toSorted((a, b) => isHeld(b) - isHeld(a));
  return recordWords(all, named ?? code(all.flatMap((one) => endpointsAt(address, one))[0] ?? address));
}

const recordedBesideBy = async (address: string, context: Pick<Context, 'store'>): Promise<Words> =>
  recordWords(await firstRecording(hostsOf(address), context), own('another address at its host'));

export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text);

export interface PaidPlace {
  readonly facts: ListingFacts | undefined;
  /** Those of the only endpoint that is compared, if the record has others. */
  readonly shown?: ListingFacts | undefined;
  readonly endpoints: readonly string[];
  readonly found: Words;
  readonly unseen: 'address' | 'listing';
  /** Whose records may have named what was asked for before. */
  readonly former: { readonly handles: readonly string[]; readonly references: readonly Reference[] };
}

type FoundPlace = Pick<PaidPlace, 'facts' | 'found'> & { readonly former?: PaidPlace['former'] };

/** Throws several_listings. */
async function findByAddress(address: string, context: Context): Promise<FoundPlace> {
  const recorded = toEndpoints(address);
  const ofKind = (wanted: Reference['kind']) => toReferences(address).filter(({ kind }) => kind === wanted);
  const references = [...recorded, ...ofKind('template'), ...hostsOf(address), ...ofKind('moved')];
  const { now, before } = await findHolders({ references, text: address }, context);
  if (now && 'candidates' in now) {
    const holder = await findHolder(address, recorded, context);
    if (!holder) throw severalListings(now);
    return { facts: await readFacts(holder.handle, context), found: holder.found };
  }
  if (now) {
    const facts = await readFacts(now.handle, context);
    const isThere = endpointsAt(address, facts.listing).length > 0;
    const isOpen = ofKind('template').some((one) => partOf(facts.listing, [one]));
    return { facts, found: isThere && !isOpen ? say`` : say`It is ${now.found_by ?? say``}.` };
  }
  const isOnly = before && 'found_by' in before && before.found_by;
  const had = isOnly ? say` ${code(before.handle)} is ${before.found_by}.` : say``;
  const lacking = await findLacking(context.store, ['endpoint']);
  const none = lacking ? reasonWords(lacking) : say`No listing shown here records ${code(address)}.`;
  const holders = before && ('candidates' in before ? before.candidates : [before]);
  const former = { handles: holders?.map(({ handle }) => handle) ?? [], references };
  return { facts: undefined, found: say`${none}${had}`, former };
}

function isSameAddress(one: string, other: string, read = toEndpoints): boolean {
  const keys = new Set(read(one).map(({ key }) => key));
  return read(other).some(({ key }) => keys.has(key));
}

function endpointsAt(address: string, { remotes }: Pick<Listing, 'remotes'>): readonly string[] {
  const urls = remotes.map(({ url }) => url);
  const named = urls.filter((url) => isSameAddress(address, url));
  return named.length > 0 ? named : urls.filter((url) => isSameAddress(address, url, hostsOf));
}

const isRecorded = (address: string, { listing: { remotes } }: ListingFacts): boolean =>
  remotes.some(({ url }) => isSameAddress(address, url));

async function elsewhere(address: string | undefined, facts: ListingFacts, context: Context): Promise<Words> {
  if (address === undefined || isRecorded(address, facts)) return say``;
  const { handle, remotes } = facts.listing;
  const [first] = remotes;
  const recorded = first ? say`; it records ${code(first.url)}` : say``;
  const more = remotes.length > 1 ? say` and ${remotes.length - 1} more` : say``;
  const not = say`The offer is for ${code(address)}, which ${code(handle)} does not record${recorded}${more}.`;
  const others = await recordedBy(address, context);
  return join([not, others], ' ');
}

/** Anybody can send an offer that names the address of somebody else as its resource. */
async function namedByOffer(named: string | undefined, offered: string | undefined, context: Context) {
  if (offered === undefined) return say``;
  if (named === undefined) return own('The listing was found by the address that the offer itself names.');
  if (isSameAddress(named, offered)) return say``;
  const [host] = hostsOf(named);
  const [other] = hostsOf(offered);
  if (host === undefined || host.key === other?.key) return say`The offer itself is for ${code(offered)}.`;
  const exact = await recordedBy(offered, context, own('that resource'));
  const recorded = isEmpty(exact) ? await recordedBesideBy(offered, context) : exact;
  const by = isEmpty(recorded) ? own('No listing shown here records that resource.') : recorded;
  return say`The offer names as its resource ${code(offered)}, at a host other than ${code(host.key)}; an offer can name any resource. ${by}`;
}

/** Of a challenge that names no address, if one listing alone is at the host that it names. */
async function findByRealm(realm: string | undefined, context: Context): Promise<FoundPlace | undefined> {
  const [only, other] = realm === undefined ? [] : await firstRecording(hostsOf(realm), context);
  if (!only || other || realm === undefined) return undefined;
  const named = say`The offer names no address that is paid for; its realm ${code(realm)} is the host of this listing alone, and an offer can name any realm.`;
  return { facts: await readFacts(only.handle, context), found: named };
}

async function findByName(handle: string, context: Context): Promise<FoundPlace> {
  const { facts, found_by, beside } = await findListingFacts(handle, context);
  return { facts, found: join([found_by && say`It is ${found_by}.`, beside], ' ') };
}

const whatElse =
  'Send handle or url: the offer names no address that is paid for. get_agent with its payee as handle says who asked to be paid there.';

/**
 * Only endpoints at the address of the offer, because a stranger may record it beside endpoints that quote
 * something else. Throws as findNamed does, and invalid_input if `url` is no address, or nothing names an
 * address or a listing.
 */
export async function findPlace(
  { handle, url }: { readonly handle?: string | undefined; readonly url?: string | undefined },
  { resource, realm }: Pick<SentOffer, 'resource' | 'realm'>,
  context: Context,
): Promise<PaidPlace> {
  const called = url?.trim();
  // Or the offer itself would choose what it is compared with.
  if (called !== undefined && !isAddress(called))
    throw wrongField('url', 'must be an http or https address; send the name of a listing as handle');
  const offered = isAddress(resource) ? resource : undefined;
  const sent = called ?? offered;
  const isUnnamed = handle === undefined && sent === undefined;
  const atRealm = isUnnamed ? await findByRealm(realm, context) : undefined;
  if (isUnnamed && !atRealm) {
    const message = 'is needed, because the offer names no address';
    throw wrongField('handle', message, whatElse);
  }
  const {
    facts,
    found,
    former = { handles: [], references: [] },
  } = atRealm ??
  (await (handle === undefined ? findByAddress(sent ?? '', context) : findByName(handle, context)));
  if (!facts) {
    const beside = called === undefined ? say`` : await namedByOffer(called, offered, context);
    return { facts, found: join([found, beside], ' '), endpoints: [], unseen: 'address', former };
  }
  // The caller may send an endpoint, or its host, instead of the handle.
  const asked = handle === undefined || isHandle(handle) ? undefined : handle;
  const named = called ?? (asked !== undefined && isRecorded(asked, facts) ? asked : undefined);
  const isNamed = handle !== undefined && named === undefined;
  const beside = isNamed ? say`` : await namedByOffer(named, offered, context);
  const all = facts.listing.remotes.map((remote) => remote.url);
  const there = [called, asked, offered, atRealm && realm]
    .map((address) => endpointsAt(address ?? '', facts.listing))
    .find((some) => some.length > 0);
  const endpoints = there ?? all;
  const [only = '', other] = endpoints;
  const place = { handles: [], references: other === undefined ? toReferences(only) : [] };
  const part = askedPart(facts.listing, place);
  const address = named ?? offered;
  const isBeside = address !== undefined && !isRecorded(address, facts);
  const { before } = facts.observed ?? {};
  const references = [...(isBeside ? toEndpoints(address) : []), ...(before ? endpointsIn(before) : [])];
  return {
    facts,
    former: { handles: [facts.listing.handle], references },
    shown: part && atPart(facts, part),
    endpoints,
    found: join(
      [found, part?.about, await elsewhere(address, facts, context), before && beforeWords(before), beside],
      ' ',
    ),
    unseen: endpoints.length === all.length ? 'listing' : 'address',
  };
}
