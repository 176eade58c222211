import { claimStates } from '../claims/claim.ts';
import { type Config, vantageOf } from '../config/config.ts';
import type { Context } from '../context.ts';
import { isWebAddress } from '../core/text.ts';
import { count, day, say, type Words } from '../core/words.ts';
import { type ImportStatus, readImportStatus } from '../imports/import-once.ts';
import { type ImportRun, lackedByAll } from '../imports/import-run.ts';
import type { ImportReport, StatusDocument } from './listing-document.ts';

const quarantinedShown = 20;

function toReport({ kind, source, started_at, finished_at, progress }: ImportRun): ImportReport {
  const { counts, newestUpdatedAt } = progress;
  const isCopy = source.startsWith('file:');
  return {
    kind,
    source,
    started_at,
    ...(finished_at && { finished_at }),
    ...(isCopy && newestUpdatedAt && { newest_change: newestUpdatedAt }),
    counts,
  };
}

function toImportDocument(
  { state, run, done, lastSeen_at }: ImportStatus,
  { registryUrl, importInterval_s }: Config,
): StatusDocument['import'] {
  const isOfRegistry = isWebAddress(registryUrl);
  return {
    state,
    ...(run && { newest: toReport(run) }),
    ...(done && { last_completed: toReport(done) }),
    ...(lastSeen_at && { last_seen_at: lastSeen_at }),
    // Ours, without quotes from a response (imports/import-run.ts).
    ...(run?.error && { error: run.error }),
    is_retried:
      isOfRegistry && run !== undefined && URL.parse(run.source)?.host === new URL(registryUrl).host,
    updates_from: isOfRegistry ? 'registry' : registryUrl === 'off' ? 'nothing' : 'saved_copy',
    ...(isOfRegistry && { interval_s: importInterval_s }),
  };
}

async function countListings({ store }: Context): Promise<StatusDocument['listings']> {
  const { listings, imports } = store;
  const counts = await listings.facetCounts('state');
  const by_state = { imported: 0, claimed: 0, suspended: 0 };
  for (const state of claimStates)
    by_state[state] = counts.find(({ facet }) => facet === `state:${state}`)?.listings ?? 0;
  const { run } = await imports.last();
  const copy_lacks = lackedByAll(run?.progress.recorded);
  return { count: await listings.count(), by_state, ...(copy_lacks.length > 0 && { copy_lacks }) };
}

async function readObserver({ store, config }: Context): Promise<StatusDocument['observer']> {
  const last_observed_at = await store.observations.lastRunAt();
  return {
    observe: config.observe,
    interval_s: config.observeInterval_s,
    vantage: vantageOf(config),
    listings_observed: await store.observations.count(),
    ...(last_observed_at && { last_observed_at }),
  };
}

export const noneChecked = 'Dossier has checked no listing';

/** Undefined if there is none. */
export async function readChecked(context: Context): Promise<Words | undefined> {
  const { listings_observed, last_observed_at: last } = await readObserver(context);
  if (last === undefined) return undefined;
  return say`It has checked ${count(listings_observed, 'listing')}, the last on ${day(last)};`;
}

export async function readStatus(context: Context): Promise<StatusDocument> {
  const { config, clock, store } = context;
  const reasons = await store.imports.quarantineReasons();
  const rows = await store.imports.quarantined(quarantinedShown);
  return {
    service: config.serviceName,
    version: config.version,
    as_of: clock().toISOString(),
    ...(config.registryUrl !== 'off' && { origin: config.origin }),
    listings: await countListings(context),
    import: toImportDocument(await readImportStatus(context), config),
    observer: await readObserver(context),
    quarantine: {
      records: reasons.reduce((sum, { records }) => sum + records, 0),
      reasons,
      newest: rows.map(({ name, version, reason, seen_at }) => ({ name, version, reason, seen_at })),
    },
    untrusted_fields: ['quarantine.newest'],
  };
}

/** A fault found does not make the node unready. */
async function readAudit({ store }: Pick<Context, 'store'>) {
  const last = await store.health.audits.last();
  if (!last) return { state: 'not_finished' as const };
  const { finished_at, entries, faults } = last;
  return { state: faults > 0 ? ('differs' as const) : ('holds' as const), finished_at, entries, faults };
}

/** Through `store.health`, which waits for no other read. */
export async function readReadiness(context: Pick<Context, 'store'>) {
  const { store } = context;
  const listings = await store.health.listings.count();
  const ready = listings > 0 && (await store.isWell());
  return { ready, listings, audit: await readAudit(context) };
}
