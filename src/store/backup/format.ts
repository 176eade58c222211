import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Dump } from '../contract/backup.ts';

const format = 'dossier-backup';
/** Changes with the form of the lines, and with the tables, columns and values in them. */
const version = 3;
/** Far more than 500 rows of the longest records need. */
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

/** The first line: what made the backup, when, and how many rows each table has. */
export type BackupHeader = z.output<typeof header>;
/** Some rows of one table. */
export interface Batch {
  readonly table: string;
  readonly rows: Readonly<Record<string, string | number | null>>[];
}

/** A backup whose header has been read. */
export interface Backup {
  readonly header: BackupHeader;
  /** Throws BackupError if the backup is incomplete or changed. */
  readonly batches: AsyncIterable<Batch>;
}

/** What is wrong with a backup, as a message for the operator. */
export class BackupError extends Error {}

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

/**
 * The text of a backup (docs/decisions/0006): a header, a line for every 500 rows of a table, and an end with the row
 * counts and the SHA-256 of all lines between. The same data always gives the same text, except for the header.
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
    if (length > longestLine_bytes) throw new BackupError('damaged: a line is too long');
  }
  if (length > 0) throw new BackupError('truncated');
}

function parse(line: Buffer | undefined): unknown {
  try {
    return JSON.parse(line?.toString('utf8') ?? '') as unknown;
  } catch {
    return undefined;
  }
}

function toHeader(parsed: unknown): BackupHeader {
  const other = anyHeader.safeParse(parsed).data;
  if (!other) throw new BackupError('not a backup of this service');
  if (other.version !== version)
    throw new BackupError(
      `backup format ${other.version} cannot be read by this version (it reads ${version}); restore it with Dossier ${other.dossier}, which made it`,
    );
  const read = header.safeParse(parsed);
  if (!read.success) throw new BackupError('damaged in its first line');
  return read.data;
}

function toBatch(parsed: unknown): Batch {
  const read = batch.safeParse(parsed);
  const { table = '', columns = [], rows = [] } = read.data ?? {};
  if (!read.success || !rows.every(({ length }) => length === columns.length))
    throw new BackupError('damaged');
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
    const parsed = parse(next.value);
    const last = end.safeParse(parsed).data?.end;
    if (!last) {
      digest.update(next.value);
      yield toBatch(parsed);
      continue;
    }
    const areCountsEqual = Object.keys({ ...rows, ...last.rows }).every(
      (table) => rows[table] === last.rows[table],
    );
    if (!areCountsEqual || last.sha256 !== digest.digest('hex')) throw new BackupError('damaged');
    if (!(await lines.next()).done) throw new BackupError('more data follows the end of the backup');
    return;
  }
  throw new BackupError('truncated');
}

/** Reads the header of a backup. Throws BackupError. */
export async function readBackup(chunks: AsyncIterable<Buffer>): Promise<Backup> {
  const lines = splitLines(chunks);
  const first = toHeader(parse((await lines.next()).value ?? undefined));
  return { header: first, batches: readBatches(lines, first) };
}
