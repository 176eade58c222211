import { z } from 'zod';
import { parseForeignJson } from '../core/json.ts';
import { coded } from '../core/text.ts';
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
  const { version, updated_at: since, origin_status, remotes, packages, repository } = document;
  return [
    ['version', { value: version, since }],
    ['status', { value: origin_status, since }],
    ['repository', { value: repository ?? 'none recorded', since }],
    ...remotes.map(({ type, url }): [string, LockedFact] => [`remote ${url}`, { value: type, since }]),
    ...packages.map((one): [string, LockedFact] => [
      `package ${one.registry_type}:${one.identifier}`,
      { value: one.version ?? 'no version recorded', since },
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
  /** Since when it is so, RFC 3339, if that is known; else the day on which it was read. */
  readonly when: string;
  readonly when_is: 'since' | 'as_of';
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
    const when = after?.since ?? now.as_of;
    const when_is = after?.since === undefined ? 'as_of' : 'since';
    return [{ handle, fact, from: before?.value, to: after?.value, when, when_is }];
  });
}

/** A listing that can no longer be read: withdrawn, or unknown where it is looked for. */
export const toGone = (handle: string, why: string, when: string): LockDifference => ({
  ...{ handle, fact: 'listing' },
  from: 'listed',
  ...{ to: why, when, when_is: 'as_of' },
});

const shown = (value: string | undefined) => (value === undefined ? 'nothing' : coded(value));

/** The kind of a fact is ours; what it is about is an address or a name that a publisher wrote. */
function factText(fact: string): string {
  const end = fact.indexOf(' ');
  return end < 0 ? fact : `${fact.slice(0, end)} ${coded(fact.slice(end + 1))}`;
}

/** A difference on one line. Values are the words of publishers, services and registries: in code spans, or quoted. */
export const differenceText = ({ handle, fact, from, to, when, when_is }: LockDifference): string =>
  `${handle}: ${factText(fact)} changed from ${shown(from)} to ${shown(to)}, ${when_is === 'since' ? 'known since' : 'as of'} ${when.slice(0, 10)}`;
