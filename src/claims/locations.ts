import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import type { Listing } from '../listings/listing.ts';
import type { AgreedTxt, WebRead } from '../net/domains.ts';
import { type HeadRef, type RepositoryCheck, toFileText } from '../net/git.ts';
import type { Reads } from '../store/store.ts';
import {
  type Challenge,
  type ChallengeBinding,
  type ClaimKey,
  type PublishedRegistryKey,
  parsePublishedKeys,
} from './challenge.ts';
import {
  type Claim,
  type ClaimKind,
  domainsAbove,
  isFromDns,
  type ProofPlace,
  type SeenFacts,
} from './claim.ts';
import { challengeName, claimMethods, placesOf, registryKeyPath, wellKnownPath } from './methods.ts';
import type { MissingProof } from './standing.ts';

export interface ClaimTarget {
  readonly listing: Listing;
  readonly place: ProofPlace;
  readonly claim?: Claim | undefined;
}

export const rootsOf = ({ root }: ProofPlace, claim: Claim | undefined): string[] =>
  claim ? [root, claim.root] : [root];

/**
 * Returns undefined if the listing is unknown or the registry deleted it. A listing that the operator
 * withdrew is checked, because the lines of its claim may be taken away meanwhile. An opted-out listing is
 * returned with the repository of its opt-out line, or without a repository if that line is elsewhere.
 */
export async function findToCheck(
  handle: string,
  { listings, optOuts }: Pick<Reads, 'listings' | 'optOuts'>,
): Promise<Listing | undefined> {
  const listing = await listings.byHandle(handle);
  if (listing?.withdrawn === 'deleted') return undefined;
  if (listing?.withdrawn !== 'optout') return listing;
  const optOut = await optOuts.withdrawing(handle);
  return { ...listing, repository: optOut?.kind === 'repository' ? optOut.place : undefined };
}

export const bindingOf = ({ listing, place }: ClaimTarget, { config }: Context): ChallengeBinding => ({
  origin: config.publicUrl,
  handle: listing.handle,
  placeKey: place.key,
});

export const toSubject = ({ kind, key }: ProofPlace): string => `${kind} ${key}`;

const toLocationKey =
  ({ repositories }: Context) =>
  (address: string) =>
    repositories.place(address)?.key;

export function findTarget(listing: Listing, kind: ClaimKind, context: Context): ClaimTarget | undefined {
  const place = claimMethods[kind].placeOf(listing, toLocationKey(context));
  return place && { listing, place };
}

/** @throws no_repository, host_unsupported or listing_withdrawn */
export function toRepositoryTarget(listing: Listing, context: Context): ClaimTarget {
  const target = findTarget(listing, 'repository', context);
  if (!target && listing.withdrawn === 'optout') throw new Problem('listing_withdrawn');
  if (!target) throw new Problem(listing.repository ? 'host_unsupported' : 'no_repository');
  return target;
}

export const findMethods = (listing: Pick<Listing, 'handle' | 'repository'>, context: Context) =>
  placesOf(listing, toLocationKey(context));

export interface SeenKey extends PublishedRegistryKey {
  readonly seen: SeenFacts;
}

/** Only readings by `registry_key` have `keys`. */
export type LocationRead = Partial<HeadRef> & {
  /** Authoritative: a line that is not in the reading is known to be gone. */
  readonly pinned: boolean;
  readonly seen?: SeenFacts;
  /**
   * Whose TXT records were asked for, with their opt-out lines. `isText`: at least one record is meant for
   * this service.
   */
  readonly domains?: readonly { readonly domain: string; readonly text: string; readonly isText: boolean }[];
} & (
    | { readonly result: 'file'; readonly text: string; readonly keys?: readonly SeenKey[] }
    | {
        readonly result:
          | Exclude<RepositoryCheck['result'], 'file'>
          | 'well_known_absent'
          | 'dns_no_record'
          | 'dns_no_answer'
          | 'dns_disagree'
          | 'key_not_published';
        readonly retry_after_s?: number;
      }
  );

export interface LocationReading extends Omit<ClaimTarget, 'claim'> {
  readonly read: LocationRead;
  /** `signer` is undefined if no published key made the signature. */
  readonly signed?: (Challenge & { readonly signer: SeenKey | undefined }) | undefined;
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now: Date;
  /**
   * Whether the operator blocks writing by the listing, or by an account or domain of the location or the
   * claim.
   */
  readonly isBlocked?: boolean;
  /** The request presents an active capability of the claim. */
  readonly isHolder?: boolean;
  /** Set by a re-check: receives what shows a line or the location to be gone (checks/recheck.ts). */
  readonly onMissing?: ((found: MissingProof) => void) | undefined;
}

/** At the beginning of a reading. */
export interface ClaimOnRecord {
  readonly claim: Claim | undefined;
  readonly isHolding: boolean;
}

type ReadLocation = (place: ProofPlace, context: Context, known: ClaimOnRecord) => Promise<LocationRead>;

const readRepository: ReadLocation = async ({ shown }, context) => {
  const repository = context.repositories.place(shown);
  if (!repository) return { result: 'host_unreachable', pinned: false };
  return context.repositories.check(repository, context.config.claimFile);
};

const readWellKnown: ReadLocation = async ({ shown: domain }, { domains, config }) => {
  const seen = { domain };
  const read = await domains.file(new URL(`https://${domain}${wellKnownPath(config.claimFile)}`));
  if (read.result === 'absent') return { result: 'well_known_absent', pinned: true, seen };
  if (read.result === 'body') return { ...toFileText(read.body, read.contentType), pinned: true, seen };
  return { ...read, result: read.result, pinned: false };
};

/**
 * While a domain holds the claim, those below it do not count. Somebody who controls only such a lower domain
 * can therefore not hide the lines of the claim, keep them from being read, opt the listing out or add keys.
 */
function namesThatCount(domain: string, { claim, isHolding }: ClaimOnRecord): string[] {
  const names = domainsAbove(domain);
  const root = isHolding ? claim?.root : undefined;
  const first = names.findIndex((name) => `dns:${name}` === root);
  return names.slice(Math.max(0, first));
}

/** A wildcard record answers for every name, so records for other purposes do not count. */
const isOurs = (record: string) => /dossier-claim-v1\.|dossier_cap_/.test(record);
const isOptOut = (record: string) => /^\s*optout\s/.test(record);

function toDnsRead(answers: readonly (readonly [string, Exclude<AgreedTxt, 'no_answer'>])[]): LocationRead {
  const pinned = answers.every(([, answer]) => answer.isAgreed);
  const domains = answers.map(([domain, { records }]) => ({
    domain,
    text: records.filter(isOptOut).join('\n'),
    isText: records.some((record) => isOurs(record) || isOptOut(record)),
  }));
  const withAny = (isWanted: (record: string) => boolean) =>
    answers.find(([, { records }]) => records.some(isWanted));
  const found = withAny(isOurs) ?? withAny(isOptOut);
  if (!found) return { result: pinned ? 'dns_no_record' : 'dns_disagree', pinned, domains };
  const [domain, { records, resolvers, dnssec }] = found;
  const text = records.join('\n');
  return { result: 'file', text, pinned, domains, seen: { domain, resolvers, dnssec } };
}

const readDns: ReadLocation = async ({ shown }, context, known) => {
  const names = namesThatCount(shown, known);
  const answers = await Promise.all(names.map((domain) => context.domains.txt(challengeName(domain))));
  const given = names.flatMap((domain, at) => {
    const answer = answers[at];
    return answer === undefined || answer === 'no_answer' ? [] : [[domain, answer] as const];
  });
  return given.length < names.length ? { result: 'dns_no_answer', pinned: false } : toDnsRead(given);
};

/** The MCP registry reads at most this much. A longer file counts as one without keys. */
const keyFileLimit_bytes = 4096;

/** `failed`: a key that was not found there may be there all the same. */
const toKeySource = (text: string, seen: SeenFacts & { domain: string }, failed?: LocationRead) => ({
  domain: seen.domain,
  text,
  keys: parsePublishedKeys(text).map((key): SeenKey => ({ ...key, seen })),
  failed,
});

async function readKeysInDns(domain: string, { domains }: Context) {
  const answer = await domains.txt(domain);
  if (answer === 'no_answer') return toKeySource('', { domain }, { result: 'dns_no_answer', pinned: false });
  const { records, isAgreed, ...seen } = answer;
  const failed = isAgreed ? undefined : ({ result: 'dns_disagree', pinned: false } as const);
  return toKeySource(records.join('\n'), { domain, ...seen }, failed);
}

/** In DNS and on the web server together. */
const mostPublishedKeys = 8;

function toWebSource(domain: string, read: WebRead) {
  if (read.result === 'absent') return toKeySource('', { domain });
  if (read.result !== 'body')
    return toKeySource('', { domain }, { ...read, result: read.result, pinned: false });
  return toKeySource(read.body.length > keyFileLimit_bytes ? '' : read.body.toString('utf8'), { domain });
}

/** If a key proved the claim, only the place of that key has to be conclusive. */
function isPinned(claim: Claim | undefined, dns: boolean, web: boolean) {
  if (claim?.kind !== 'registry_key') return dns && web;
  return isFromDns(claim.seen) ? dns : web;
}

/** `text` is of the nearest domain that counts; those above it add only keys. */
const readRegistryKeys: ReadLocation = async ({ shown }, context, known) => {
  const names = namesThatCount(shown, known);
  const readWeb = async () =>
    toWebSource(shown, await context.domains.file(new URL(`https://${shown}${registryKeyPath}`)));
  // If a domain above holds the claim, the web server of the lower domain is not asked.
  const [inDns, onWeb] = await Promise.all([
    Promise.all(names.map((domain) => readKeysInDns(domain, context))),
    names[0] === shown ? readWeb() : toWebSource(shown, { result: 'absent' }),
  ]);
  const isRead = ({ failed }: typeof onWeb) => failed === undefined;
  const pinned = isPinned(known.claim, inDns.every(isRead), isRead(onWeb));
  const sources = [...inDns, onWeb];
  const keys = sources.flatMap((source) => source.keys).slice(0, mostPublishedKeys);
  const { failed } = sources.find((one) => !isRead(one)) ?? {};
  if (keys.length === 0) return (!pinned && failed) || { result: 'key_not_published', pinned };
  const own = sources.filter(({ domain }) => domain === names[0]);
  return { result: 'file', text: own.map(({ text }) => text).join('\n'), keys, pinned };
};

const reads: Readonly<Record<ClaimKind, ReadLocation>> = {
  repository: readRepository,
  profile_repository: readRepository,
  registry_key: readRegistryKeys,
  well_known: readWellKnown,
  dns: readDns,
};

/** A failure is a result. */
export const readLocation = (place: ProofPlace, known: ClaimOnRecord, context: Context) =>
  reads[place.kind](place, context, known);
