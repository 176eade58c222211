import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { isHandle } from '../../evidence/handle.ts';
import { compareLocked, differenceText, type LockDifference, toGone } from '../../evidence/lock/compare.ts';
import { type LockedListing, type LockFile, readLockFile } from '../../evidence/lock/lock-file.ts';
import { toLocked } from '../../evidence/lock/to-locked.ts';
import { type LockSource, openLockSource } from './lock-source.ts';
import { readViewHandles } from './view-handles.ts';

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

async function lockAll(
  handles: readonly string[],
  source: LockSource,
): Promise<Record<string, LockedListing>> {
  const locked: [string, LockedListing][] = [];
  for (const handle of handles) {
    const document = await source.read(handle);
    if (typeof document === 'string')
      throw new ExitError(exitCodes.usage, `${handle} is ${document} at ${source.name}; nothing was written`);
    locked.push([handle, toLocked(document)]);
  }
  return Object.fromEntries(locked);
}

/** What differs from a lock file, listing by listing. */
async function compareAll(lock: LockFile, source: LockSource): Promise<LockDifference[]> {
  const differences: LockDifference[] = [];
  for (const [handle, locked] of Object.entries(lock.listings)) {
    const document = await source.read(handle);
    differences.push(
      ...(typeof document === 'string'
        ? [toGone(handle, document, new Date().toISOString())]
        : compareLocked(handle, locked, toLocked(document))),
    );
  }
  return differences;
}

/** Percent-encodes what GitHub Actions reads as the end of a command's text, or of one of its properties. */
const escapeData = (text: string) => text.replace(/[%\r\n]/g, (one) => encodeURIComponent(one));
const escapeProperty = (text: string) => text.replace(/[%\r\n:,]/g, (one) => encodeURIComponent(one));

/** The form that GitHub Actions shows beside the file, on its runners only. */
const annotation = (difference: LockDifference, file: string) =>
  `::error file=${escapeProperty(file)},title=${escapeProperty(difference.handle)}::${escapeData(differenceText(difference))}`;

const counted = (count: number, one: string, more: string) => (count === 1 ? `1 ${one}` : `${count} ${more}`);

function print(differences: readonly LockDifference[], { json, out }: LockOptions, isGitHub: boolean): void {
  const lines = differences.map((one) => {
    if (json) return JSON.stringify(one);
    return isGitHub ? annotation(one, out) : differenceText(one);
  });
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

/**
 * Writes what is known of some listings, or of those in a view, to a lock file; with `update`, again for those that it has, after printing what
 * that accepts. Throws ExitError.
 */
export async function runLock(
  config: () => Config,
  handles: readonly string[],
  options: LockOptions,
): Promise<void> {
  const source = await openLockSource(options.from, config);
  try {
    const known = options.update ? readExisting(options.out) : undefined;
    const ofView = options.view === undefined ? [] : await readViewHandles(options.from, options.view);
    const wanted = [...new Set([...Object.keys(known?.listings ?? {}), ...handles, ...ofView])];
    const malformed = wanted.find((handle) => !isHandle(handle));
    if (malformed !== undefined)
      throw new ExitError(exitCodes.usage, `${malformed}: not a handle; use <namespace>/<name>`);
    if (wanted.length === 0)
      throw new ExitError(
        exitCodes.usage,
        'name the listings to lock: dossier lock HANDLE..., or --view NAME',
      );
    const listings = await lockAll(wanted, source);
    if (known) print(await compareAll(known, source), options, false);
    const lock: LockFile = {
      lockfile_version: 1,
      from: source.name,
      locked_at: new Date().toISOString(),
      listings,
    };
    writeFileSync(options.out, `${JSON.stringify(lock, null, 2)}\n`);
    process.stderr.write(
      `${options.out}: ${counted(wanted.length, 'listing', 'listings')} locked from ${source.name}\n`,
    );
  } finally {
    await source.close();
  }
}

/** Compares a lock file with what is known now. Ends with 1 if a fact changed, each in one line. Throws ExitError. */
export async function runCheck(config: () => Config, options: LockOptions, isGitHub: boolean): Promise<void> {
  const lock = readExisting(options.out);
  const source = await openLockSource(options.from, config);
  try {
    const differences = await compareAll(lock, source);
    print(differences, options, isGitHub);
    const count = Object.keys(lock.listings).length;
    if (differences.length > 0)
      throw new ExitError(
        1,
        `${counted(differences.length, 'fact', 'facts')} changed since ${lock.locked_at.slice(0, 10)}; accept them with dossier lock --update`,
      );
    if (!options.json)
      process.stderr.write(
        `${counted(count, 'listing is as it was', 'listings are as they were')} locked on ${lock.locked_at.slice(0, 10)}\n`,
      );
  } finally {
    await source.close();
  }
}
