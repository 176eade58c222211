import { z } from 'zod';

export const formatName = 'dossier-backup';
/** Goes up when the form of the lines changes, or the tables, columns or values in them. */
export const formatVersion = 3;

/** The rows of one line have at most this many bytes of text; a single row may have more. */
export const mostLineText_bytes = 4 * 1024 * 1024;
/** Of a line in UTF-8: JSON may escape a byte of a text as six. */
export const longestLine_bytes = 256 * 1024 * 1024;

const rowCounts = z.record(z.string(), z.number().int().min(0));
const cell = z.union([z.string(), z.int(), z.null()]);

/** The first line, as far as every version of the format has it. */
export const headerOfAnyVersion = z.object({
  format: z.literal(formatName),
  version: z.int(),
  dossier: z.string().regex(/^[\w.+-]{1,40}$/),
});
/** The first line: what made the backup, when, and how many rows each table has. */
export const headerLine = headerOfAnyVersion.extend({
  version: z.literal(formatVersion),
  created_at: z.iso.datetime(),
  rows: rowCounts,
});
/** A line between the first and the last: up to 500 rows of one table, fewer if they are long. */
export const batchLine = z.object({
  table: z.string(),
  columns: z.array(z.string()),
  rows: z.array(z.array(cell)),
});
/** The last line: how many rows of each table were written, and the SHA-256 of all lines but the first, hex. */
export const endLine = z.object({ end: z.object({ rows: rowCounts, sha256: z.string() }) });

export type BackupHeader = z.output<typeof headerLine>;
