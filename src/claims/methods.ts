import { z } from 'zod';
import { githubAccount, repositoryRoot } from '../core/handle.ts';
import { dayText, toSentence } from '../core/text.ts';
import type { Listing } from '../listings/listing.ts';
import {
  type Capability,
  type Claim,
  type ClaimKind,
  claimKinds,
  isInRepository,
  namespaceDomain,
  type ProofPlace,
  remotesOn,
} from './claim.ts';
import { waitingTexts } from './standing.ts';

type ClaimableRecord = Pick<Listing, 'handle' | 'repository'>;

/** Undefined if this service is not configured to read the repository. */
type ToRepositoryKey = (address: string) => string | undefined;

type ShownClaim = Pick<Claim, 'kind' | 'claimed_at' | 'commit' | 'seen'> &
  Partial<
    Pick<Claim, 'state' | 'place' | 'proven_commit' | 'proven_at' | 'failed_days' | 'tried_at' | 'missing'>
  >;

interface ClaimMethod {
  readonly title: string;
  readonly noun: string;
  /** The control that a claim shows. `its` is the listing's. */
  readonly control: string;
  placeOf(record: ClaimableRecord, toKey: ToRepositoryKey): ProofPlace | undefined;
  /** False if the method would add nothing to the others; by default true. */
  isOffered?(record: ClaimableRecord, toKey: ToRepositoryKey): boolean;
  whereToPut(place: ProofPlace, claimFile: string): string;
  /** Follows `Put this line`. */
  lineAt(claimFile: string): string;
  /** Absent if the challenge is copied as it is. */
  toCopy?(place: ProofPlace, challenge: string): string;
  /** Without its full stop: `Write access to ... was shown at commit ... on ...`. */
  shown(claim: ShownClaim): string;
}

const resolversText = (resolvers = 1): string =>
  `${{ 1: 'one', 2: 'two', 3: 'three' }[resolvers] ?? resolvers} resolver${resolvers === 1 ? '' : 's'}`;

/** Methods of a domain share challenges. */
function domainPlace(kind: ClaimKind, { handle }: ClaimableRecord): ProofPlace | undefined {
  const domain = namespaceDomain(handle);
  return domain === undefined
    ? undefined
    : { kind, shown: domain, key: `dns:${domain}`, root: `dns:${domain}` };
}

function repositoryPlace(kind: ClaimKind, shown: string | undefined, toKey: ToRepositoryKey) {
  const key = shown === undefined ? undefined : toKey(shown);
  if (shown === undefined || key === undefined) return undefined;
  return { kind, shown, key, root: repositoryRoot(key) };
}

export const challengeName = (domain: string): string => `_dossier-challenge.${domain}`;

/** By the MCP registry. */
export const registryKeyPath = '/.well-known/mcp-registry-auth';

const sign = (challenge: string) => `printf %s '${challenge}' > line.txt
# an Ed25519 key:
openssl pkeyutl -sign -rawin -inkey key.pem -in line.txt | base64 | tr -d '\\n'
# an ECDSA P-384 key:
openssl dgst -sha384 -sign key.pem line.txt | base64 | tr -d '\\n'`;

/** RFC 8615 */
export const wellKnownPath = (claimFile: string): string => `/.well-known/${claimFile}`;

export const claimMethods: Readonly<Record<ClaimKind, ClaimMethod>> = {
  repository: {
    title: 'Commit a file to the recorded repository',
    noun: 'File in the repository',
    control: 'write access to its repository',
    placeOf: ({ repository }, toKey) => repositoryPlace('repository', repository, toKey),
    whereToPut: ({ shown }, claimFile) =>
      `Commit the line in the file ${claimFile} at the root of the default branch of ${shown}.`,
    lineAt: (claimFile) => `in ${claimFile} of the recorded repository`,
    shown: ({ claimed_at, commit }) =>
      `Write access to the default branch of the repository recorded for the listing was shown${commit ? ` at commit ${commit}` : ''} on ${dayText(claimed_at)}`,
  },
  /** For io.github.alice, in github.com/alice/alice. */
  profile_repository: {
    title: 'Commit a file to the profile repository of the account',
    noun: 'File in the profile repository',
    control: 'write access to the repository of its account',
    placeOf({ handle }, toKey) {
      const account = githubAccount(handle);
      const shown = account && `https://github.com/${account}/${account}`;
      return repositoryPlace('profile_repository', shown, toKey);
    },
    isOffered({ handle, repository }, toKey) {
      const key = repository === undefined ? undefined : toKey(repository);
      return key === undefined || repositoryRoot(key) !== `github.com/${githubAccount(handle)}`;
    },
    whereToPut: ({ shown }, claimFile) =>
      `Commit the line in the file ${claimFile} at the root of the default branch of ${shown}; create that repository if there is none. This shows write access to a repository of the account that the namespace names.`,
    lineAt: (claimFile) => `in ${claimFile} of the profile repository`,
    shown: ({ claimed_at, commit, place }) =>
      `Write access to the default branch of ${place}, the repository with the name of the account in the namespace, was shown${commit ? ` at commit ${commit}` : ''} on ${dayText(claimed_at)}`,
  },
  registry_key: {
    title: 'Sign with the key that the domain publishes for the MCP registry',
    noun: 'Signature',
    control: 'possession of the key that its domain publishes for the registry',
    placeOf: (record) => domainPlace('registry_key', record),
    whereToPut: ({ shown }) =>
      `Sign the line with the private key whose public half ${shown} publishes for the MCP registry (a TXT record v=MCPv1, or https://${shown}${registryKeyPath}). Send the line (the challenge) and the signature.`,
    lineAt: () => 'signed with the key for the registry',
    toCopy: (_place, challenge) => sign(challenge),
    shown: ({ claimed_at, place, seen }) =>
      `Possession of the key that ${seen?.domain ?? place} publishes for the MCP registry was shown on ${dayText(claimed_at)} by a signature; the key was read ${seen?.resolvers ? `in DNS by ${resolversText(seen.resolvers)}` : `at https://${seen?.domain ?? place}${registryKeyPath}`}`,
  },
  well_known: {
    title: 'Put a file on the web server of the domain',
    noun: 'File on the web server',
    control: 'control of what the web server of its domain serves',
    placeOf: (record) => domainPlace('well_known', record),
    whereToPut: ({ shown }, claimFile) =>
      `Serve the line as plain text at https://${shown}${wellKnownPath(claimFile)}, without a redirect.`,
    lineAt: (claimFile) => `at ${wellKnownPath(claimFile)} of the web server`,
    shown: ({ claimed_at, place }) =>
      `Control of what https://${place}/.well-known/ serves was shown on ${dayText(claimed_at)}`,
  },
  dns: {
    title: 'Add a TXT record to the DNS of the domain',
    noun: 'TXT record',
    control: 'control of the DNS of its domain',
    placeOf: (record) => domainPlace('dns', record),
    whereToPut: ({ shown }) => `Add a TXT record with the line at ${challengeName(shown)}.`,
    lineAt: () => 'in a TXT record of its own at _dossier-challenge of the domain',
    toCopy: ({ shown }, challenge) => `${challengeName(shown)}. 300 IN TXT "${challenge}"`,
    shown: ({ claimed_at, place, seen }) =>
      `Control of the DNS of ${seen?.domain ?? place} was shown on ${dayText(claimed_at)}, by a TXT record from ${resolversText(seen?.resolvers)}${seen?.dnssec ? ', validated there with DNSSEC' : ''}`,
  },
};

export const placesOf = (record: ClaimableRecord, toKey: ToRepositoryKey): ProofPlace[] =>
  claimKinds
    .map((kind) => claimMethods[kind])
    .filter(({ isOffered }) => isOffered?.(record, toKey) ?? true)
    .flatMap((method) => method.placeOf(record, toKey) ?? []);

const place = 'access to the default branch of the repository recorded for the listing';
const limit = 'says nothing about quality or about the publisher.';
const domains =
  'If the namespace is a domain, a claim may instead show control of its DNS or web server, or possession of its key for the MCP registry. If it is a GitHub account, a claim may instead show write access to the repository that has the account’s name. The claim says which.';

/** For publishers who consider a claim, and for readers of an unclaimed listing. */
export const whatAClaimShows = `A claim shows write ${place}, at a commit, on a date. ${domains} It ${limit}`;

export const whatClaimedMeans = (claimFile: string): string =>
  `Claimed means: write ${place} was shown, at a commit, on a date, by committing a challenge as ${claimFile}. ${domains} It ${limit}`;

const lastProof = ({ commit, proven_commit, proven_at }: ShownClaim) =>
  proven_commit && proven_at && proven_commit !== commit
    ? `The claim line was last read there at commit ${proven_commit} on ${dayText(proven_at)}.`
    : '';

function missingText({ state, missing }: Pick<ShownClaim, 'state' | 'missing'>): string | undefined {
  const first = missing?.line;
  if (state !== 'claimed' || first === undefined) return undefined;
  const what =
    missing?.place === first
      ? 'the repository missing, empty or moved'
      : 'nothing there that proves the claim';
  return `a check on ${dayText(first)} found ${what}; the claim stands until a check a day or more later finds nothing either`;
}

export function failingText({
  failed_days: [since] = [],
  tried_at = '',
  ...claim
}: Pick<ShownClaim, 'failed_days' | 'tried_at' | 'state' | 'missing'>): string | undefined {
  const last = dayText(tried_at) > (since ?? '') ? `, the last on ${dayText(tried_at)}` : '';
  const unread = since && `checks have failed since ${since}${last}`;
  return missingText(claim) ?? unread;
}

function remoteText({ kind, place: domain }: ShownClaim, remotes: Parameters<typeof remotesOn>[1]): string {
  if (isInRepository(kind) || domain === undefined) return '';
  if (remotes.length === 0) return 'The listing records no remote endpoint.';
  const [host] = remotesOn(domain, remotes);
  return host ? `The recorded endpoint at ${host} is on ${domain}.` : `No recorded endpoint is on ${domain}.`;
}

export const claimStatement = (
  claim: ShownClaim,
  remotes: Parameters<typeof remotesOn>[1],
  capabilities: readonly Capability[],
): string => {
  const failing = failingText(claim);
  return [
    `${claimMethods[claim.kind].shown(claim)}.`,
    lastProof(claim),
    failing && toSentence(failing),
    remoteText(claim, remotes),
    ...waitingTexts(capabilities),
    `This ${limit}`,
  ]
    .filter(Boolean)
    .join(' ');
};

const recorded = 'recorded repository';

type PlaceNames = Readonly<Record<'file' | 'host' | 'thing' | 'put' | 'repository', string>> & {
  readonly records?: string;
};

function placeNames({ kind, shown }: ProofPlace, claimFile: string): PlaceNames {
  const domain = { host: `web server of ${shown}`, thing: 'domain', repository: recorded } as const;
  if (kind === 'well_known')
    return { ...domain, file: `https://${shown}${wellKnownPath(claimFile)}`, put: 'Serve' };
  const records = `the TXT records of ${challengeName(shown)}`;
  if (kind === 'dns') return { ...domain, records, file: records, put: 'Add' };
  if (kind === 'registry_key')
    return {
      ...domain,
      // It is named only if the records were read and have no key.
      host: `${domain.host}, whose TXT records have no key for the MCP registry,`,
      records: `the TXT records of ${shown}`,
      file: `the TXT records of ${shown} or at https://${shown}${registryKeyPath}`,
      put: 'Sign',
    };
  const repository = kind === 'profile_repository' ? `repository ${shown}` : recorded;
  return { file: claimFile, host: 'repository host', thing: 'repository', put: 'Commit', repository };
}

type ResultMessage = (names: PlaceNames) => string;

const messages = {
  file_absent: ({ file }) => `There is no ${file} at the root of the default branch. Commit it there.`,
  no_challenge_in_file: ({ file }) =>
    `The challenge is not in ${file}. Put the whole line there, on a line of its own.`,
  challenge_foreign: ({ thing, put }) =>
    `The challenge was altered, was made for another listing, another ${thing} or another service, or was asked for with a capability that has ended. ${put} the one for this listing.`,
  challenge_expired: ({ put }) =>
    `The challenge is older than 7 days and was never used. ${put} the new one instead.`,
  challenge_lapsed: ({ put }) =>
    `The capability of this line was suspended more than 30 days ago, so the line does not restore it any more. ${put} a new challenge.`,
  challenge_from_future: ({ put }) =>
    `The challenge carries a time in the future. ${put} the new one instead.`,
  challenge_key_retired: ({ put }) =>
    `The challenge was signed with a key that is no longer in use. ${put} the new one instead.`,
  secret_published: ({ file, put }) =>
    `A capability was published in ${file} or at another location, so it was ended for good. Remove it if it is still there, and ${put.toLowerCase()} only a line whose capability was not published.`,
  lfs_pointer: ({ file }) => `${file} is a Git LFS pointer. Commit it as an ordinary file.`,
  not_text: ({ file }) => `${file} is not plain UTF-8 text (UTF-16 or binary). Save it as UTF-8.`,
  html_page: ({ file, put }) =>
    `There is an HTML page in place of ${file}. ${put} the line as plain text, without a page for errors or sign-in before it.`,
  too_large: ({ file }) =>
    `There are more than 16 KiB, 64 challenges or 64 capabilities in ${file}. Remove what is not needed.`,
  repository_not_found: ({ repository }) => `The ${repository} is not public, or does not exist.`,
  repository_empty: ({ repository, file }) =>
    `The ${repository} has no commit on its default branch. Commit ${file} to it.`,
  repository_moved: ({ repository }) =>
    `The ${repository} redirects to another address. ${repository === recorded ? 'Record the new address in the registry. A claim is suspended then, until a line at that address continues it or begins a new one.' : 'Create a repository at this address, or claim by a different method.'}`,
  redirect_refused: ({ host }) => `The ${host} answers with a redirect, which is not followed.`,
  host_unreachable: ({ host }) => `The ${host} cannot be reached. Try again later.`,
  host_timeout: ({ host }) => `The ${host} took longer than 8 seconds. Try again later.`,
  host_rate_limited: ({ host }) => `The ${host} limits our requests. Try again later.`,
  host_error: ({ host }) => `The ${host} answered with an error. Try again later.`,
  reused: ({ put }) =>
    `The challenge belongs to a capability that was ended for good. ${put} the new one instead.`,
  well_known_absent: ({ file }) =>
    `There is nothing at ${file}. Serve the challenge line there as plain text.`,
  dns_no_record: ({ file }) =>
    `There is no challenge in ${file}. Add one, and wait until all servers of the domain have it.`,
  dns_no_answer: ({ file, records = file }) =>
    `Not every DNS server that Dossier asks answered about ${records}. A missing answer does not count as a missing record. Try again later.`,
  dns_disagree: ({ file, records = file }) =>
    `The DNS servers that Dossier asks do not agree about ${records}. Wait until the change has reached all of them, then check again.`,
  key_not_published: ({ file }) =>
    `Dossier read no key for the MCP registry in ${file}. Publish the public key there, or claim by a different method.`,
  signature_invalid: () =>
    'The signature was not made over this challenge by a key that the domain publishes. Sign the bytes of the line alone, without a line end.',
  claimed_elsewhere: () =>
    'The line was read. It begins a new claim when two checks a day or more apart have found no line of the claim on record at its location.',
  line_waits: () => 'The line was read. It works after it has stood there for seven days.',
  listing_withdrawn: () => 'The listing is withdrawn.',
} satisfies Record<string, ResultMessage>;
export type CheckResult = keyof typeof messages | 'proven';
const checkResults = [...(Object.keys(messages) as (keyof typeof messages)[]), 'proven'] as const;

export const claimCheck = z.object({
  result: z.enum(checkResults),
  at: z.string(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  domain: z.string().optional(),
  resolvers: z.int().optional(),
  dnssec: z.boolean().optional(),
  pinned: z.boolean(),
  retry_after_s: z.int().optional(),
});

export function checkMessage(result: Exclude<CheckResult, 'proven'>, place: ProofPlace, claimFile: string) {
  if (result === 'no_challenge_in_file' && place.kind === 'registry_key')
    return `A published key was read. Sign the challenge with its private key, and send the challenge and the signature.`;
  const message: ResultMessage = messages[result];
  return message(placeNames(place, claimFile));
}
