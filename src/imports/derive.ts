import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type DerivedVersion,
  isGone,
  type ListingVersion,
  type VersionSummary,
} from '../listings/listing.ts';
import { deriveOwners } from '../listings/naming.ts';
import type { ListingReads } from '../listings/reads.ts';
import {
  type ComparedVersion,
  compareVersion,
  isListed,
  type ShownRecord,
  toMoves,
  versionsInOrder,
} from '../listings/version-moves.ts';
import type { DerivedRecord } from '../listings/writes.ts';
import { publisherFields } from '../observations/kinds/record.ts';
import type { Lease, Store } from '../store/store.ts';
import { deriveFormer } from './former.ts';
import { namingOf } from './naming.ts';

interface Deriving {
  readonly handle: string;
  /** All versions, with the comparisons that are stored. */
  readonly versions: readonly VersionSummary[];
  /** The versions that differ from the stored ones, by their names. */
  readonly rows: ReadonlyMap<string, ListingVersion>;
  readonly shown: ListingVersion | undefined;
}

/**
 * How many versions behind those that arrived are compared again, because what they are compared with besides
 * the record before them follows from older ones.
 */
const mostFollowing = 30;
/** Few, because versions are compared in their order. */
const mostNamings = 4;

function createReader(reads: ListingReads, { handle, rows }: Deriving) {
  const stored = (version: string) => reads.version(handle, version);
  const namings = new Map<string, ReturnType<typeof namingOf>>();
  return {
    async compared(version: string) {
      const { compared } = (await stored(version)) ?? {};
      return compared === undefined ? undefined : (JSON.parse(compared) as ComparedVersion);
    },
    async naming(version: string) {
      const known = namings.get(version);
      if (known) return known;
      const { record = '{}' } = rows.get(version) ?? (await stored(version)) ?? {};
      const naming = namingOf(JSON.parse(record) as object);
      for (const oldest of namings.keys()) if (namings.size >= mostNamings) namings.delete(oldest);
      namings.set(version, naming);
      return naming;
    },
    /** Tells whether the record of a known version is another one now. */
    async isRewritten({ version, derived }: VersionSummary) {
      const row = derived && rows.get(version);
      return row !== undefined && (await stored(version))?.record !== row.record;
    },
  };
}

interface Found {
  readonly derived: DerivedVersion;
  readonly compared?: ComparedVersion;
}

/**
 * Compares each version that is new, or that now follows another one, with the one before. What a version
 * moved stays as it is when it is deleted, or when the version that it was compared with is.
 */
async function compareVersions(deriving: Deriving, read: ReturnType<typeof createReader>) {
  const { handle, versions, rows } = deriving;
  const found = new Map<string, Found>();
  const byName = new Map(versions.map((one) => [one.version, one]));
  const changed = new Set<string>();
  const comparedOf = async (version: string) => found.get(version)?.compared ?? read.compared(version);
  const isStale = async ({ derived }: VersionSummary, isRewritten: boolean, before = '') => {
    if (derived?.weight === undefined) return true;
    // A move is never replaced by no comparison.
    if (before === '' && derived.weight > 0) return false;
    const last = byName.get(derived.with ?? '');
    const isOther = before !== (derived.with ?? '') || changed.has(before);
    return isRewritten || (isOther && (last === undefined || isListed(last)));
  };
  let before: string | undefined;
  for (const one of versionsInOrder(versions)?.filter(isListed) ?? []) {
    const { version } = one;
    const isRewritten = await read.isRewritten(one);
    if (isRewritten) changed.add(version);
    const mayFollow = one.derived === undefined || found.size < rows.size + mostFollowing;
    if (mayFollow && (await isStale(one, isRewritten, before))) {
      const naming = await read.naming(version);
      const was = before !== undefined && {
        ...(await comparedOf(before)),
        naming: await read.naming(before),
      };
      const { weight, compared } = compareVersion(handle, was || undefined, naming);
      const last = one.derived && (await comparedOf(version));
      if (last && !isDeepStrictEqual({ ...last, move: 0 }, { ...compared, move: 0 })) changed.add(version);
      const isPart = naming.isPartlyRead && { partly_read: true as const };
      found.set(version, { derived: { weight, ...(before && { with: before }), ...isPart }, compared });
      await setImmediate();
    }
    before = version;
  }
  for (const { version, derived } of versions)
    if (!derived && !found.has(version)) found.set(version, { derived: {} });
  return found;
}

/**
 * Everything that reads say of the versions of a record, and that follows from the records alone. Reads
 * neither parse a record nor compare two of them.
 */
export async function deriveRecord(reads: ListingReads, deriving: Deriving): Promise<DerivedRecord> {
  const { handle, versions, shown } = deriving;
  const read = createReader(reads, deriving);
  const found = await compareVersions(deriving, read);
  const ordered = versionsInOrder(versions.map((one) => ({ ...one, ...found.get(one.version) }))) ?? [];
  const moves =
    shown &&
    (await toMoves(
      ordered,
      shown.version,
      async ({ version, compared }) => (compared ?? (await read.compared(version)))?.move,
    ));
  const unread = shown ? publisherFields(JSON.parse(shown.record) as object) : [];
  const record = JSON.stringify({ moves, unread } satisfies ShownRecord);
  return {
    handle,
    versions: [...found].map(([version, { derived, compared }]) => ({
      version,
      derived,
      compared: compared && JSON.stringify(compared),
    })),
    shown: shown && { version: shown.version, record },
    former: versions.length > 1 ? await deriveFormer(reads, deriving) : [],
  };
}

const handlesAtOnce = 20;

/**
 * Derives what the records of a database lack that an earlier version of Dossier wrote, in short
 * transactions. Call it with the lease of imports, because only imports write records.
 */
export async function deriveMissing(
  store: Pick<Store, 'listings' | 'write'>,
  lease: Lease,
  signal?: AbortSignal,
): Promise<void> {
  for (let handles = await store.listings.underived(handlesAtOnce); handles.length > 0; ) {
    const records: DerivedRecord[] = [];
    const listings = await store.listings.byHandles(handles);
    for (const handle of handles) {
      const { version = '' } = listings.find((one) => one.handle === handle) ?? {};
      const versions = await store.listings.versionSummaries([handle]);
      const shown = await store.listings.version(handle, version);
      records.push(await deriveRecord(store.listings, { handle, versions, rows: new Map(), shown }));
    }
    await store.write(async (tx) => {
      if (!(await tx.leases.isHeldBy(lease))) throw new Error('another process has taken this import over');
      for (const record of records) await tx.listings.putDerived(record);
      const present = (await tx.listings.byHandles(handles)).filter((one) => !isGone(one));
      await tx.listings.putListings(present.map((one) => ({ ...one, owners: deriveOwners(one) })));
    });
    signal?.throwIfAborted();
    handles = await store.listings.underived(handlesAtOnce);
  }
}
