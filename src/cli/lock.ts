import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { isHandle } from '../core/handle.ts';
import { dataError, ExitError, ioError, usageError } from '../core/process.ts';
import { counted, dayText, toLine } from '../core/text.ts';
import { toText } from '../core/words.ts';
import { useOf } from '../document/answers/notice-uses.ts';
import type { Notice } from '../document/answers/notices.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import {
  compareLocked,
  differenceText,
  type LockChanges,
  type LockDifference,
  type LockedListing,
  type LockFile,
  readLockFile,
  toOtherState,
} from '../document/lock/lock-file.ts';
import { annotation } from './annotation.ts';
import type { InventoryToLock } from './inventory/inventory.ts';
import { type LockSource, openLockSource, ownDatabase, readViewHandles } from './lock-source.ts';
import { replaceFile } from './replace-file.ts';

export interface LockOptions {
  readonly from?: string | undefined;
  readonly view?: string;
  /** `true`: all that dossier inventory finds. */
  readonly inventory?: readonly string[] | true;
  readonly environment?: NodeJS.ProcessEnv;
  readonly out: string;
  readonly update?: boolean;
  readonly json?: boolean;
  readonly ignoreMalware?: boolean;
  readonly failOn?: string;
}

function readText(file: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    throw ioError(`${file}: cannot be read: ${(error as Error).message}`);
  }
}

function readExisting(file: string): LockFile {
  const text = readText(file);
  const read = text === undefined ? undefined : readLockFile(text);
  if (read) return read;
  const why = text === undefined ? 'no such file; make one with dossier lock HANDLE' : 'not a lock file';
  throw usageError(`${file}: ${why}`);
}

const reportedText = (many: number) =>
  `${counted(many, 'listing')} with a package that is reported as malicious code`;

type LockComparison = readonly [LockedListing, LockChanges, readonly Notice[]] | 'withdrawn' | 'not listed';

async function readAll(handles: readonly string[], source: LockSource): Promise<Map<string, LockComparison>> {
  const found = new Map<string, LockComparison>();
  const [{ toChanges, toLocked }, { listingDocument }, { standOutsOf }] = await Promise.all([
    import('../document/lock/locked.ts'),
    import('../document/listing-document.ts'),
    import('../document/answers/answers.ts'),
  ]);
  const { saidAs } = await import('../observations/known/malware.ts');
  const toNotices = (document: ListingDocument): readonly Notice[] => {
    // A document of another version of Dossier may lack what a notice reads.
    const { data } = listingDocument.safeParse(document);
    const reports = saidAs(document.observations, ['malware']);
    return data ? standOutsOf(data) : reports.map((text) => ({ key: 'malware', text }));
  };
  for (const handle of handles) {
    const document = await source.read(handle);
    if (typeof document === 'string') found.set(handle, document);
    else found.set(document.handle, [toLocked(document), toChanges(document), toNotices(document)]);
  }
  return found;
}

const compareAll = (lock: LockFile, found: ReadonlyMap<string, LockComparison>) =>
  Object.entries(lock.listings).map(([handle, locked]) => {
    const now = found.get(handle) ?? 'not listed';
    return typeof now === 'string'
      ? { handle, differences: [toOtherState(handle, ['listing', 'listed', now])], facts: [], notes: [] }
      : compareLocked(handle, locked, now[0], now[1]);
  });

interface LockLine {
  readonly text: string;
  readonly json: object;
  /** The file and title of an annotation. What has none decides nothing. */
  readonly at?: readonly [file: string, title: string];
}

const about = (handle: string, key: 'malware' | 'note', said: string): LockLine => ({
  text: `${handle}: ${said}`,
  json: { handle, [key]: said },
});

/** With --json, all of it is on standard output. */
function print(all: readonly LockLine[], { json }: LockOptions, isGitHub = false): void {
  for (const { text, at, json: members } of all) {
    const line = isGitHub && at ? annotation('error', ...at, text) : toLine(text);
    (json || at ? process.stdout : process.stderr).write(`${json ? JSON.stringify(members) : line}\n`);
  }
}

const mostNamed = 5;

function printUncompared(all: ReturnType<typeof compareAll>, options: LockOptions): boolean {
  const facts = all.flatMap((one) => one.facts);
  const told = [...Map.groupBy(facts, ({ why }) => why)].map(([why, some]) => {
    const more = some.length > mostNamed ? `; and ${some.length - mostNamed} more` : '';
    const named = some.slice(0, mostNamed).map(({ text }) => text);
    return `${counted(some.length, 'fact')} could not be compared, ${why}: ${named.join('; ')}${more}`;
  });
  const each = facts.map(({ handle, text, why }) => ({ text, json: { handle, uncompared: text, why } }));
  const notes = all.flatMap(({ handle, notes: some }) =>
    some.map((text) => ({ text, json: { handle, note: text } })),
  );
  print([...(options.json ? each : told.map((text) => ({ text, json: {} }))), ...notes], options);
  return facts.length > 0;
}

/** Ends with how many listings have malicious code. */
function printNotices(
  found: ReadonlyMap<string, LockComparison>,
  configured: InventoryToLock | undefined,
  options: LockOptions,
  isGitHub?: boolean,
): number {
  const told = [...found].flatMap(([handle, now]) =>
    typeof now === 'string' ? [] : now[2].map((one) => ({ ...useOf(one), handle, said: toText(one.text) })),
  );
  const { unreadable = [], said: others = [], malware = [] } = configured ?? {};
  const notes = told.filter(({ isSaidByLock }) => isSaidByLock);
  print(
    [
      ...[...unreadable, ...others].map((text) => ({ text, json: { note: text } })),
      ...notes.map(({ handle, said }) => about(handle, 'note', said)),
    ],
    options,
  );
  const reported = [...told.filter(({ finding }) => finding === 'malware'), ...malware];
  const lines = reported.map(
    ({ handle, said }): LockLine => ({ ...about(handle, 'malware', said), at: [options.out, handle] }),
  );
  print(lines, options, isGitHub);
  return new Set(reported.map(({ handle }) => handle)).size;
}

const toSaid =
  ({ out }: LockOptions) =>
  (one: LockDifference): LockLine => ({ text: differenceText(one), json: one, at: [out, one.handle] });

/** A lock file names them from its own folder. */
const filesOf = (lock: LockFile | undefined, out: string) =>
  lock?.inventory?.map((one) => resolve(dirname(out), one));

const loadInventory = () => import('./inventory/inventory.ts');
const askedPlace = (from: string | undefined) => (from === ownDatabase ? undefined : from);

/** `names`: what is asked for them, with versions. */
async function readWanted(
  known: LockFile | undefined,
  handles: readonly string[],
  options: LockOptions,
  config: () => Promise<Config>,
) {
  const { from, out, view, update, environment = {} } = options;
  const { inventory = update ? filesOf(known, out) : undefined } = options;
  const ofView = view === undefined ? [] : await readViewHandles(from, view);
  const files = inventory === true ? [] : inventory;
  const used =
    files &&
    (await (await loadInventory()).readInventoryToLock(files, environment, [askedPlace(from), config]));
  const locked = update ? Object.keys(known?.listings ?? {}) : [];
  const wanted = [...new Set([...locked, ...handles, ...ofView, ...(used?.handles ?? [])])];
  const malformed = wanted.find((handle) => !isHandle(handle));
  if (malformed !== undefined) throw usageError(`${malformed}: not a handle; use <namespace>/<name>`);
  if (wanted.length === 0)
    throw usageError('name the listings to lock: dossier lock HANDLE..., --view NAME or --inventory');
  for (const one of used?.unlisted ?? [])
    process.stderr.write(`${toLine(`${one}: not locked, because no single listing is known for it`)}\n`);
  return { wanted, used, files };
}

/** `update` leaves out what is gone. */
function toListings(
  found: ReadonlyMap<string, LockComparison>,
  known: LockFile | undefined,
  source: LockSource,
  { update }: LockOptions,
): Record<string, LockedListing> {
  const listings: Record<string, LockedListing> = update ? {} : { ...known?.listings };
  for (const [handle, now] of found) {
    if (typeof now !== 'string') listings[handle] = now[0];
    else if (!update || !known?.listings[handle])
      throw usageError(`${handle} is ${now} at ${source.name}; nothing was written`);
  }
  return listings;
}

/**
 * `view` or `inventory` replaces the listings of the file; `update` reads them again and prints the changes.
 */
export async function runLock(
  config: () => Promise<Config>,
  handles: readonly string[],
  options: LockOptions,
): Promise<void> {
  const { out, update, view, inventory } = options;
  const isExact = view !== undefined || inventory !== undefined;
  const known = update || (!isExact && existsSync(out)) ? readExisting(out) : undefined;
  const from = options.from ?? known?.from;
  const { wanted, used, files } = await readWanted(known, handles, { ...options, from }, config);
  await using source = await openLockSource(from, config);
  if (known && !update && known.from !== source.name)
    throw usageError(
      `${out}: it was locked from ${known.from}, not from ${source.name}; name another with --out`,
    );
  const found = await readAll(wanted, source);
  const listings = toListings(found, known, source, options);
  if (known && update)
    print(
      compareAll(known, found).flatMap((one) => one.differences.map(toSaid(options))),
      options,
    );
  const { asked, inventory: before } = known ?? {};
  const lock: LockFile = {
    lockfile_version: 1,
    from: source.name,
    locked_at: new Date().toISOString(),
    asked: used ? [...new Set(used.names)] : asked,
    inventory: files?.map((one) => relative(dirname(out), resolve(one))) ?? before,
    listings,
  };
  if (used && used.malware.length > 0)
    throw new ExitError(1, `${reportedText(printNotices(new Map(), used, options))}; nothing was written`);
  replaceFile(out, `${JSON.stringify(lock, null, 2)}\n`);
  const locked = Object.keys(listings).length;
  printNotices(found, used, options);
  const gone = [...found.keys()].filter((handle) => !listings[handle]);
  process.stderr.write(`${out}: ${counted(locked, 'listing')} locked from ${source.name}\n`);
  const are = gone.length === 1 ? 'is' : 'are';
  if (gone.length > 0)
    process.stderr.write(
      `${counted(gone.length, 'listing')} ${are} gone and no longer locked: ${gone.join(', ')}\n`,
    );
}

/** Asks what inventory asks: of the names of the lock file and of the configurations that they came from. */
async function askAgain(
  lock: LockFile,
  { from = lock.from, out, failOn, environment = {} }: LockOptions,
  config: () => Promise<Config>,
) {
  const { readFindings, readInventoryToLock } = await loadInventory();
  const failing = readFindings(failOn);
  const files = filesOf(lock, out);
  const held = lock.asked ?? Object.keys(lock.listings);
  if (!files && failing.size === 0) return undefined;
  const read = await readInventoryToLock(files, environment, [askedPlace(from), config], {
    names: held,
    failing,
  });
  const added = [...new Set(read.names)].filter((name) => !held.includes(name));
  return {
    ...read,
    added: added.map((name) => toOtherState(name, ['configuration', 'unlocked', 'configured'])),
  };
}

/** Ends with 1 for a changed fact, or for malicious code unless `ignoreMalware`. */
export async function runCheck(config: () => Promise<Config>, options: LockOptions, isGitHub: boolean) {
  const lock = readExisting(options.out);
  await using source = await openLockSource(options.from ?? lock.from, config);
  const handles = Object.keys(lock.listings);
  const found = await readAll(handles, source);
  const configured = await askAgain(lock, options, config);
  const { failed = [], added = [], unreadable = [], open = [] } = configured ?? {};
  const malicious = printNotices(found, configured, options, isGitHub);
  const compared = compareAll(lock, found);
  const differences = [...added, ...compared.flatMap((one) => one.differences)];
  const named = [
    ...failed.map(({ text, at }) => ({ text, at, json: { found: text } })),
    ...open.map(({ text, at }) => ({ text, at, json: { unknown: text } })),
  ];
  print([...differences.map(toSaid(options)), ...named], options, isGitHub);
  const isUncompared = printUncompared(compared, options);
  const day = dayText(lock.locked_at);
  if (malicious > 0 && !options.ignoreMalware)
    throw new ExitError(1, `${reportedText(malicious)}; --ignore-malware accepts that`);
  if (differences.length > 0)
    throw new ExitError(
      1,
      `${counted(differences.length, 'fact')} changed since ${day}; accept ${differences.length === 1 ? 'it' : 'them'} with dossier lock --update`,
    );
  if (failed.length > 0) throw new ExitError(1, `found what --fail-on names: ${options.failOn}`);
  if (open.length > 0) (await loadInventory()).refuseUnknown([], open);
  if (unreadable.length > 0)
    throw dataError('some configurations were not understood, so they may have what is not locked');
  const are = handles.length === 1 ? 'is as it was' : 'are as they were';
  const known = isUncompared ? ', as far as that is known' : '';
  if (!options.json)
    process.stderr.write(`${counted(handles.length, 'listing')} ${are} locked on ${day}${known}\n`);
}
