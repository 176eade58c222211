import { type ClaimEvent, foldClaim } from '../../claims/claim.ts';
import { say, toText, within, wordsSchema } from '../../core/words.ts';
import { ownersOf, secretsOf } from '../../listings/naming.ts';
import { changeWords, toldChanges } from '../../observations/known/changes/telling.ts';
import { registryLastUpdate } from '../../observations/known/kinds/record.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import type { Observation } from '../../observations/known/observation.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import type { ListingDocument } from '../listing-document.ts';
import { between, knownValue, turnsWords } from '../seen.ts';
import type { LockChanges, LockedFact, LockedListing } from './lock-file.ts';

/** A stale observation is, too. A request for credentials is compared as `auth.required`. */
function isComparable(one: Observation): boolean {
  const { outcome } = one;
  if (outcome === 'asks') return one.kind === priceOffers.kind && one.asks_for === 'payment';
  return outcome === 'seen' || outcome === 'nothing' || outcome === 'absent';
}

/** A shortened value is compared by its digest. */
function lockedValue(one: Pick<Observation, 'value' | 'value_digest' | 'outcome'>): LockedFact['value'] {
  const { value, value_digest, outcome } = one;
  if (value === null) return outcome;
  return typeof value === 'object' && value_digest
    ? { sha256: value_digest }
    : (value as LockedFact['value']);
}

function observed(one: Observation): LockedFact {
  const { kind, value, first_seen_at, method_version, missed_since, reason } = one;
  const seen = {
    since: first_seen_at,
    is_observed: true as const,
    method_version,
    ...(missed_since && {
      missed_since,
      ...(reason && value !== null && { reason: toText(wordsSchema.parse(reason)) }),
    }),
  };
  const words = value !== null && typeof value === 'object' && kindOf(kind)?.say?.(one);
  return { value: lockedValue(one), ...(words && { text: toText(words) }), ...seen };
}

const nameOfLocked = ({ kind, subject }: Observation) =>
  subject === undefined ? kind : `${kind} ${subject}`;

function recordFacts(document: ListingDocument): [string, LockedFact][] {
  const { version, updated_at: since, origin_status, remotes, packages, repository } = document;
  const owners = ownersOf(document);
  const secrets = secretsOf({
    remotes: remotes.map((one, at) => ({ ...one, places: [owners.remotes[at]?.place ?? ''] })),
    packages: packages.map((one, at) => ({ ...one, name: owners.packages[at]?.name ?? '' })),
  });
  return [
    ['version', { value: version, since }],
    ['status', { value: origin_status, since: knownValue(document, registryLastUpdate) ?? since }],
    ['repository', { value: repository ?? 'none recorded', since }],
    ...remotes.map(({ type, url }): [string, LockedFact] => [`remote ${url}`, { value: type, since }]),
    ...packages.map((one): [string, LockedFact] => [
      `package ${one.registry_type}:${one.identifier}${one.registry_base_url ? ` in ${one.registry_base_url}` : ''}`,
      { value: one.version ?? 'no version recorded', since },
    ]),
    ...[...secrets.values()].map(({ name, required, to }): [string, LockedFact] => [
      `secret ${name}`,
      { value: `${required ? 'needed by' : 'taken by'} ${[...to].sort().join(', ')}`, since },
    ]),
  ];
}

const toClaimed = (
  events: readonly ClaimEvent[],
  { state, commit }: { state?: string; commit?: string | undefined } = foldClaim(events) ?? {},
) => `${state}${commit ? ` at ${commit}` : ''}`;

function claimFact({ state, claim }: ListingDocument): LockedFact {
  if (!claim) return { value: state };
  const { history, claimed_at, commit } = claim;
  const last = history.findLast(
    (_, at) => toClaimed(history.slice(0, at)) !== toClaimed(history.slice(0, at + 1)),
  );
  return { value: toClaimed([], { state, commit }), since: last?.at ?? claimed_at };
}

export function toLocked(document: ListingDocument): LockedListing {
  const facts = Object.fromEntries([
    ...recordFacts(document),
    ['claim', claimFact(document)],
    ...document.observations
      .filter((one) => kindOf(one.kind)?.isLocked && isComparable(one))
      .map((one) => [nameOfLocked(one), observed(one)] as const),
  ]);
  const log_index = document.claim?.history.at(-1)?.log_index;
  return { as_of: document.evidence_snapshot_date, facts, ...(log_index !== undefined && { log_index }) };
}

/** In the order of time; only of kinds that have words for a change. */
export const toChanges = ({ observations }: ListingDocument): LockChanges =>
  Object.fromEntries(
    observations.flatMap((one) => {
      const { isLocked, isToldByChange } = kindOf(one.kind) ?? {};
      if (!isLocked || !(isToldByChange || typeof one.value === 'string')) return [];
      const told = toldChanges(one).toSorted((a, b) => (a.first_seen_at < b.first_seen_at ? -1 : 1));
      const changes = told.flatMap((change) => {
        const { changed_from, first_seen_at: since } = change;
        const words = changeWords(one, change, between(change));
        if (!words) return [];
        const text = toText(within(say`${words}${turnsWords(changed_from.turns)}`));
        return [{ from: lockedValue(changed_from), since, text }];
      });
      return changes.length > 0 ? [[nameOfLocked(one), changes] as const] : [];
    }),
  );
