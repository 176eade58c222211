import type { ListingDocument } from '../listing/listing-document.ts';
import type { Observation } from '../observation/observation.ts';
import type { LockedFact, LockedListing } from './lock-file.ts';

/** Observed kinds that are locked: what a caller of the service relies on. */
const lockedKinds: ReadonlySet<string> = new Set([
  'tools.surface',
  'auth.required',
  'price.challenge',
  'package.deprecated',
  'package.provenance',
  'repository.exists',
]);

const isLocked = ({ kind, state }: Observation) =>
  lockedKinds.has(kind) && state !== 'not_checked' && state !== 'stale';

const observed = ({ value, state, first_seen_at }: Observation): LockedFact => ({
  value: value === null ? state : String(value),
  since: first_seen_at,
});

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

/** The facts of a listing document that a lock file holds. Where Dossier has not looked, there is no fact to compare. */
export function toLocked(document: ListingDocument): LockedListing {
  const facts = Object.fromEntries([
    ...recordFacts(document),
    ['claim', claimFact(document)],
    ...document.observations.filter(isLocked).map((one) => [nameOf(one), observed(one)] as const),
  ]);
  const log_index = document.claim?.history.at(-1)?.log_index;
  return { as_of: document.evidence_snapshot_date, facts, ...(log_index !== undefined && { log_index }) };
}
