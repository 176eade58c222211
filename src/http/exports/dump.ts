import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Context } from '../../context.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import { withoutHiddenText } from '../../evidence/listing/state/hidden.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';
import { toCanonicalJson } from '../../evidence/log/leaf.ts';
import { signNote } from '../../evidence/log/signed-note.ts';
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
  /** The newest change that the dump has for sure, or 0: go on from there with /changes. */
  readonly since: string;
  readonly checkpoint: string;
  readonly files: readonly DumpFile[];
  /** C2SP signed note whose text is the SHA-256 of the RFC 8785 JSON of all other members. */
  readonly signature: string;
}

/** A dump in a folder of its own. */
export interface Dump {
  readonly manifest: Manifest;
  /** The file with a name; undefined for any other name. */
  fileOf(name: string): string | undefined;
  remove(): Promise<void>;
}

/** Few enough that memory stays flat, enough that a listing is not a round trip to the database. */
const page = 100;

/** Handles of all listings by their ids, read where nothing lags: what is missing here would be missing for good. */
async function* readPages({ store }: Context): AsyncGenerator<string[]> {
  for (let after = -1; ; ) {
    const listed = await store.observations.looks(after, page);
    if (listed.length > 0) yield listed.map(({ handle }) => handle);
    const last = listed.at(-1);
    if (listed.length < page || !last) return;
    after = last.id;
    // On SQLite a page is read without a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const hideText = (record: string) => JSON.stringify(withoutHiddenText(JSON.parse(record) as object));

/** The registry's record of every listing's shown version, one a line. */
async function* readRecords(context: Context): AsyncGenerator<string> {
  const { listings } = context.store;
  for await (const handles of readPages(context)) {
    const shown = (await listings.byHandles(handles)).filter((one) => !one.withdrawn && !isSample(one));
    const versions = await Promise.all(shown.map(({ handle, version }) => listings.version(handle, version)));
    for (const [at, { hidden }] of shown.entries()) {
      const record = versions[at]?.record;
      if (record) yield `${hidden ? hideText(record) : record}\n`;
    }
  }
}

/** The listing document of every listing, one a line: what `dossier check --from FILE` reads. */
async function* readEvidence(context: Context): AsyncGenerator<string> {
  for await (const handles of readPages(context)) {
    const now = context.clock();
    for (const facts of await context.store.listings.factsOfAll(handles, now.toISOString()))
      if (!facts.listing.withdrawn && !isSample(facts.listing))
        yield `${JSON.stringify(toListingDocument(facts, context.config, now))}\n`;
  }
}

/** Writes lines to a compressed file, one after the other, so that memory stays flat. */
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
  const file = join(folder, name);
  await pipeline(Readable.from(count(lines)), createGzip(), hashed, createWriteStream(file));
  return { path: `/export/${name}`, bytes: (await stat(file)).size, sha256: hash.digest('hex'), rows };
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

async function writeFiles(folder: string, context: Context): Promise<Manifest> {
  const [newest] = await context.store.changes.newest(1);
  const files = [
    await writeFile(folder, 'listings.jsonl.gz', readRecords(context)),
    await writeFile(folder, 'evidence.jsonl.gz', readEvidence(context)),
  ];
  return toManifest(files, newest?.id ?? '0', context);
}

/**
 * Writes all listings and their evidence to a new folder, which is removed if that fails. The position is read first: what
 * changes meanwhile comes again.
 */
export async function writeDump(context: Context): Promise<Dump> {
  await removeLeft().catch(() => undefined); // of another user, or just removed by another node
  const folder = await mkdtemp(join(tmpdir(), folderName));
  const remove = () => rm(folder, { recursive: true, force: true });
  const names = new Set(['listings.jsonl.gz', 'evidence.jsonl.gz']);
  try {
    const manifest = await writeFiles(folder, context);
    return { manifest, fileOf: (name) => (names.has(name) ? join(folder, name) : undefined), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
