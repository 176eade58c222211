import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Context } from '../context.ts';
import { decodeUtf8, parseForeignJson, readBounded } from '../core/json.ts';
import { dayText, toLine } from '../core/text.ts';
import { inTurns } from '../core/turns.ts';
import { toAnswer } from '../document/answers/answers.ts';
import { type CriterionAnswer, whyWords } from '../document/criteria/criteria.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { type ListingFacts, nothingNative, toReading } from '../document/record.ts';
import { recordedFacts } from '../document/recorded-facts.ts';
import { digestOf, readShared, toEntry, toServer } from '../document/registry/entries.ts';
import { toListing } from '../imports/recorded.ts';
import { type Listing, type ListingVersion, registryMeta } from '../listings/listing.ts';
import { readRecord } from '../listings/record-form.ts';
import { publisherFields } from '../observations/known/kinds/record.ts';
import type { ApprovalAnswer } from './approvals.ts';

/** In no table, so that only selections with readers list it. */
export interface PrivateEntry {
  readonly listing: Listing;
  readonly version: ListingVersion;
  /** Unread fields. */
  readonly unread: readonly string[];
}

interface PrivateEntries {
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
async function readPrivate(text: string, file: string, { mtime, at }: { mtime: Date; at: string }) {
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
  return { state, found: await readPrivate(decodeUtf8(bytes) ?? '', file, { mtime, at }) };
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

export function toPrivateFacts({ listing, unread }: PrivateEntry): ListingFacts {
  const { published_at: lastPublished } = listing;
  const reading = toReading(listing, { own: undefined, read_at: undefined, full: undefined, recorded: {} });
  return {
    listing,
    reading,
    ...nothingNative,
    versions: [],
    imported: recordedFacts(
      listing,
      { shown: { unread }, versions: 1, lastPublished, source: null },
      reading,
    ),
    observed: undefined,
    publisherListings: 0,
    shared: [],
  };
}

export interface SelectionMember {
  readonly listing: ListingDocument;
  /** What the operator approved, and how the criteria are answered. */
  readonly answers: readonly ApprovalAnswer[];
  readonly judged: readonly CriterionAnswer[];
  readonly entry?: PrivateEntry | undefined;
}

export const privateNote = ({ listing }: PrivateEntry): string =>
  `This is a private entry from ${listing.origin}, last changed on ${dayText(listing.updated_at)} and read on ${dayText(listing.imported_at)}. No registry that Dossier reads lists it, and Dossier has not checked it.`;

/** Without facts of a registry. */
function toPrivateServer(entry: PrivateEntry, key: string) {
  const { origin, imported_at: read_at, updated_at: changed_at } = entry.listing;
  const server = toServer(entry.version, false, key);
  const about = { origin, changed_at, read_at, subject_digest: digestOf(server), note: privateNote(entry) };
  return { server, _meta: { [key]: about } as Record<string, object> };
}

/** As JSON, if the version is stored. */
export async function toSelectionEntries(members: readonly SelectionMember[], context: Context) {
  const shared = await readShared(context);
  const { key } = shared;
  const entries = await inTurns(members, async ({ listing, answers, judged, entry }) => {
    const version = entry?.version ?? (await context.store.listings.version(listing.handle, listing.version));
    if (!version) return undefined;
    const isHidden = listing.moderation?.some(({ action }) => action === 'hide') === true;
    const { server, _meta } = entry
      ? toPrivateServer(entry, key)
      : toEntry(version, { isLatest: true, document: listing, isHidden, ...shared });
    const answer = toAnswer(listing);
    const criteria = [
      ...answers.map(({ criterion, result, fact, as_of }) => ({ criterion, result, fact, as_of })),
      ...judged.map((one) => ({
        ...one,
        because: undefined,
        fact: whyWords(answer, one),
        as_of: listing.evidence_snapshot_date,
      })),
    ];
    return JSON.stringify({ server, _meta: { ..._meta, [key]: { ...(_meta[key] as object), criteria } } });
  });
  return entries.filter((entry) => entry !== undefined);
}
