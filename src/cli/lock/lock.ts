import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { isHandle } from '../../evidence/handle.ts';
import {
  compareLocked,
  differenceText,
  type LockDifference,
  type LockedListing,
  type LockFile,
  readLockFile,
  toGone,
  toLocked,
} from '../../evidence/lock-file.ts';
import { counted } from '../../evidence/text/plural.ts';
import { type LockSource, openLockSource, readViewHandles } from './lock-source.ts';

/** The options of `dossier lock` and `dossier check`. */
export interface LockOptions {
  readonly from?: string | undefined;
  /** Lock the listings that are in this view now, too. */
  readonly view?: string;
  readonly out: string;
  readonly update?: boolean;
  readonly json?: boolean;
}

function readExisting(file: string): LockFile {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  const read = text === undefined ? undefined : readLockFile(text);
  if (read) return read;
  const why = text === undefined ? 'no such file; make one with dossier lock HANDLE' : 'not a lock file';
  throw new ExitError(exitCodes.usage, `${file}: ${why}`);
}

/** A listing as a source has it now; a word says why it has none. */
type Found = LockedListing | 'withdrawn' | 'not listed';

/** Reads each listing once. Throws ExitError. */
async function readAll(handles: readonly string[], source: LockSource): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const handle of handles) {
    const document = await source.read(handle);
    found.set(handle, typeof document === 'string' ? document : toLocked(document));
  }
  return found;
}

/** What differs from a lock file, listing by listing. */
const compareAll = (lock: LockFile, found: ReadonlyMap<string, Found>): LockDifference[] =>
  Object.entries(lock.listings).flatMap(([handle, locked]) => {
    const now = found.get(handle) ?? 'not listed';
    return typeof now === 'string'
      ? [toGone(handle, now, new Date().toISOString())]
      : compareLocked(handle, locked, now);
  });

/** Percent-encodes what GitHub Actions reads as the end of a command's text, or of one of its properties. */
const escapeData = (text: string) => text.replace(/[%\r\n]/g, (one) => encodeURIComponent(one));
const escapeProperty = (text: string) => text.replace(/[%\r\n:,]/g, (one) => encodeURIComponent(one));

/** The form that GitHub Actions shows beside the file, on its runners only. */
const annotation = (difference: LockDifference, file: string) =>
  `::error file=${escapeProperty(file)},title=${escapeProperty(difference.handle)}::${escapeData(differenceText(difference))}`;

function print(differences: readonly LockDifference[], { json, out }: LockOptions, isGitHub: boolean): void {
  const lines = differences.map((one) => {
    if (json) return JSON.stringify(one);
    return isGitHub ? annotation(one, out) : differenceText(one);
  });
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

const usage = (message: string) => new ExitError(exitCodes.usage, message);

/** The listings that are named, with those of a view, and with `update` those of the file. Throws ExitError. */
async function readWanted(
  known: LockFile | undefined,
  handles: readonly string[],
  { from, view, update }: LockOptions,
): Promise<string[]> {
  const ofView = view === undefined ? [] : await readViewHandles(from, view);
  const wanted = [...new Set([...(update ? Object.keys(known?.listings ?? {}) : []), ...handles, ...ofView])];
  const malformed = wanted.find((handle) => !isHandle(handle));
  if (malformed !== undefined) throw usage(`${malformed}: not a handle; use <namespace>/<name>`);
  if (wanted.length === 0) throw usage('name the listings to lock: dossier lock HANDLE..., or --view NAME');
  return wanted;
}

/** The listings of the new file. Throws ExitError for one that is gone, unless the file had it: then it is left out. */
function toListings(
  found: ReadonlyMap<string, Found>,
  known: LockFile | undefined,
  [source, { update }]: [LockSource, LockOptions],
): Record<string, LockedListing> {
  const listings: Record<string, LockedListing> = update ? {} : { ...known?.listings };
  for (const [handle, now] of found) {
    if (typeof now !== 'string') listings[handle] = now;
    else if (!update || !known?.listings[handle])
      throw usage(`${handle} is ${now} at ${source.name}; nothing was written`);
  }
  return listings;
}

/**
 * Writes what is known of some listings to a lock file, beside those that it has; with `view`, of exactly those in a view;
 * with `update`, again for those that it has, after printing what that accepts. Throws ExitError.
 */
export async function runLock(
  config: () => Config,
  handles: readonly string[],
  options: LockOptions,
): Promise<void> {
  const { out, update, view } = options;
  const known = update || (view === undefined && existsSync(out)) ? readExisting(out) : undefined;
  const from = options.from ?? known?.from;
  const wanted = await readWanted(known, handles, { ...options, from });
  const source = await openLockSource(from, config);
  try {
    if (known && !update && known.from !== source.name)
      throw usage(
        `${out}: it was locked from ${known.from}, not from ${source.name}; name another with --out`,
      );
    const found = await readAll(wanted, source);
    const listings = toListings(found, known, [source, options]);
    if (known && update) print(compareAll(known, found), options, false);
    const lock: LockFile = {
      lockfile_version: 1,
      from: source.name,
      locked_at: new Date().toISOString(),
      listings,
    };
    writeFileSync(out, `${JSON.stringify(lock, null, 2)}\n`);
    const locked = Object.keys(listings).length;
    const gone = wanted.filter((handle) => !listings[handle]);
    process.stderr.write(`${out}: ${counted(locked, 'listing')} locked from ${source.name}\n`);
    if (gone.length > 0) process.stderr.write(`no longer in it, because it is gone: ${gone.join(', ')}\n`);
  } finally {
    await source.close();
  }
}

/** Compares a lock file with what is known now. Ends with 1 if a fact changed, each in one line. Throws ExitError. */
export async function runCheck(config: () => Config, options: LockOptions, isGitHub: boolean): Promise<void> {
  const lock = readExisting(options.out);
  const source = await openLockSource(options.from ?? lock.from, config);
  try {
    const handles = Object.keys(lock.listings);
    const differences = compareAll(lock, await readAll(handles, source));
    print(differences, options, isGitHub);
    const day = lock.locked_at.slice(0, 10);
    if (differences.length > 0)
      throw new ExitError(
        1,
        `${counted(differences.length, 'fact')} changed since ${day}; accept them with dossier lock --update`,
      );
    const are = handles.length === 1 ? 'is as it was' : 'are as they were';
    if (!options.json)
      process.stderr.write(`${counted(handles.length, 'listing')} ${are} locked on ${day}\n`);
  } finally {
    await source.close();
  }
}
