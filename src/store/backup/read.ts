import { createHash } from 'node:crypto';
import {
  type BackupHeader,
  batchLine,
  endLine,
  formatVersion,
  headerLine,
  headerOfAnyVersion,
  longestLine_bytes,
} from './format.ts';

/** What is wrong with a backup, as a message for the operator. */
class BackupError extends Error {}

/** Some rows of one table. */
interface Batch {
  readonly table: string;
  readonly rows: Readonly<Record<string, string | number | null>>[];
}

/** A backup whose header has been read. */
export interface Backup {
  readonly header: BackupHeader;
  /** Throws BackupError if the backup is incomplete or changed. */
  readonly batches: AsyncIterable<Batch>;
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
  const other = headerOfAnyVersion.safeParse(parsed).data;
  if (!other) throw new BackupError('not a backup of this service');
  if (other.version !== formatVersion)
    throw new BackupError(
      `backup format ${other.version} cannot be read by this version (it reads ${formatVersion}); restore it with Dossier ${other.dossier}, which made it`,
    );
  const read = headerLine.safeParse(parsed);
  if (!read.success) throw new BackupError('damaged in its first line');
  return read.data;
}

function toBatch(parsed: unknown): Batch {
  const read = batchLine.safeParse(parsed);
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
    const last = endLine.safeParse(parsed).data?.end;
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
