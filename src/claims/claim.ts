import { getDomain } from 'tldts';
import { z } from 'zod';
import { handleParts, handleSchema } from '../core/handle.ts';
import { findCapabilities } from '../core/keys/capability.ts';
import type { Listing } from '../listings/listing.ts';
import type { LeafType } from '../log/leaf.ts';
import { parseReceiptKeys } from '../receipt/index.ts';
import { integer, json, oneOf, optional, type TableValue, table, text, words } from '../store/table.ts';

/** The easiest first. */
export const claimKinds = ['repository', 'profile_repository', 'registry_key', 'well_known', 'dns'] as const;
export type ClaimKind = (typeof claimKinds)[number];

export const claimKind = z.enum(claimKinds);

export interface ProofPlace {
  readonly kind: ClaimKind;
  readonly shown: string;
  /**
   * `host/path` of a repository in lower case, or `dns:` and the domain. Challenges are bound to this key.
   */
  readonly key: string;
  /** The control root: `host/owner`, or `dns:` and the domain. */
  readonly root: string;
}

export interface SeenFacts {
  /** The domain of the namespace or, for a proof in DNS, possibly one above it. */
  readonly domain: string;
  /** How many DNS servers gave the same answer; absent if none was asked. */
  readonly resolvers?: number;
  /** All of them stated that they had validated the answer (DNSSEC, the AD bit of RFC 4035). */
  readonly dnssec?: boolean;
}

export const isInRepository = (kind: ClaimKind): boolean =>
  kind === 'repository' || kind === 'profile_repository';

export const isFromDns = (seen: SeenFacts | undefined): boolean => seen?.resolvers !== undefined;

export const placeMember = (kind: ClaimKind, place: string): { repository: string } | { domain: string } =>
  isInRepository(kind) ? { repository: place } : { domain: place };

/** `line`: no line that counts. `place`: the repository is missing, empty or moved. */
export type Missing = 'line' | 'place';

export const claimTable = table('claim', ['handle'], {
  handle: text,
  state: oneOf<'claimed' | 'suspended'>(),
  suspended_reason: optional(text),
  claimed_at: text,
  kind: oneOf<ClaimKind>(),
  /** The repository's address, or the domain of the namespace. */
  place: text,
  place_key: text,
  seen: optional(json<SeenFacts>()),
  root: text,
  /** Counts the claims of this listing by the same root, from 0. */
  root_generation: integer,
  /** When the root first proved a claim with this generation. */
  first_proved_at: text,
  /** Of the proof at `claimed_at`, if the host names commits. */
  commit: optional(text),
  /** The commit of HEAD at which a claim line that counts was last read, and the time of that reading. */
  proven_commit: optional(text),
  proven_at: optional(text),
  /**
   * The latest of these: the beginning of the claim, its last move, the last authoritative reading that found
   * a line that counts, and the last re-check that found none.
   */
  checked_at: text,
  /**
   * When a check after `checked_at` failed or proved nothing. Frequent requests leave it as it is, so that
   * they cannot postpone the re-check.
   */
  tried_at: optional(text),
  /**
   * `line`: when a first check found no line that counts. `place`: when a first check found the repository
   * missing, empty or moved (`toNoted`).
   */
  missing: optional(json<Readonly<Partial<Record<Missing, string>>>>()),
  /** The first ten days (UTC, YYYY-MM-DD) after `checked_at` on which checks failed. */
  failed_days: optional(words<string>()),
});
/** Times are RFC 3339 UTC. */
export type Claim = TableValue<typeof claimTable>;

/**
 * `waiting`: nobody with a capability asked for its line, and it has never worked. `leaked`: found published.
 * Like a `revoked` one, it has ended for good.
 */
export type CapabilityState = 'waiting' | 'active' | 'suspended' | 'revoked' | 'leaked';

export const capabilityTable = table('capability', ['hash'], {
  /** SHA-256 of the secret, hex. */
  hash: text,
  id: text,
  handle: text,
  state: oneOf<CapabilityState>(),
  issued_at: text,
  /** While it waits: when the first of the readings in `found_days` was. */
  activated_at: text,
  /** The days (UTC, YYYY-MM-DD) on which readings found a line that waits, since one last missed it. */
  found_days: optional(words<string>()),
  /** When a first reading of the file did not find the line. */
  missing_at: optional(text),
  ended_at: optional(text),
  /** The key that signed its challenge (`toKeyText`), only by `registry_key`. */
  signed_by: optional(text),
});
/** Times are RFC 3339 UTC. */
export type Capability = TableValue<typeof capabilityTable>;

export const claimStates = ['imported', 'claimed', 'suspended'] as const;

/** RFC 7517 */
export const receiptJwk = z.object({
  kty: z.enum(['OKP', 'EC']),
  crv: z.enum(['Ed25519', 'P-256', 'secp256k1']),
  x: z.string(),
  y: z.string().optional(),
});

export const claimEvents = {
  activated: { words: 'claimed', leaf: 'claim.activated' },
  rotated: { words: 'claimed with another capability', leaf: 'claim.activated' },
  restored: { words: 'claim in force again', leaf: 'claim.activated' },
  moved: { words: 'claim moved', leaf: 'claim.activated' },
  suspended: { words: 'claim suspended', leaf: 'claim.suspended' },
  line_added: {
    words: 'a line was added without a capability of the claim; it works after it has stood for seven days',
    leaf: 'claim.line_added',
  },
  revoked: { words: 'a capability of the claim was revoked', leaf: 'capability.revoked' },
  listing_withdrawn: { words: 'no longer listed', leaf: 'listing.withdrawn' },
  listing_restored: { words: 'listed again', leaf: 'listing.restored' },
  keys_changed: { words: 'keys for receipts changed', leaf: 'claim.keys_changed' },
} as const satisfies Readonly<Record<string, { words: string; leaf: LeafType }>>;
type ClaimEventType = keyof typeof claimEvents;

export const claimEvent = z.object({
  type: z.enum(Object.keys(claimEvents) as [ClaimEventType, ...ClaimEventType[]]),
  at: z.string(),
  kind: claimKind,
  repository: z.string().optional(),
  domain: z.string().optional(),
  root: z.string().optional().describe('The account or domain that held the claim'),
  root_generation: z.int().optional().describe('Counts the claims by that account or domain, from 0'),
  commit: z.string().optional(),
  reason: z.string().optional(),
  keys: z
    .object({ published: z.int(), ended: z.int() })
    .optional()
    .describe('How many receipt keys were first seen, and how many ended; the log entry has their digests'),
  log_index: z.int(),
});

export type ClaimEvent = z.infer<typeof claimEvent>;

const claimFileLimit_bytes = 16_384;
const challengeLimit = 64;

// A fixed length between the look-arounds makes matching take linear time.
const challengePattern = /(?<![\w.-])dossier-claim-v1\.[A-Za-z0-9_-]{72}(?![\w-])/g;
const optoutPattern = /^optout[ \t]+(\S{3,200})$/;
const supersededPattern = /^[ \t]*superseded-by:?[ \t]+<?([^\s<>]{3,200})>?[ \t]*(?:#.*)?$/m;

const observeNoPattern = /^[ \t]*observe:[ \t]*no[ \t]*$/m;

/** 'too_large' for more than 16 KiB, 64 challenges or 64 capabilities. */
export function parseClaimFile(text: string) {
  if (Buffer.byteLength(text) > claimFileLimit_bytes) return 'too_large' as const;
  const challenges = [...new Set(text.match(challengePattern))];
  const secrets = findCapabilities(text);
  if (challenges.length > challengeLimit || secrets.length > challengeLimit) return 'too_large' as const;
  const optouts = text
    .split(/[\r\n]+/)
    .flatMap((line) => handleSchema.safeParse(optoutPattern.exec(line.trim())?.[1]).data ?? []);
  return {
    challenges,
    /** Published by mistake. */
    secrets,
    optouts,
    /** `observe: no`: Dossier sends no requests to the endpoints, websites and package files. */
    isObservationRefused: observeNoPattern.test(text),
    /** The first line `superseded-by <handle>`: that listing replaces the others of this repository. */
    supersededBy: handleSchema.safeParse(supersededPattern.exec(text.replaceAll('\r', '\n'))?.[1]).data,
    receiptKeys: parseReceiptKeys(text),
  };
}

export type ClaimFile = Exclude<ReturnType<typeof parseClaimFile>, string>;

const forgeNamespaces = /^io\.git(hub|lab)\./;
/** RFC 1123 section 2.1. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const longestName = 230;

/** Undefined for a forge account, and for a name that is too long or that nobody can register. */
export function namespaceDomain(handle: string): string | undefined {
  const namespace = handleParts(handle).namespace.toLowerCase();
  if (forgeNamespaces.test(namespace)) return undefined;
  const labels = namespace.split('.').toReversed();
  const domain = labels.join('.');
  const isName = domain.length <= longestName && labels.every((one) => label.test(one));
  return isName && getDomain(domain, { allowPrivateDomains: true }) ? domain : undefined;
}

const mostNames = 5;

/**
 * Up to the registrable domain, because a record in the DNS of any of them proves the namespace. Of more than
 * five, the first and the last four.
 */
export function domainsAbove(domain: string): string[] {
  const registrable = getDomain(domain, { allowPrivateDomains: true }) ?? domain;
  const labels = domain.split('.');
  const last = labels.length - registrable.split('.').length;
  const names = labels.slice(0, last + 1).map((_, at) => labels.slice(at).join('.'));
  return names.length > mostNames ? [domain, ...names.slice(1 - mostNames)] : names;
}

/** Also below the domain. */
export const remotesOn = (domain: string, remotes: readonly { readonly url: string }[]): string[] => [
  ...new Set(
    remotes
      .map(({ url }) => URL.parse(url.replace(/[{}]/g, '_'))?.hostname.toLowerCase() ?? '')
      .filter((host) => host === domain || host.endsWith(`.${domain}`)),
  ),
];

export const optOutTable = table('opt_out', ['handle', 'kind', 'place_key'], {
  handle: text,
  /**
   * `seen`: waits for a second check. `overruled`: the operator restored the listing. `contested`: no effect
   * while a different account or domain holds the claim (`isHeld`); `dossier doctor` shows it.
   */
  state: oneOf<'seen' | 'withdrawn' | 'overruled' | 'contested'>(),
  kind: oneOf<ClaimKind>(),
  place: text,
  place_key: text,
  seen_at: text,
  checked_at: text,
  /** When a first check found no text at all where the line was. */
  missing_at: optional(text),
  /** As its record states it, so that it can be restored. */
  listing: optional(json<Listing>()),
});
/** A line `optout <handle>` that a check read. Times are RFC 3339 UTC. */
export type OptOut = TableValue<typeof optOutTable>;

/** No text was found where a line belongs. */
export const absences: readonly string[] = ['file_absent', 'well_known_absent', 'dns_no_record'];

/** Its events alone determine these columns. */
export type LoggedClaim = Pick<
  Claim,
  | 'state'
  | 'suspended_reason'
  | 'kind'
  | 'place'
  | 'root'
  | 'root_generation'
  | 'first_proved_at'
  | 'claimed_at'
  | 'commit'
>;

const proofs = ['activated', 'rotated', 'restored', 'moved'] as const satisfies readonly ClaimEvent['type'][];

export const isProof = ({ type }: Pick<ClaimEvent, 'type'>): boolean =>
  (proofs as readonly string[]).includes(type);

export const rootKey = ({ root, root_generation }: Partial<Pick<Claim, 'root' | 'root_generation'>>) =>
  `${root} ${root_generation}`;

type ProofEvent = Pick<ClaimEvent, 'type' | 'at' | 'commit'> &
  Pick<Claim, 'kind' | 'place' | 'root' | 'root_generation'>;

/**
 * A claim that is neither new nor moved keeps its own values, because the listing may record another spelling
 * of the location by now.
 */
export function afterProof(before: LoggedClaim | undefined, event: ProofEvent): LoggedClaim {
  const { type, at, commit, kind, place, root, root_generation } = event;
  const isSameRoot = before && rootKey(before) === rootKey(event);
  const isNew = !before || type === 'activated' || type === 'moved';
  return {
    state: 'claimed',
    suspended_reason: undefined,
    root,
    root_generation,
    first_proved_at: isSameRoot ? before.first_proved_at : at,
    ...(isNew
      ? { kind, place, claimed_at: at, commit }
      : { kind: before.kind, place: before.place, claimed_at: before.claimed_at, commit: before.commit }),
  };
}

export const afterSuspension = <Known extends LoggedClaim>(before: Known, reason: string | undefined) => ({
  ...before,
  state: 'suspended' as const,
  suspended_reason: reason,
});

export function afterEvent(before: LoggedClaim | undefined, event: ClaimEvent): LoggedClaim | undefined {
  if (event.type === 'suspended') return before && afterSuspension(before, event.reason);
  if (!isProof(event)) return before;
  const { repository, domain, root = '', root_generation = 0 } = event;
  return afterProof(before, { ...event, place: repository ?? domain ?? '', root, root_generation });
}

/**
 * In the order of the log. Writes make the row by the same steps, so that the audit can compare it with the
 * events.
 */
export const foldClaim = (events: readonly ClaimEvent[]): LoggedClaim | undefined =>
  events.reduce<LoggedClaim | undefined>(afterEvent, undefined);
