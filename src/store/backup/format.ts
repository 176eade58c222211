import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Dump } from '../contract/backup.ts';

const format = 'dossier-backup';
/** Of the lines and of the tables in them: a change of either is another version. */
const version = 3;
/** Far above what 500 rows of the longest records take. */
const longestLine_bytes = 256 * 1024 * 1024;

const counts = z.record(z.string(), z.number().int().min(0));
const anyHeader = z.object({
  format: z.literal(format),
  version: z.int(),
  dossier: z.string().regex(/^[\w.+-]{1,40}$/),
});
const header = anyHeader.extend({ version: z.literal(version), created_at: z.iso.datetime(), rows: counts });
const cell = z.union([z.string(), z.int(), z.null()]);
const batch = z.object({ table: z.string(), columns: z.array(z.string()), rows: z.array(z.array(cell)) });
const end = z.object({ end: z.object({ rows: counts, sha256: z.string() }) });

/** What stands in the first line: who made the backup, when, and how many rows of each table. */
export type BackupHeader = z.output<typeof header>;
/** Some rows of one table. */
export interface Batch {
  readonly table: string;
  readonly rows: Readonly<Record<string, string | number | null>>[];
}

/** A backup as far as it was read: its header, and all that follows. */
export interface Backup {
  readonly header: BackupHeader;
  /** Throws BackupError where it is not the whole of what was written. */
  readonly batches: AsyncIterable<Batch>;
}

/** A backup that cannot be read, in our own words. */
export class BackupError extends Error {}

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

/**
 * The text of a backup (docs/decisions/0006): a header, a line for every 500 rows of a table, an end with the counts and
 * the SHA-256 of all lines between. The same data is the same text, but for the header.
 */
export async function* toBackupText(
  dump: Dump,
  made: Pick<BackupHeader, 'dossier' | 'created_at'>,
): AsyncGenerator<string, void> {
  yield toLine({ format, version, ...made, rows: dump.counts });
  const digest = createHash('sha256');
  const written: Record<string, number> = { ...dump.counts };
  for (const table in written) written[table] = 0;
  for await (const { table, rows } of dump.read()) {
    written[table] = (written[table] ?? 0) + rows.length;
    const columns = Object.keys(rows[0] ?? {});
    const line = toLine({ table, columns, rows: rows.map((row) => Object.values(row)) });
    digest.update(line);
    yield line;
  }
  yield toLine({ end: { rows: written, sha256: digest.digest('hex') } });
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (let chunk of chunks) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10)) {
      yield Buffer.concat([...parts, chunk.subarray(0, at + 1)]);
      [parts, length, chunk] = [[], 0, chunk.subarray(at + 1)];
    }
    parts.push(chunk);
    length += chunk.length;
    if (length > longestLine_bytes) throw new BackupError('it holds a line that no backup has');
  }
  if (length > 0) throw new BackupError('it is cut off');
}

function parse(line: Buffer | undefined): unknown {
  try {
    return JSON.parse(line?.toString('utf8') ?? '') as unknown;
  } catch {
    return undefined;
  }
}

function toHeader(said: unknown): BackupHeader {
  const other = anyHeader.safeParse(said).data;
  if (!other) throw new BackupError('it is not a backup of this service');
  if (other.version !== version)
    throw new BackupError(
      `backup format ${other.version} cannot be read by this version (it reads ${version}); restore it with Dossier ${other.dossier}, which made it`,
    );
  const read = header.safeParse(said);
  if (!read.success) throw new BackupError('its first line is damaged');
  return read.data;
}

function toBatch(said: unknown): Batch {
  const read = batch.safeParse(said);
  const { table = '', columns = [], rows = [] } = read.data ?? {};
  if (!read.success || !rows.every(({ length }) => length === columns.length))
    throw new BackupError('it is damaged');
  const toRow = (cells: readonly (string | number | null)[]) =>
    Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? null]));
  return { table, rows: rows.map(toRow) };
}

async function* readBatches(
  lines: AsyncIterator<Buffer, void>,
  { rows }: BackupHeader,
): AsyncGenerator<Batch, void> {
  const digest = createHash('sha256');
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const said = parse(next.value);
    const last = end.safeParse(said).data?.end;
    if (!last) {
      digest.update(next.value);
      yield toBatch(said);
      continue;
    }
    const isAlike = Object.keys({ ...rows, ...last.rows }).every((table) => rows[table] === last.rows[table]);
    if (!isAlike || last.sha256 !== digest.digest('hex')) throw new BackupError('it is damaged');
    if (!(await lines.next()).done) throw new BackupError('it goes on after its end');
    return;
  }
  throw new BackupError('it is cut off');
}

/** Reads a backup as far as its header. Throws BackupError. */
export async function readBackup(chunks: AsyncIterable<Buffer>): Promise<Backup> {
  const lines = splitLines(chunks);
  const first = toHeader(parse((await lines.next()).value ?? undefined));
  return { header: first, batches: readBatches(lines, first) };
}
