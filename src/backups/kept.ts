import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const pattern = /^dossier-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.gz$/;
const partialPattern = /^dossier-[\dTZ-]+\.gz\.[\w-]+\.partial$/;

/** A backup that the schedule made. */
export interface KeptBackup {
  readonly file: string;
  readonly madeAt_ms: number;
}

/** The name of the backup of a moment: `dossier-2026-11-22T01-00-00Z.gz`. */
export const toBackupName = (at: Date): string =>
  `dossier-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.gz`;

/** The backups of a folder that have the schedule's names, newest first; all other files are none of its business. */
export async function listBackups(folder: string): Promise<readonly KeptBackup[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => {
      const [, day, hour, minute, second] = pattern.exec(name) ?? [];
      const madeAt_ms = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
      return Number.isNaN(madeAt_ms) ? [] : [{ file: join(folder, name), madeAt_ms }];
    })
    .toSorted((a, b) => b.madeAt_ms - a.madeAt_ms);
}

/**
 * Deletes all but the newest `keep` backups made until `now`, and what killed ones left. A date in the future says nothing,
 * so such a file neither counts nor is deleted. To be called while none is being made.
 */
export async function pruneBackups(folder: string, keep: number, now: Date): Promise<void> {
  const made = (await listBackups(folder)).filter(({ madeAt_ms }) => madeAt_ms <= now.getTime());
  const old = made.slice(keep).map(({ file }) => file);
  const partial = (await readdir(folder)).filter((name) => partialPattern.test(name));
  for (const file of [...old, ...partial.map((name) => join(folder, name))]) await rm(file, { force: true });
}
