import { createHash } from 'node:crypto';
import type { Dump } from '../contract/backup.ts';
import { type BackupHeader, formatName, formatVersion, longestLine_bytes } from './format.ts';

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

/**
 * The text of a backup (docs/decisions/0006): a header, lines of up to 500 rows of a table, and an end with the row
 * counts and the SHA-256 of all lines between. The same data always gives the same text, except for the header.
 * Throws if a row is so long that no restore would read its line.
 */
export async function* toBackupText(
  dump: Dump,
  made: Pick<BackupHeader, 'dossier' | 'created_at'>,
): AsyncGenerator<string, void> {
  yield toLine({ format: formatName, version: formatVersion, ...made, rows: dump.counts });
  const digest = createHash('sha256');
  const written: Record<string, number> = { ...dump.counts };
  for (const table in written) written[table] = 0;
  for await (const { table, rows } of dump.read()) {
    written[table] = (written[table] ?? 0) + rows.length;
    const columns = Object.keys(rows[0] ?? {});
    const line = toLine({ table, columns, rows: rows.map((row) => Object.values(row)) });
    if (Buffer.byteLength(line) > longestLine_bytes)
      throw new Error(`a row of ${table} is too long for a backup`);
    digest.update(line);
    yield line;
  }
  yield toLine({ end: { rows: written, sha256: digest.digest('hex') } });
}
