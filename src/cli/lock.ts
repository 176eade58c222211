import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { isHandle } from '../core/handle.ts';
import { ownMember } from '../core/json.ts';
import { ExitError, exitCodes, usageError } from '../core/process.ts';
import { counted, dayText, isWebAddress, toLine } from '../core/text.ts';
import { toText } from '../core/words.ts';
import { useOf } from '../document/answers/notice-uses.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import {
  compareLocked,
  differenceText,
  type LockChanges,
  type LockDifference,
  type LockedListing,
  type LockFile,
  readLockFile,
  thereAndBack,
  toGone,
  uncomparedOf,
} from '../document/lock/lock-file.ts';
import { annotation } from './annotation.ts';
import { documentForm, readDocuments } from './documents.ts';
import { replaceFile } from './replace-file.ts';
import { ask, toBase, unreachable } from './service.ts';

export interface LockSource extends AsyncDisposable {
  /** `from` of a lock file. */
  readonly name: string;
  read(handle: string): Promise<ListingDocument | 'withdrawn' | 'not listed'>;
}

/** Stands for DATABASE_URL. */
const ownDatabase = 'the own database';

const problemForm = z.object({ code: z.string() });
const goneCodes: Readonly<Record<string, 'withdrawn' | 'not listed'>> = {
  listing_withdrawn: 'withdrawn',
  unknown_handle: 'not listed',
};

/** Only a problem of Dossier says that it is gone: a proxy may send its own 404. */
async function readOverHttp(base: string, handle: string) {
  const path = `/agents/${handle}.json`;
  const { status, json } = await ask(base, path);
  const document = documentForm.safeParse(json);
  if (document.success) {
    const answered = document.data.handle;
    // The service also answers for other capitals.
    if (answered.toLowerCase() === handle.toLowerCase()) return document.data as unknown as ListingDocument;
    throw unreachable(`${base}${path}: the answer is about ${answered}`);
  }
  const gone = ownMember(goneCodes, problemForm.safeParse(json).data?.code ?? '');
  if (gone) return gone;
  throw unreachable(
    `${base}${path}: HTTP status ${status}, and neither a listing nor a problem of a Dossier`,
  );
}

async function openDatabase(config: Config): Promise<LockSource> {
  const [{ openStore }, { toListingDocument }] = await Promise.all([
    import('../app/open.ts'),
    import('../document/document.ts'),
  ]);
  const store = await openStore(config);
  return {
    name: ownDatabase,
    async read(handle) {
      const now = new Date();
      const facts = await store.documents.facts(handle, now.toISOString());
      if (!facts) return 'not listed';
      return facts.listing.withdrawn ? 'withdrawn' : toListingDocument(facts, config, now);
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

export async function openLockSource(
  from: string | undefined,
  config: () => Promise<Config>,
): Promise<LockSource> {
  const nothing = { async [Symbol.asyncDispose]() {} };
  if (from === undefined || from === ownDatabase) return openDatabase(await config());
  if (isWebAddress(from)) {
    const base = toBase(from);
    return { name: base, read: (handle) => readOverHttp(base, handle), ...nothing };
  }
  const documents = readDocuments(from);
  return { name: from, read: async (handle) => documents.get(handle) ?? 'not listed', ...nothing };
}

/** Each listing is read, so larger views are refused. */
const mostOfView = 10_000;
/** Pages may be empty, because changed listings are left out. */
const mostPages = 1000;

const pageForm = z.object({
  servers: z.array(z.object({ server: z.object({ name: z.string() }) })),
  metadata: z.object({ nextCursor: z.string().optional() }),
});

async function readPage(base: string, view: string, cursor: string | undefined) {
  const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) });
  const path = `/views/${encodeURIComponent(view)}/v0.1/servers?${query}`;
  const { status, json } = await ask(base, path);
  if (status === 404 && json !== undefined)
    throw usageError(`${base} has no view ${view}; ${base}/views lists its views`);
  const read = pageForm.safeParse(json).data;
  if (!read) throw unreachable(`${base}${path}: HTTP status ${status}, and no page of a registry`);
  return read;
}

export async function readViewHandles(from: string | undefined, view: string): Promise<string[]> {
  if (from === undefined || !isWebAddress(from))
    throw usageError(
      '--view reads the listings of a view from a running Dossier; name its address with --from or DOSSIER_URL',
    );
  const base = toBase(from);
  const handles: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    const { servers, metadata } = await readPage(base, view, cursor);
    handles.push(...servers.map(({ server }) => server.name));
    cursor = metadata.nextCursor;
  } while (cursor !== undefined && handles.length < mostOfView && pages < mostPages);
  const refuse = (why: string) => usageError(`${why}; nothing was written`);
  if (cursor !== undefined && pages === mostPages)
    throw refuse(`the view ${view} of ${base} has more than ${mostPages} pages`);
  if (cursor !== undefined) throw refuse(`the view ${view} of ${base} has more than ${mostOfView} listings`);
  if (handles.length === 0) throw refuse(`no listing is in the view ${view} of ${base}`);
  return handles;
}

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
}

function readText(file: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  } catch (error) {
    throw new ExitError(exitCodes.io, `${file}: cannot be read: ${(error as Error).message}`);
  }
}

function readExisting(file: string): LockFile {
  const text = readText(file);
  const read = text === undefined ? undefined : readLockFile(text);
  if (read) return read;
  const why = text === undefined ? 'no such file; make one with dossier lock HANDLE' : 'not a lock file';
  throw usageError(`${file}: ${why}`);
}

interface Notices {
  readonly malware: readonly string[];
  readonly others: readonly string[];
}
type LockComparison = readonly [LockedListing, LockChanges, Notices] | 'withdrawn' | 'not listed';

async function readAll(handles: readonly string[], source: LockSource): Promise<Map<string, LockComparison>> {
  const found = new Map<string, LockComparison>();
  const [{ toChanges, toLocked }, { listingDocument }, { toAnswer }] = await Promise.all([
    import('../document/lock/locked.ts'),
    import('../document/listing-document.ts'),
    import('../document/answers/answers.ts'),
  ]);
  const { malwareWords } = await import('../observations/known/malware.ts');
  const toNotices = (document: ListingDocument): Notices => {
    // A document of another version of Dossier may lack what a notice reads.
    const { data } = listingDocument.safeParse(document);
    const told = data ? toAnswer(data, 'short').standsOut.filter((one) => useOf(one).isSaidByLock) : [];
    return {
      malware: malwareWords(document.observations, ['malware']).map(toText),
      others: told.map(({ text }) => toText(text)),
    };
  };
  for (const handle of handles) {
    const document = await source.read(handle);
    if (typeof document === 'string') found.set(handle, document);
    else found.set(document.handle, [toLocked(document), toChanges(document), toNotices(document)]);
  }
  return found;
}

const compareAll = (lock: LockFile, found: ReadonlyMap<string, LockComparison>): LockDifference[] =>
  Object.entries(lock.listings).flatMap(([handle, locked]) => {
    const now = found.get(handle) ?? 'not listed';
    return typeof now === 'string'
      ? [toGone(handle, now, new Date().toISOString())]
      : compareLocked(handle, locked, now[0], now[1]);
  });

const mostNamed = 5;

function printUncompared(
  lock: LockFile,
  found: ReadonlyMap<string, LockComparison>,
  { json }: LockOptions,
): boolean {
  const all = Object.entries(lock.listings).flatMap(([handle, locked]) => {
    const now = found.get(handle) ?? 'not listed';
    if (typeof now === 'string') return [];
    const again = thereAndBack(handle, locked, now[0], now[1]);
    return [{ handle, ...uncomparedOf(handle, locked, now[0]), again }];
  });
  const facts = all.flatMap((one) => one.facts);
  const told = [...Map.groupBy(facts, ({ why }) => why)].map(([why, some]) => {
    const more = some.length > mostNamed ? `; and ${some.length - mostNamed} more` : '';
    const named = some.slice(0, mostNamed).map(({ text }) => text);
    return `${counted(some.length, 'fact')} could not be compared, ${why}: ${named.join('; ')}${more}`;
  });
  const lines = [...told, ...all.flatMap(({ reasons, again }) => [...reasons, ...again])];
  const asJson = all.flatMap(({ handle, facts: some }) =>
    some.map(({ text, why }) => JSON.stringify({ handle, uncompared: text, why })),
  );
  if (json) for (const line of asJson) process.stdout.write(`${line}\n`);
  else for (const line of lines) process.stderr.write(`${toLine(line)}\n`);
  return facts.length > 0;
}

/** Ends with how many listings have malicious code. */
function printNotices(
  found: ReadonlyMap<string, LockComparison>,
  { json, out }: LockOptions,
  isGitHub: boolean,
): number {
  const reported = [...found].flatMap(([handle, now]) =>
    typeof now === 'string' ? [] : now[2].malware.map((malware) => ({ handle, malware })),
  );
  for (const [handle, now] of found)
    for (const text of typeof now === 'string' ? [] : now[2].others)
      process.stderr.write(`${toLine(`${handle}: ${text}`)}\n`);
  for (const { handle, malware } of reported) {
    const text = `${handle}: ${malware}`;
    const line = isGitHub ? annotation('error', out, handle, text) : text;
    process.stdout.write(`${json ? JSON.stringify({ handle, malware }) : line}\n`);
  }
  return new Set(reported.map(({ handle }) => handle)).size;
}

function print(differences: readonly LockDifference[], { json, out }: LockOptions, isGitHub: boolean): void {
  const lines = differences.map((one) => {
    if (json) return JSON.stringify(one);
    const text = differenceText(one);
    return isGitHub ? annotation('error', out, one.handle, text) : text;
  });
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
}

async function readWanted(
  known: LockFile | undefined,
  handles: readonly string[],
  { from, view, update, inventory, environment = {} }: LockOptions,
  config: () => Promise<Config>,
): Promise<string[]> {
  const ofView = view === undefined ? [] : await readViewHandles(from, view);
  const files = inventory === true ? [] : inventory;
  const place = from === ownDatabase ? undefined : from;
  const load = () => import('./inventory/inventory.ts');
  const used = files ? await (await load()).readInventoryHandles(files, environment, [place, config]) : [];
  const locked = update ? Object.keys(known?.listings ?? {}) : [];
  const wanted = [...new Set([...locked, ...handles, ...ofView, ...used])];
  const malformed = wanted.find((handle) => !isHandle(handle));
  if (malformed !== undefined) throw usageError(`${malformed}: not a handle; use <namespace>/<name>`);
  if (wanted.length === 0)
    throw usageError('name the listings to lock: dossier lock HANDLE..., --view NAME or --inventory');
  return wanted;
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
  const wanted = await readWanted(known, handles, { ...options, from }, config);
  await using source = await openLockSource(from, config);
  if (known && !update && known.from !== source.name)
    throw usageError(
      `${out}: it was locked from ${known.from}, not from ${source.name}; name another with --out`,
    );
  const found = await readAll(wanted, source);
  const listings = toListings(found, known, source, options);
  if (known && update) print(compareAll(known, found), options, false);
  const lock: LockFile = {
    lockfile_version: 1,
    from: source.name,
    locked_at: new Date().toISOString(),
    listings,
  };
  replaceFile(out, `${JSON.stringify(lock, null, 2)}\n`);
  const locked = Object.keys(listings).length;
  printNotices(found, options, false);
  const gone = [...found.keys()].filter((handle) => !listings[handle]);
  process.stderr.write(`${out}: ${counted(locked, 'listing')} locked from ${source.name}\n`);
  const are = gone.length === 1 ? 'is' : 'are';
  if (gone.length > 0)
    process.stderr.write(
      `${counted(gone.length, 'listing')} ${are} gone and no longer locked: ${gone.join(', ')}\n`,
    );
}

/** Ends with 1 for a changed fact, or for malicious code unless `ignoreMalware`. */
export async function runCheck(
  config: () => Promise<Config>,
  options: LockOptions,
  isGitHub: boolean,
): Promise<void> {
  const lock = readExisting(options.out);
  await using source = await openLockSource(options.from ?? lock.from, config);
  const handles = Object.keys(lock.listings);
  const found = await readAll(handles, source);
  const malicious = printNotices(found, options, isGitHub);
  const differences = compareAll(lock, found);
  print(differences, options, isGitHub);
  const isUncompared = printUncompared(lock, found, options);
  const day = dayText(lock.locked_at);
  if (malicious > 0 && !options.ignoreMalware)
    throw new ExitError(
      1,
      `${counted(malicious, 'listing')} with a package that is reported as malicious code; --ignore-malware accepts that`,
    );
  if (differences.length > 0)
    throw new ExitError(
      1,
      `${counted(differences.length, 'fact')} changed since ${day}; accept ${differences.length === 1 ? 'it' : 'them'} with dossier lock --update`,
    );
  const are = handles.length === 1 ? 'is as it was' : 'are as they were';
  const known = isUncompared ? ', as far as that is known' : '';
  if (!options.json)
    process.stderr.write(`${counted(handles.length, 'listing')} ${are} locked on ${day}${known}\n`);
}
