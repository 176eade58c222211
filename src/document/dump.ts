import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Context } from '../context.ts';
import { readPages } from '../core/pages.ts';
import { Problem } from '../core/problem.ts';
import { isSample, withoutHiddenText } from '../listings/listing.ts';
import { currentCheckpoint, openLogKey } from '../log/checkpoints.ts';
import { canonicalDigest } from '../log/leaf.ts';
import { signNote } from '../log/notes.ts';
import type { Reads } from '../store/store.ts';
import { toListingDocument } from './document.ts';

/** Few enough that memory stays flat, enough that a listing is not a round trip to the database. */
const page = 100;

async function* readHandles({ observations }: Reads, signal: AbortSignal): AsyncGenerator<string[]> {
  const pages = readPages<{ readonly id: number; readonly handle: string }>(page, (last) =>
    observations.lastRuns(last?.id ?? -1, page),
  );
  for await (const listed of pages) {
    signal.throwIfAborted();
    yield listed.map(({ handle }) => handle);
    // On SQLite a page is read without a turn of the event loop.
    await setImmediate();
  }
}

/** The registry's record of every listing's shown version, one a line. */
async function* readRecords(reads: Reads, signal: AbortSignal): AsyncGenerator<string> {
  const { listings } = reads;
  for await (const handles of readHandles(reads, signal)) {
    const shown = (await listings.byHandles(handles)).filter((one) => !one.withdrawn && !isSample(one));
    const versions = await Promise.all(shown.map(({ handle, version }) => listings.version(handle, version)));
    for (const [at, { hidden }] of shown.entries()) {
      const record = versions[at]?.record;
      if (record)
        yield `${hidden ? JSON.stringify(withoutHiddenText(JSON.parse(record) as object)) : record}\n`;
    }
  }
}

/** The listing document of every listing, one a line: what `dossier check --from FILE` reads. */
async function* readEvidence(
  reads: Reads,
  { config, clock }: Context,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const handles of readHandles(reads, signal)) {
    const now = clock();
    for (const facts of await reads.documents.factsOfAll(handles, now.toISOString()))
      if (!facts.listing.withdrawn && !isSample(facts.listing))
        yield `${JSON.stringify(toListingDocument(facts, config, now))}\n`;
  }
}

/**
 * Writes lines to a compressed file, one after the other, so that memory stays flat. The file is called after its SHA-256 in hex, so
 * that a manifest never goes with the file of another dump.
 */
async function writeFile(folder: string, name: string, lines: AsyncGenerator<string>) {
  const hash = createHash('sha256');
  let rows = 0;
  const count = async function* () {
    for await (const line of lines) {
      rows += 1;
      yield line;
    }
  };
  const digest = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  const unnamed = join(folder, name);
  await pipeline(count, createGzip(), digest, createWriteStream(unnamed));
  const sha256 = hash.digest('hex');
  const named = `${name}-${sha256.slice(0, 16)}.jsonl.gz`;
  await rename(unnamed, join(folder, named));
  return { path: `/export/${named}`, bytes: (await stat(join(folder, named))).size, sha256, rows };
}

/**
 * What a dump holds: `since` is the newest change that it has, or 0, from which to go on with /changes. `signature` is a C2SP signed
 * note by the key of the log, whose text is the SHA-256 of the RFC 8785 JSON of all other members.
 */
async function toManifest(
  files: readonly Awaited<ReturnType<typeof writeFile>>[],
  since: string,
  context: Context,
) {
  const { text: checkpoint, head } = await currentCheckpoint(context);
  const content = { created_at: context.clock().toISOString(), since, checkpoint, files };
  const digest = canonicalDigest(content);
  return { ...content, signature: signNote(`${digest}\n`, await openLogKey(context, head.id)) };
}

const folderName = 'dossier-dump-';
/** No process sends a dump any more that it wrote so long ago. */
const leftAfter_ms = 86_400_000;

async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(folderName) || Date.now() - (await stat(folder)).mtimeMs < leftAfter_ms) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFiles(folder: string, context: Context, signal: AbortSignal) {
  const { files, since } = await context.store.snapshot(async (reads) => ({
    since: (await reads.changes.newest(1))[0]?.id ?? '0',
    files: [
      await writeFile(folder, 'listings', readRecords(reads, signal)),
      await writeFile(folder, 'evidence', readEvidence(reads, context, signal)),
    ],
  }));
  return toManifest(files, since, context);
}

/** Writes all listings and their evidence, as of one moment, to a new folder, which is removed if that fails. */
async function writeDump(context: Context, signal: AbortSignal) {
  await removeLeft().catch(() => undefined); // of another user, or just removed by another node
  const folder = await mkdtemp(join(tmpdir(), folderName));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    return { folder, manifest: await writeFiles(folder, context, signal), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

type Dump = Awaited<ReturnType<typeof writeDump>>;

/** Then a dump is written anew. */
const longestAge_ms = 3_600_000;
/** One that is older is not sent while the new one is written. */
const longestSent_ms = 12 * longestAge_ms;
/** Changes that take something away, so that a dump from before is not sent any more. */
const takingAway = ['rating.withdrawn', 'listing.withdrawn', 'moderation.applied'] as const;
/** How many times as long as writing took the pause is between two dumps that this makes necessary: a caller that takes away often keeps no node busy. */
const pauseShare = 10;
const shortestPause_ms = 2000;
/** How often the service itself asks for its dump, so that hardly anybody waits for one. */
const asksEvery_ms = 600_000;

/** The dumps of this process: callers wait for the first one, and get the old one while a new one is written. */
export function createDumps(context: Context) {
  const { clock, config, log, store } = context;
  const stopping = new AbortController();
  /** The newest, and the one before it: a caller that has its manifest may still read its files. */
  let written: readonly Dump[] = [];
  let writing: Promise<Dump> | undefined;
  const ageOf_ms = ({ manifest }: Dump) => clock().getTime() - Date.parse(manifest.created_at);
  const isSendable = async (dump: Dump) =>
    ageOf_ms(dump) < longestSent_ms &&
    !(await store.changes.hasAfter(Number.parseInt(dump.manifest.since, 10), takingAway));
  /** Before this moment no dump is written because something was taken away. */
  let paused_until_ms = -Infinity;
  let took_ms = 0;
  const pause = () => {
    paused_until_ms = clock().getTime() + Math.max(shortestPause_ms, pauseShare * took_ms);
  };
  const takenAway = () =>
    new Problem('unavailable', {
      detail: 'Something in the newest dump was withdrawn or moderated since.',
      retry_after_s: Math.max(1, Math.ceil((paused_until_ms - clock().getTime()) / 1000)),
    });
  const writeNext = async () => {
    const started_ms = performance.now();
    const dump = await writeDump(context, stopping.signal);
    took_ms = performance.now() - started_ms;
    const [last, ...older] = written;
    written = last ? [dump, last] : [dump];
    await Promise.all(older.map(({ remove }) => remove()));
    return (await isSendable(dump)) ? dump : undefined;
  };
  /** Writes the next dump, and once more if something of it was taken away meanwhile. */
  const renew = async () => {
    const dump = await writeNext();
    if (dump) return dump;
    const second = await writeNext();
    pause();
    if (!second) throw takenAway();
    return second;
  };
  const begin = () => {
    writing ??= renew().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const warn = (error: unknown) =>
    stopping.signal.aborted || log.warn({ err: error }, 'a new dump could not be written');
  const read = async (): Promise<Dump> => {
    const [newest] = written;
    if (!newest || ageOf_ms(newest) >= longestSent_ms) return begin();
    if (!(await isSendable(newest))) {
      if (writing !== undefined) return writing;
      if (paused_until_ms > clock().getTime()) throw takenAway();
      return begin().finally(pause);
    }
    if (ageOf_ms(newest) >= longestAge_ms) begin().catch(warn);
    return newest;
  };
  // In memory all other reads would wait for it.
  const timer = setInterval(() => config.databaseUrl === ':memory:' || read().catch(warn), asksEvery_ms);
  timer.unref();
  return {
    read,
    /** The dump that has a file of this path and may be sent. */
    async find(path: string) {
      const found = written.find(({ manifest }) => manifest.files.some((file) => file.path === path));
      return found && (await isSendable(found)) ? found : undefined;
    },
    async close() {
      clearInterval(timer);
      stopping.abort(new Problem('unavailable', { retry_after_s: 2 }));
      await writing?.catch(() => undefined);
      await Promise.all(written.map(({ remove }) => remove()));
    },
  };
}
