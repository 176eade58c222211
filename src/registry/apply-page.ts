import { isDeepStrictEqual } from 'node:util';
import { recordRestored } from '../claims/opt-out.ts';
import { suspendClaim } from '../claims/suspend.ts';
import type { QuarantinedRecord } from '../evidence/import-run.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import { type RecordedIdentity, recordedIdentities } from '../evidence/rating/identity.ts';
import type { Transaction } from '../store/store.ts';
import { recordedOf } from './entry/recorded.ts';
import { toChanges } from './listing-changes.ts';
import { changesRepository, type PagePlan, withdraws } from './page-plan.ts';

/** The source of the signals that the import derives. */
export const signalSource = 'registry';

/** What is written besides the plan. */
export interface PageWrite {
  readonly runId: number;
  readonly at: string;
  /** Whether the quarantine may hold entries that are readable now and must be released. */
  readonly mayRelease: boolean;
  /** Whether what the page changes goes into the stream of changes: not in the first import, which it begins after. */
  readonly isRecorded: boolean;
}

function toQuarantine({ quarantined }: PagePlan, { runId, at }: PageWrite): QuarantinedRecord[] {
  const rows = quarantined.map((one): QuarantinedRecord => ({ ...one, run_id: runId, seen_at: at }));
  return [...new Map(rows.map((row) => [`${row.name}\n${row.version}`, row])).values()];
}

async function updateClaims(tx: Transaction, { listings }: PagePlan, at: string): Promise<void> {
  for (const change of listings) {
    const { handle } = change.listing;
    if (changesRepository(change) && (await tx.claims.claim(handle))?.kind === 'repository')
      await suspendClaim(tx, { handle, reason: 'repository_changed', at });
    if (withdraws(change)) await suspendClaim(tx, { handle, reason: 'withdrawn', at });
    if (change.optOut) await recordRestored(tx, change.optOut, { at, reason: 'repository_changed' });
    // A withdrawn listing has no facets of its claim and ratings.
    if (change.known?.withdrawn && !change.listing.withdrawn) await tx.listings.reindex(handle);
  }
}

/** Every account and host that the versions of a page name, deleted versions included, each once. */
function toIdentities({ versions }: PagePlan, at: string): RecordedIdentity[] {
  const named = versions.flatMap((version) =>
    recordedIdentities(version.handle, recordedOf(version)).map((identity) => ({
      handle: version.handle,
      ...identity,
      first_imported_at: at,
    })),
  );
  return [...new Map(named.map((one) => [`${one.handle} ${one.kind} ${one.value}`, one])).values()];
}

/** What a look asks, as a listing records it. */
const lookedAt = ({ remotes, packages, repository, website }: Listing) => ({
  remotes: remotes.map(({ type, url }) => [type, url]),
  packages: packages.map(({ registry_type, identifier, version }) => [registry_type, identifier, version]),
  ...{ repository, website },
});

/** Listings that now record something else to look at. */
const renamed = ({ listings }: PagePlan): string[] =>
  listings
    .filter(({ known, listing }) => known && !isDeepStrictEqual(lookedAt(known), lookedAt(listing)))
    .map(({ listing: { handle } }) => handle);

/** Writes a page in the caller's transaction: versions, listings, signals, quarantine, and its effect on claims. */
export async function applyPage(tx: Transaction, plan: PagePlan, write: PageWrite): Promise<void> {
  await tx.listings.putVersions(plan.versions, write.at);
  await tx.ratings.putIdentities(toIdentities(plan, write.at));
  await tx.listings.putListings(plan.listings.filter(({ differs }) => differs).map(({ listing }) => listing));
  await tx.listings.putSignals(
    plan.listings.map(({ listing: { handle }, signals }) => ({ handle, source: signalSource, signals })),
  );
  for (const { optOut } of plan.optedOut) await tx.listings.putOptOut(optOut);
  await tx.listings.putSignals(
    plan.optedOut.map(({ optOut: { handle }, signals }) => ({ handle, source: signalSource, signals })),
  );
  await tx.observations.setDue(renamed(plan), write.at);
  if (write.mayRelease) await tx.imports.release(plan.readable);
  await tx.imports.quarantine(toQuarantine(plan, write));
  await updateClaims(tx, plan, write.at);
  if (write.isRecorded) await tx.changes.add(toChanges(plan.listings, write.at));
}
