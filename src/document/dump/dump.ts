import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from '../../context.ts';
import { readPages } from '../../core/paging/pages.ts';
import { Problem } from '../../core/problem.ts';
import { day_ms } from '../../core/text.ts';
import { inTurns } from '../../core/turns.ts';
import { isSample, withoutHiddenText } from '../../listings/listing.ts';
import { currentCheckpoint, openLogKey } from '../../log/checkpoints.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { signNote } from '../../log/notes.ts';
import type { Reads } from '../../store/store.ts';
import { toListingDocument } from '../document.ts';

const compress = promisify(gzip);

/** Listings held in memory at once. */
const page = 100;

async function* readHandles({ observations }: Reads, signal: AbortSignal): AsyncGenerator<string[]> {
  const pages = readPages<{ readonly id: number; readonly handle: string }>(page, (last) =>
    observations.lastRuns(last?.id ?? -1, page),
  );
  for await (const listed of pages) {
    signal.throwIfAborted();
    yield listed.map(({ handle }) => handle);
    // SQLite reads a page without yielding to the event loop.
    await setImmediate();
  }
}

async function toRecords({ listings }: Reads, handles: readonly string[]): Promise<string[]> {
  const shown = (await listings.byHandles(handles)).filter((one) => !one.withdrawn && !isSample(one));
  const versions = await Promise.all(shown.map(({ handle, version }) => listings.version(handle, version)));
  return shown.flatMap(({ hidden }, at) => {
    const record = versions[at]?.record;
    if (!record) return [];
    return hidden ? JSON.stringify(withoutHiddenText(JSON.parse(record) as object)) : record;
  });
}

async function toEvidence({ documents }: Reads, handles: readonly string[], { config, clock }: Context) {
  const now = clock();
  const facts = await documents.factsOfAll(handles, now.toISOString());
  const shown = facts.filter(({ listing }) => !listing.withdrawn && !isSample(listing));
  return inTurns(shown, (one) => JSON.stringify(toListingDocument(one, config, now)));
}

const kinds = { listings: toRecords, evidence: toEvidence } as const;
/** RFC 1952; one page of listings. */
type WrittenMember = Readonly<Record<'bytes' | 'rows', number>>;

const folderOfPaths = '/export/';

type OpenFile = Awaited<ReturnType<typeof createFile>>;
type DumpFile = Awaited<ReturnType<OpenFile['finish']>>;

const sumOf = (members: readonly WrittenMember[], what: keyof WrittenMember) =>
  members.reduce((sum, member) => sum + member[what], 0);

async function createFile(folder: string, kind: keyof typeof kinds) {
  const path = join(folder, kind);
  const file = await open(path, 'wx');
  const hash = createHash('sha256');
  const members: WrittenMember[] = [];
  const add = async (member: Uint8Array, rows: number) => {
    hash.update(member);
    await file.writeFile(member);
    members.push({ bytes: member.length, rows });
  };
  return {
    kind,
    add,
    async addLines(lines: readonly string[]) {
      await add(await compress(lines.map((line) => `${line}\n`).join('')), lines.length);
    },
    /** Named by the start of its SHA-256, so that no manifest is combined with a file of another dump. */
    async finish() {
      if (members.length === 0) await add(await compress(''), 0);
      const sha256 = hash.digest('hex');
      const name = `${kind}-${sha256.slice(0, 16)}.jsonl.gz`;
      await rename(path, join(folder, name));
      const bytes = sumOf(members, 'bytes');
      const rows = sumOf(members, 'rows');
      return { kind, members, named: { path: `${folderOfPaths}${name}`, bytes, sha256, rows } };
    },
    close: () => file.close(),
  };
}

/** Members with the same number are about the same listings. */
async function createFiles<T>(folder: string, fill: (files: readonly OpenFile[]) => Promise<T>) {
  const files = [await createFile(folder, 'listings'), await createFile(folder, 'evidence')];
  try {
    const filled = await fill(files);
    return { filled, files: await Promise.all(files.map((file) => file.finish())) };
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

/**
 * `since` is the id of the newest change, or 0; /changes returns those after it. `signature`, a C2SP signed
 * note by the key of the log, signs the SHA-256 of the RFC 8785 JSON of all other members.
 */
async function toManifest(
  files: readonly DumpFile[],
  moment: Record<'created_at' | 'since', string> & { readonly rewritten_at?: string },
  context: Context,
) {
  const { text: checkpoint, head } = await currentCheckpoint(context);
  const content = { ...moment, checkpoint, files: files.map(({ named }) => named) };
  const digest = canonicalDigest(content);
  return { ...content, signature: signNote(`${digest}\n`, await openLogKey(context, head.id)) };
}

const folderName = 'dossier-dump-';
/** No process sends a dump of this age. */
const leftAfter_ms = day_ms;

async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(folderName) || Date.now() - (await stat(folder)).mtimeMs < leftAfter_ms) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

async function inFolder<T extends object>(fill: (folder: string) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), folderName));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    return { ...(await fill(folder)), folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A listing has lost something, so its pages are replaced before a dump is sent again. */
const takingAway = ['rating.withdrawn', 'listing.withdrawn', 'moderation.applied'] as const;

const takenFrom = ({ seq }: Pick<DumpFolder, 'seq'>, { changes }: Reads): Promise<ReadonlySet<string>> =>
  changes.handlesAfter(seq, takingAway);

const newestChange = async ({ changes }: Reads) => (await changes.newest(1))[0];

/** Without anything that a change up to `seq` took away. */
interface DumpFolder {
  readonly folder: string;
  readonly manifest: Awaited<ReturnType<typeof toManifest>>;
  readonly files: readonly DumpFile[];
  /** Of each gzip member of its files. */
  readonly pages: readonly (readonly string[])[];
  readonly seq: number;
  readonly remove: () => Promise<void>;
}

/** Leaves out withdrawn ones and the sample. */
async function writeDump(context: Context, signal: AbortSignal): Promise<DumpFolder> {
  // It may belong to another user, or another node may just have removed it.
  await removeLeft().catch(() => undefined);
  return inFolder(async (folder) => {
    const { filled, files } = await createFiles(folder, (made) =>
      context.store.snapshot(async (reads) => {
        const newest = await newestChange(reads);
        const pages: (readonly string[])[] = [];
        for await (const handles of readHandles(reads, signal)) {
          pages.push(handles);
          for (const file of made) await file.addLines(await kinds[file.kind](reads, handles, context));
        }
        return { pages, since: newest?.id ?? '0', seq: newest?.seq ?? 0 };
      }),
    );
    const { pages, since, seq } = filled;
    const manifest = await toManifest(files, { created_at: context.clock().toISOString(), since }, context);
    return { manifest, files, pages, seq };
  });
}

async function readMember(file: FileHandle, { bytes }: WrittenMember, position: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  if (bytesRead < bytes) throw new Error('A file of the dump is truncated.');
  return buffer;
}

async function rewriteFile(
  file: OpenFile,
  dump: DumpFolder,
  toLines: (handles: readonly string[]) => Promise<string[]> | undefined,
) {
  const { named, members } = dump.files.find(({ kind }) => kind === file.kind) ?? {};
  if (!named || !members) throw new Error(`The dump has no file ${file.kind}.`);
  const old = await open(join(dump.folder, named.path.slice(folderOfPaths.length)));
  try {
    let position = 0;
    for (const [at, member] of members.entries()) {
      const lines = await toLines(dump.pages[at] ?? []);
      if (lines) await file.addLines(lines);
      else await file.add(await readMember(old, member, position), member.rows);
      position += member.bytes;
    }
  } finally {
    await old.close();
  }
}

const rewriteDump = (dump: DumpFolder, context: Context, signal: AbortSignal): Promise<DumpFolder> =>
  inFolder(async (folder) => {
    const { filled: seq, files } = await createFiles(folder, (made) =>
      context.store.snapshot(async (reads) => {
        const taken = await takenFrom(dump, reads);
        for (const file of made)
          await rewriteFile(file, dump, (handles) => {
            signal.throwIfAborted();
            const isStale = handles.some((handle) => taken.has(handle));
            return isStale ? kinds[file.kind](reads, handles, context) : undefined;
          });
        return (await newestChange(reads))?.seq ?? 0;
      }),
    );
    const { created_at, since } = dump.manifest;
    const moment = { created_at, rewritten_at: context.clock().toISOString(), since };
    return { manifest: await toManifest(files, moment, context), files, pages: dump.pages, seq };
  });

const longestAge_ms = 3_600_000;
/** Then callers wait for a new one. */
const longestSent_ms = 12 * longestAge_ms;
/** Times the length of the rewriting before, so that withdrawals do not keep a node busy. */
const pauseShare = 10;
/** Callers wait for the pause. */
const longestPause_ms = 3000;
/** The service itself asks, so that callers seldom wait. */
const asksEvery_ms = 600_000;

/**
 * Callers get the present dump while a new one is written, unless it is too old. It takes into account every
 * withdrawal and action of the operator before the request.
 */
export function createDumps(context: Context) {
  const { clock, config, log, store } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Callers with the manifest of the older one still read its files. */
  let written: readonly DumpFolder[] = [];
  let writing: Promise<DumpFolder> | undefined;
  /** `next` has not begun, so all callers share it. */
  let rewriting: Promise<unknown> | undefined;
  let next: Promise<DumpFolder> | undefined;
  let pause_ms = 0;
  const ageOf_ms = ({ manifest }: DumpFolder) => clock().getTime() - Date.parse(manifest.created_at);
  const isSendable = async (dump: DumpFolder) => (await takenFrom(dump, store)).size === 0;
  const keep = async (dumps: readonly DumpFolder[]) => {
    const gone = written.filter((dump) => !dumps.includes(dump));
    written = dumps;
    await Promise.all(gone.map(({ remove }) => remove()));
  };
  const begin = () => {
    writing ??= writeDump(context, signal)
      .then(async (dump) => {
        await keep([dump, ...written.slice(0, 1)]);
        return dump;
      })
      .finally(() => {
        writing = undefined;
      });
    return writing;
  };
  const rewriteNewest = async (): Promise<DumpFolder> => {
    const [dump, ...older] = written;
    if (!dump) return begin();
    if (await isSendable(dump)) return dump;
    const began_ms = performance.now();
    const rewritten = await rewriteDump(dump, context, signal);
    pause_ms = Math.min(longestPause_ms, pauseShare * (performance.now() - began_ms));
    if (written[0] === dump) await keep([rewritten, ...older]);
    else await rewritten.remove();
    return written[0] === rewritten ? rewritten : rewriteNewest();
  };
  const afterRewriting = async () => {
    try {
      await rewriting?.catch(() => undefined);
      await wait(pause_ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    } finally {
      next = undefined;
    }
    const begun = rewriteNewest();
    rewriting = begun;
    return begun;
  };
  const rewrite = () => {
    next ??= afterRewriting();
    return next;
  };
  const warn = (error: unknown) =>
    signal.aborted || log.warn({ err: error }, 'a new dump could not be written');
  const read = async (): Promise<DumpFolder> => {
    const [newest] = written;
    const isTooOld = !newest || ageOf_ms(newest) >= longestSent_ms;
    if (!isTooOld && ageOf_ms(newest) >= longestAge_ms) begin().catch(warn);
    const dump = isTooOld ? await begin() : newest;
    return (await isSendable(dump)) ? dump : rewrite();
  };
  // In memory, all other reads would wait for the dump.
  const timer = setInterval(() => config.databaseUrl === ':memory:' || read().catch(warn), asksEvery_ms);
  timer.unref();
  return {
    read,
    async find(path: string) {
      const found = written.find(({ manifest }) => manifest.files.some((file) => file.path === path));
      return found && ageOf_ms(found) < longestSent_ms && (await isSendable(found)) ? found : undefined;
    },
    async close() {
      clearInterval(timer);
      stopping.abort(new Problem('unavailable', { retry_after_s: 2 }));
      await Promise.all([writing, rewriting, next].map((one) => one?.catch(() => undefined)));
      await keep([]);
    },
  };
}
