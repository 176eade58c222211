import { z } from 'zod';
import { parseForeignJson } from '../core/json.ts';
import { canonicalDigest } from '../log/leaf.ts';
import type { Observation, ObservationState } from '../observations/observation.ts';
import type { ListingDocument } from './listing-document.ts';

/** One fact as it was locked: what it said, and since when that was so, where that is known. */
const lockedFact = z.object({ value: z.string(), since: z.string().optional() });
type LockedFact = z.infer<typeof lockedFact>;

const lockedListing = z.object({
  as_of: z.string(),
  facts: z.record(z.string(), lockedFact),
  log_index: z.int().optional(),
});
export type LockedListing = z.infer<typeof lockedListing>;

/** The content of dossier.lock.json: facts that a later check compares, by listing (docs/changes.md). */
const lockFile = z.object({
  lockfile_version: z.literal(1),
  from: z.string(),
  locked_at: z.string(),
  listings: z.record(z.string(), lockedListing),
});
export type LockFile = z.infer<typeof lockFile>;

export const readLockFile = (text: string): LockFile | undefined =>
  lockFile.safeParse(parseForeignJson(text)).data;

/** Observed kinds that are locked: what a caller of the service relies on. */
const lockedKinds: ReadonlySet<string> = new Set([
  'tools.surface',
  'auth.required',
  'price.challenge',
  'price.pay_to',
  'price.openapi',
  'price.catalog',
  'package.deprecated',
  'package.provenance',
  'repository.exists',
]);

/** States in which nothing is known now, so that there is nothing to compare. */
const unknownStates: ReadonlySet<ObservationState> = new Set([
  'not_checked',
  'stale',
  'refused',
  'unreachable',
  // Of credentials as such auth.required tells.
  'auth_first',
]);

/** JSON without what Dossier adds to an offer. */
const asSent = (offers: unknown): unknown =>
  JSON.parse(JSON.stringify(offers, (name, value) => (name === 'our_conversion' ? undefined : value)));

/** The value of a price shows its first offer only, so the digest of all offers stands behind it. */
function observed({ kind, value, state, details, first_seen_at }: Observation): LockedFact {
  const text = value === null ? state : String(value);
  const offers = kind.startsWith('price.') ? (details?.offers ?? details?.operations) : undefined;
  if (!offers) return { value: text, since: first_seen_at };
  const digest = canonicalDigest(asSent(offers) as object);
  return { value: `${text} (all offers: sha256 ${digest})`, since: first_seen_at };
}

const nameOf = ({ kind, subject }: Observation) => (subject === undefined ? kind : `${kind} ${subject}`);

function recordFacts(document: ListingDocument): [string, LockedFact][] {
  const { version, updated_at, origin_status, remotes, packages, repository = 'none recorded' } = document;
  return [
    ['version', { value: version, since: updated_at }],
    ['status', { value: origin_status }],
    ['repository', { value: repository }],
    ...remotes.map(({ type, url }): [string, LockedFact] => [`remote ${url}`, { value: type }]),
    ...packages.map((one): [string, LockedFact] => [
      `package ${one.registry_type}:${one.identifier}`,
      { value: one.version ?? 'no version recorded' },
    ]),
  ];
}

function claimFact({ state, claim }: ListingDocument): LockedFact {
  const commit = claim?.commit ? ` at ${claim.commit}` : '';
  return claim ? { value: `${state}${commit}`, since: claim.claimed_at } : { value: state };
}

/** The facts of a listing document that a lock file holds: what its record says, and what Dossier knows from its checks. */
export function toLocked(document: ListingDocument): LockedListing {
  const facts = Object.fromEntries([
    ...recordFacts(document),
    ['claim', claimFact(document)],
    ...document.observations
      .filter(({ kind, state }) => lockedKinds.has(kind) && !unknownStates.has(state))
      .map((one) => [nameOf(one), observed(one)] as const),
  ]);
  const log_index = document.claim?.history.at(-1)?.log_index;
  return { as_of: document.evidence_snapshot_date, facts, ...(log_index !== undefined && { log_index }) };
}

export interface LockDifference {
  readonly handle: string;
  readonly fact: string;
  /** Undefined if the fact was not locked, or is gone. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Since when it is so, RFC 3339, where that is known; else the date up to which it was compared. */
  readonly when: string;
}

/**
 * The facts of one listing that differ from what was locked, in the order of their names. What Dossier observed is compared
 * only if both sides know it; what the record says is compared always.
 */
export function compareLocked(handle: string, locked: LockedListing, now: LockedListing): LockDifference[] {
  const names = [...new Set([...Object.keys(locked.facts), ...Object.keys(now.facts)])].sort();
  return names.flatMap((fact): LockDifference[] => {
    const [before, after] = [locked.facts[fact], now.facts[fact]];
    if (before?.value === after?.value) return [];
    if (lockedKinds.has(fact.split(' ')[0] ?? '') && !(before && after)) return [];
    return [{ handle, fact, from: before?.value, to: after?.value, when: after?.since ?? now.as_of }];
  });
}

/** A listing that can no longer be read: withdrawn, or unknown where it is looked for. */
export const toGone = (handle: string, why: string, when: string): LockDifference => ({
  ...{ handle, fact: 'listing' },
  from: 'listed',
  to: why,
  when,
});

const shown = (value: string | undefined) => value ?? 'nothing';

export const differenceText = ({ handle, fact, from, to, when }: LockDifference): string =>
  `${handle}: ${fact} changed from ${shown(from)} to ${shown(to)}, known since ${when.slice(0, 10)}`;
