import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { isGone, type ListingVersion, type VersionSummary } from '../listings/listing.ts';
import type { ListingReads } from '../listings/reads.ts';
import type { FormerReference } from '../listings/references/former.ts';
import { placeKeysOf, placesBeyond, versionKeysOf } from '../listings/references/of-record.ts';
import { ownerKeysOf } from '../listings/references/references.ts';
import {
  type ComparedVersion,
  compareVersion,
  isListed,
  type ShownRecord,
  toMoves,
  versionsInOrder,
} from '../listings/version-moves.ts';
import type { DerivedRecord } from '../listings/writes.ts';
import { publisherFields } from '../observations/known/kinds/record.ts';
import type { Lease } from '../store/store.ts';
import { changesBetween } from './changed-fields.ts';
import { namingOf } from './naming.ts';
import { recordedOf, toListing, toRecorded } from './recorded.ts';

const mostVersions = 200;
const mostFormer = 150;

/**
 * Of the other versions than the shown one, or else than the newest. `until`: the next newer version's
 * publication; of one that is later than the shown one, its own.
 */
function toFormer(newestFirst: readonly ListingVersion[], { version = '' } = {}): FormerReference[] {
  const shown = newestFirst.find((one) => one.version === version) ?? newestFirst[0];
  if (!shown) return [];
  const [later = [], older = []] = [true, false].map((isLater) =>
    newestFirst.filter((one) => one !== shown && one.published_at > shown.published_at === isLater),
  );
  const named = new Set(placeKeysOf(recordedOf(shown)));
  let until = shown.published_at;
  const former: FormerReference[] = [];
  for (const version of [...later, ...older]) {
    const isLater = version.published_at > shown.published_at;
    for (const key of placeKeysOf(recordedOf(version))) {
      if (named.has(key)) continue;
      named.add(key);
      former.push({ key, until: isLater ? version.published_at : until });
    }
    if (former.length >= mostFormer) break;
    if (!isLater) until = version.published_at;
  }
  return former.slice(0, mostFormer);
}

const timeOf = ({ published_at, version }: ListingVersion) => `${published_at} ${version}`;

interface Deriving {
  readonly handle: string;
  /** With stored comparisons. */
  readonly versions: readonly VersionSummary[];
  /** Other than the stored ones, by version. */
  readonly rows: ReadonlyMap<string, ListingVersion>;
  readonly shown: ListingVersion | undefined;
}

const lastOfEach = (all: readonly FormerReference[]): FormerReference[] =>
  [
    ...new Map(all.toSorted((a, b) => (a.until < b.until ? -1 : 1)).map((one) => [one.key, one])).values(),
  ].slice(-mostFormer);

/** Before its last version is stored without a record. */
function ofDeleted({ handle, versions }: Deriving, newest: readonly ListingVersion[]): FormerReference[] {
  const [last] = newest;
  const [until = ''] = versions.map(({ updated_at }) => updated_at).toSorted((a, b) => (a < b ? 1 : -1));
  const keys = [...ownerKeysOf(handle), ...(last ? placeKeysOf(recordedOf(last)) : [])];
  return [...keys.map((key) => ({ key, until })), ...toFormer(newest)];
}

/**
 * From the versions alone, so that one full import and many small ones agree. Undefined if what is stored
 * stays.
 */
async function deriveFormer(
  reads: ListingReads,
  deriving: Deriving,
  comparedOf: (version: string) => Promise<ComparedVersion>,
): Promise<FormerReference[] | undefined> {
  const { handle, versions, rows } = deriving;
  const isDeleted = versions.every(({ status }) => status === 'deleted');
  if (versions.length < 2 && !isDeleted) return [];
  const stored = await reads.datedVersions(handle, mostVersions);
  if (isDeleted && stored.length === 0) return undefined;
  const deleted: FormerReference[] = [];
  for (const { version, updated_at: until } of versions.filter((one) => !isListed(one) && one.derived))
    for (const key of (await comparedOf(version)).places ?? []) deleted.push({ key, until });
  if (isDeleted) return lastOfEach([...ofDeleted(deriving, stored), ...deleted]);
  const read = [...rows.values()].filter(({ status, undated }) => status !== 'deleted' && !undated);
  const all: ListingVersion[] = [...stored.filter(({ version }) => !rows.has(version)), ...read];
  const newest = all.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
  const shown = deriving.shown && placeKeysOf(recordedOf(deriving.shown));
  const left = deleted.filter(({ key }) => !shown?.has(key));
  return lastOfEach([...toFormer(newest.slice(0, mostVersions), deriving.shown), ...left]);
}

const keysOf = (version: string, recorded: ReturnType<typeof toRecorded>) => ({
  places: [...placeKeysOf(recorded)],
  packages: versionKeysOf(recorded, version),
});

const readBoth = (record: object) => ({ naming: namingOf(record), recorded: toRecorded(record) });

/**
 * Compares each version that is new, or follows another one now, with the one before. Moves stay when one
 * of the two is deleted.
 */
async function compareVersions(reads: ListingReads, { handle, versions, rows }: Deriving) {
  const found = new Map<string, DerivedRecord['versions'][number]>();
  const byName = new Map(versions.map((one) => [one.version, one]));
  const changed = new Set<string>();
  const stored = (version: string) => reads.version(handle, version);
  const comparedOf = async (version: string) => {
    const { compared = '{}' } = found.get(version) ?? (await stored(version)) ?? {};
    return JSON.parse(compared) as ComparedVersion;
  };
  let last: { readonly version: string; readonly read: ReturnType<typeof readBoth> } | undefined;
  const readVersion = async (version: string) => {
    if (last?.version === version) return last.read;
    const row = rows.get(version);
    const { record = '{}' } = (row && isListed(row) ? row : await stored(version)) ?? {};
    return readBoth(JSON.parse(record) as object);
  };
  /** Of deleted versions only these keys stay. */
  const beyondPlaces = async (deleted: readonly string[], recorded: ReturnType<typeof toRecorded>) => {
    const each = (await Promise.all(deleted.map(comparedOf))).map(({ places }) => places);
    return each.includes(undefined) ? [] : placesBeyond(recorded, new Set(each.flatMap((one) => one ?? [])));
  };
  const isStale = ({ version, derived }: VersionSummary, before = '', after?: string) => {
    if (derived?.weight === undefined || (after && derived.after?.version !== after && !derived.with))
      return true;
    // A move is never replaced by no comparison.
    if (before === '' && derived.weight > 0) return false;
    const compared = byName.get(derived.with ?? '');
    const lacks = !derived.fields || (derived.fields.includes('inputs') && !derived.inputs?.needed);
    const isOther = before !== (derived.with ?? '') || changed.has(before) || lacks;
    return changed.has(version) || (isOther && (compared === undefined || isListed(compared)));
  };
  let before: string | undefined;
  const gone: string[] = [];
  for (const one of versionsInOrder(versions) ?? []) {
    const { version } = one;
    if (!isListed(one)) {
      gone.push(version);
      const was = before === undefined && rows.has(version) ? await stored(version) : undefined;
      // Its record is there until this page is written.
      if (was && isListed(was)) before = version;
      continue;
    }
    const row = one.derived && rows.get(version);
    if (row && (await stored(version))?.record !== row.record) changed.add(version);
    const after = before === undefined ? gone.at(-1) : undefined;
    if (isStale(one, before, after)) {
      const was = before === undefined ? undefined : await readVersion(before);
      const compared_before = before === undefined ? {} : await comparedOf(before);
      last = { version, read: await readVersion(version) };
      const { naming, recorded } = last.read;
      const { derived, compared: told } = compareVersion(
        handle,
        was && { ...compared_before, naming: was.naming },
        { naming, ...(was ? changesBetween(was.recorded, recorded) : { fields: [], values: undefined }) },
      );
      const compared: ComparedVersion = { ...told, ...keysOf(version, recorded) };
      // The next one is compared with everything but the move.
      if (
        one.derived &&
        !isDeepStrictEqual({ ...(await comparedOf(version)), move: 0 }, { ...compared, move: 0 })
      )
        changed.add(version);
      const all = {
        ...derived,
        ...(before && { with: before }),
        ...(after && { after: { version: after, others: await beyondPlaces(gone, recorded) } }),
      };
      found.set(version, { version, derived: all, compared: JSON.stringify(compared) });
      await setImmediate();
    }
    before = version;
  }
  for (const { version, derived } of versions) {
    if (derived || found.has(version)) continue;
    const keys = keysOf(version, (await readVersion(version)).recorded);
    found.set(version, { version, derived: {}, compared: JSON.stringify(keys) });
  }
  return { found, comparedOf };
}

/** So that reads neither parse a record nor compare two. */
export async function deriveRecord(reads: ListingReads, deriving: Deriving): Promise<DerivedRecord> {
  const { handle, versions, shown } = deriving;
  const { found, comparedOf } = await compareVersions(reads, deriving);
  const ordered = versionsInOrder(versions.map((one) => ({ ...one, ...found.get(one.version) }))) ?? [];
  const moveOf = async ({ version }: VersionSummary) => (await comparedOf(version)).move;
  const shownRecord = JSON.parse(shown?.record ?? '{}') as object;
  const moves = shown && (await toMoves(ordered, { ...shown, naming: namingOf(shownRecord) }, moveOf));
  const unread = publisherFields(shownRecord);
  const after = ordered.find(({ derived }) => derived?.after)?.derived?.after;
  const record = JSON.stringify({ moves, unread, ...(after && { after }) } satisfies ShownRecord);
  return {
    handle,
    versions: [...found.values()],
    shown: shown && { version: shown.version, record },
    former: await deriveFormer(reads, deriving, comparedOf),
  };
}

const handlesAtOnce = 20;

/**
 * After an upgrade, in short transactions. Call it with the lease of imports, because only imports write
 * records.
 */
export async function deriveMissing(
  { store, log }: Pick<Context, 'store' | 'log'>,
  lease: Lease,
  signal?: AbortSignal,
): Promise<void> {
  const all = await store.listings.underived();
  const numbers = { versions: all.reduce((sum, { versions }) => sum + Number(versions), 0) };
  // The command shows warnings, too.
  if (all.length > 0) log.warn(numbers, 'after an upgrade: comparing all stored versions before the import');
  for (let from = 0; from < all.length; from += handlesAtOnce) {
    const handles = all.slice(from, from + handlesAtOnce).map(({ handle }) => handle);
    const records: DerivedRecord[] = [];
    const readAgain = new Map<string, Parameters<typeof toListing>[1]>();
    const listings = await store.listings.byHandles(handles);
    for (const handle of handles) {
      const { version = '' } = listings.find((one) => one.handle === handle) ?? {};
      const versions = await store.listings.versionSummaries([handle]);
      const shown = await store.listings.version(handle, version);
      records.push(await deriveRecord(store.listings, { handle, versions, rows: new Map(), shown }));
      readAgain.set(handle, { versions, shown, known: undefined });
    }
    await store.write(async (tx) => {
      if (!(await tx.leases.isHeldBy(lease))) throw new Error('another process has taken this import over');
      for (const record of records) await tx.listings.putDerived(record);
      const present = (await tx.listings.byHandles(handles)).filter((one) => !isGone(one));
      await tx.listings.putListings(
        present.map((one) => {
          const read = readAgain.get(one.handle);
          const { origin, imported_at: at, import_run: runId } = one;
          // What is derived of the same record, with the stored place in the order.
          return read?.shown
            ? { ...toListing(one.handle, { ...read, known: one }, { origin, at, runId }), id: one.id }
            : one;
        }),
        { isAnew: true },
      );
    });
    signal?.throwIfAborted();
  }
  if (all.length > 0) log.warn(numbers, 'after an upgrade: all stored versions were compared');
}
