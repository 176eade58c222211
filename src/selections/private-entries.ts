import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { decodeUtf8, parseForeignJson, readBounded } from '../core/json.ts';
import { dayText, toLine } from '../core/text.ts';
import { toListing } from '../imports/listing.ts';
import { type Listing, type ListingVersion, registryMeta } from '../listings/listing.ts';
import { readRecord } from '../listings/record-form.ts';
import { publisherFields } from '../observations/known/kinds/record.ts';

/** In no table, so that only selections with readers list it. */
export interface PrivateEntry {
  readonly listing: Listing;
  readonly version: ListingVersion;
  /** Unread fields. */
  readonly unread: readonly string[];
}

export interface PrivateEntries {
  /** Undefined if the folder was never read. */
  readonly entries: ReadonlyMap<string, PrivateEntry> | undefined;
  /** By unread file, with what to do. */
  readonly faults: readonly string[];
}

const mostFiles = 1000;
const mostNames = 50_000;
const deepest = 8;
const largest_bytes = 64 * 1024;
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown error';

/** By path. Throws if the folder cannot be read. */
async function findFiles(root: string) {
  const files: string[] = [];
  const faults: string[] = [];
  const folders = [{ path: '', depth: 0 }];
  const deeper: string[] = [];
  let names = 0;
  for (const { path, depth } of folders) {
    const inside = await readdir(join(root, path), { withFileTypes: true }).catch((error: unknown) => {
      if (depth === 0) throw error;
      faults.push(`${toLine(path)}: cannot be read (${codeOf(error)}); let the user of the service read it`);
      return [];
    });
    names += inside.length;
    for (const one of inside) {
      const name = join(path, one.name);
      if (!one.isDirectory() && /(^|\.)server\.json$/.test(one.name)) files.push(name);
      if (!one.isDirectory() || one.name.startsWith('.') || one.name === 'node_modules') continue;
      if (depth < deepest) folders.push({ path: name, depth: depth + 1 });
      else deeper.push(name);
    }
    if (names > mostNames || files.length > mostFiles) {
      faults.push(
        `more than ${mostFiles} entries or ${mostNames} names: the rest is not read; name a folder that has only the entries`,
      );
      break;
    }
  }
  const [first, ...rest] = deeper.sort();
  if (first !== undefined)
    faults.push(
      `${toLine(first)}${rest.length > 0 ? ` and ${rest.length} more` : ''}: not read, more than ${deepest} folders deep; move the entries up`,
    );
  return { files: files.sort().slice(0, mostFiles), faults };
}

/** Undefined if too large. A pipe blocks no thread. */
async function readFileBounded(path: string): Promise<Buffer | undefined> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return await readBounded(file.createReadStream({ autoClose: false }), largest_bytes);
}

/** Or why it is none. */
async function toEntry(text: string, file: string, { mtime, at }: { mtime: Date; at: string }) {
  const server = parseForeignJson(text);
  if (server === undefined) return 'not JSON in UTF-8';
  // The schemas load many modules, which most commands do not need.
  const { readHead, readVersion } = await import('../imports/entry.ts');
  const publishedAt = (mtime.getTime() > 0 ? mtime : new Date(at)).toISOString();
  const head = readHead({ server, _meta: { [registryMeta]: { status: 'active', publishedAt } } });
  if ('reason' in head) return head.reason;
  const version = readVersion(head, { at, first_read_at: at });
  if ('reason' in version) return version.reason;
  const unread = readRecord(head.entry.server).unread.find((path) => !path.includes('.'));
  if (unread) return `${unread} is missing, written twice or of the wrong type`;
  const origin = `the file ${toLine(file)} of the operator of this service`;
  const listing = toListing(
    version.handle,
    { versions: [version], shown: version, known: undefined },
    { origin, at, runId: 0 },
  );
  return { listing, version, unread: publisherFields(server as object) };
}

interface ReadFile {
  readonly state: string;
  readonly found: PrivateEntry | string;
}

/**
 * `before` holds for an unchanged file and a day. Links may lead within the folder. Throws the system's
 * error.
 */
async function readEntry(
  root: string,
  file: string,
  { at, before }: { at: string; before: ReadFile | undefined },
): Promise<ReadFile> {
  const path = await realpath(join(root, file));
  const stats = await stat(path);
  const { mtime, dev, ino, size, mtimeMs, ctimeMs } = stats;
  const state = [dayText(at), path, dev, ino, size, mtimeMs, ctimeMs].join(' ');
  if (before?.state === state) return before;
  if (!path.startsWith(`${root}${sep}`)) return { state, found: 'a link that leads out of the folder' };
  if (!stats.isFile()) return { state, found: 'a folder, pipe or device' };
  const bytes = size > largest_bytes ? undefined : await readFileBounded(path);
  if (!bytes) return { state, found: 'larger than 64 KiB' };
  return { state, found: await toEntry(decodeUtf8(bytes) ?? '', file, { mtime, at }) };
}

/** Updates `known`, by path. */
async function readFolder(folder: string, known: Map<string, ReadFile>): Promise<PrivateEntries> {
  const root = await realpath(folder);
  const at = new Date().toISOString();
  const { files, faults } = await findFiles(root);
  const entries = new Map<string, PrivateEntry>();
  const refuse = (file: string, why: string) =>
    faults.push(`${toLine(file)}: ${why}; correct the file, or take it out of the folder`);
  const before = new Map(known);
  known.clear();
  for (const file of files) {
    const read = await readEntry(root, file, { at, before: before.get(file) }).catch((error: unknown) => ({
      state: '',
      found: `cannot be read (${codeOf(error)})`,
    }));
    known.set(file, read);
    const { found } = read;
    if (typeof found === 'string') refuse(file, found);
    else if (entries.has(found.listing.handle)) refuse(file, 'another file of the folder has the same name');
    else entries.set(found.listing.handle, found);
  }
  return { entries, faults };
}

const current_ms = 2000;

/** One at a time. */
interface FolderReading {
  ended_ms: number | undefined;
  readonly read: Promise<PrivateEntries>;
  readonly known: Map<string, ReadFile>;
}
const readings = new Map<string, FolderReading>();

/**
 * Reads again after two seconds. While the folder cannot be read, the last entries remain. Never throws.
 */
export function readPrivateEntries(folder: string): Promise<PrivateEntries> {
  if (folder === '') return Promise.resolve({ entries: new Map(), faults: [] });
  const last = readings.get(folder);
  if (last && performance.now() - (last.ended_ms ?? performance.now()) < current_ms) return last.read;
  const known = last?.known ?? new Map<string, ReadFile>();
  const read = readFolder(folder, known)
    .catch(async (error: unknown) => ({
      entries: (await last?.read)?.entries,
      faults: [`the folder ${folder} cannot be read (${codeOf(error)}); look at PRIVATE_LISTINGS`],
    }))
    .finally(() => {
      reading.ended_ms = performance.now();
    });
  const reading: FolderReading = { ended_ms: undefined, read, known };
  readings.set(folder, reading);
  return read;
}
