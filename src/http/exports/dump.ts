import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { Context } from '../../context.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import { withoutHiddenText } from '../../evidence/listing/state/hidden.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';
import { toCanonicalJson } from '../../evidence/log/leaf.ts';
import { signNote } from '../../evidence/log/signed-note.ts';
import type { Reads } from '../../store/store.ts';
import { currentCheckpoint } from '../../transparency-log/issue-checkpoint.ts';
import { openLogKey } from '../../transparency-log/keys.ts';

/** One file of a dump. */
interface DumpFile {
  readonly path: string;
  readonly bytes: number;
  /** Of the compressed file, hex. */
  readonly sha256: string;
  readonly rows: number;
}

/** What a dump holds, signed by the key of the log. */
export interface Manifest {
  readonly created_at: string;
  /** The newest change that the dump has, or 0: go on from there with /changes. */
  readonly since: string;
  readonly checkpoint: string;
  readonly files: readonly DumpFile[];
  /** C2SP signed note whose text is the SHA-256 of the RFC 8785 JSON of all other members. */
  readonly signature: string;
}

/** A dump in a folder of its own. */
export interface Dump {
  readonly manifest: Manifest;
  /** Where its files are. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** Few enough that memory stays flat, enough that a listing is not a round trip to the database. */
const page = 100;

/** Handles of all listings by their ids. */
async function* readPages(reads: Reads, signal: AbortSignal): AsyncGenerator<string[]> {
  for (let after = -1; ; ) {
    signal.throwIfAborted();
    const listed = await reads.observations.looks(after, page);
    if (listed.length > 0) yield listed.map(({ handle }) => handle);
    const last = listed.at(-1);
    if (listed.length < page || !last) return;
    after = last.id;
    // On SQLite a page is read without a turn of the event loop.
    await setImmediate();
  }
}

const hideText = (record: string) => JSON.stringify(withoutHiddenText(JSON.parse(record) as object));

/** The registry's record of every listing's shown version, one a line. */
async function* readRecords(reads: Reads, signal: AbortSignal): AsyncGenerator<string> {
  const { listings } = reads;
  for await (const handles of readPages(reads, signal)) {
    const shown = (await listings.byHandles(handles)).filter((one) => !one.withdrawn && !isSample(one));
    const versions = await Promise.all(shown.map(({ handle, version }) => listings.version(handle, version)));
    for (const [at, { hidden }] of shown.entries()) {
      const record = versions[at]?.record;
      if (record) yield `${hidden ? hideText(record) : record}\n`;
    }
  }
}

/** The listing document of every listing, one a line: what `dossier check --from FILE` reads. */
async function* readEvidence(
  reads: Reads,
  { config, clock }: Context,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const handles of readPages(reads, signal)) {
    const now = clock();
    for (const facts of await reads.listings.factsOfAll(handles, now.toISOString()))
      if (!facts.listing.withdrawn && !isSample(facts.listing))
        yield `${JSON.stringify(toListingDocument(facts, config, now))}\n`;
  }
}

/**
 * Writes lines to a compressed file, one after the other, so that memory stays flat. The file is called after its digest, so
 * that a manifest never goes with the file of another dump.
 */
async function writeFile(folder: string, name: string, lines: AsyncGenerator<string>): Promise<DumpFile> {
  const hash = createHash('sha256');
  let rows = 0;
  const count = async function* (source: AsyncGenerator<string>) {
    for await (const line of source) {
      rows += 1;
      yield line;
    }
  };
  const hashed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const unnamed = join(folder, name);
  await pipeline(Readable.from(count(lines)), createGzip(), hashed, createWriteStream(unnamed));
  const sha256 = hash.digest('hex');
  const named = `${name}-${sha256.slice(0, 16)}.jsonl.gz`;
  await rename(unnamed, join(folder, named));
  return { path: `/export/${named}`, bytes: (await stat(join(folder, named))).size, sha256, rows };
}

async function toManifest(files: readonly DumpFile[], since: string, context: Context): Promise<Manifest> {
  const { text: checkpoint, head } = await currentCheckpoint(context);
  const content = { created_at: context.clock().toISOString(), since, checkpoint, files };
  const digest = createHash('sha256').update(toCanonicalJson(content)).digest('hex');
  return { ...content, signature: signNote(`${digest}\n`, await openLogKey(context, head.id)) };
}

const folderName = 'dossier-dump-';
/** No process sends a dump any more that it wrote so long ago. */
const leftAfter_ms = 86_400_000;

/** Removes the dumps that killed processes have left. */
async function removeLeft(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(folderName) || Date.now() - (await stat(folder)).mtimeMs < leftAfter_ms) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFiles(folder: string, context: Context, signal: AbortSignal): Promise<Manifest> {
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
export async function writeDump(context: Context, signal: AbortSignal): Promise<Dump> {
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
