import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { type Check, type Finding, fault, fine, warning } from './check.ts';

const low_bytes = 1_000_000_000;
const least_bytes = 100_000_000;
const toMb = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

/** The folders that the service writes to, and which setting names each. */
const foldersOf = ({ databaseUrl, checkpointFile, backupDir }: Config): readonly [string, string][] => [
  ...(databaseUrl.startsWith('file:')
    ? [['DATABASE_URL', dirname(databaseUrl.slice(5))] as [string, string]]
    : []),
  ...(checkpointFile ? [['CHECKPOINT_FILE', dirname(checkpointFile)] as [string, string]] : []),
  ...(backupDir ? [['BACKUP_DIR', backupDir] as [string, string]] : []),
];

async function lookAt([setting, folder]: [string, string]): Promise<Finding> {
  const path = resolve(folder);
  try {
    await access(path, constants.W_OK);
    const { bavail, bsize } = await statfs(path);
    const free_bytes = bavail * bsize;
    const text = `${path} (${setting}) has ${toMb(free_bytes)} left`;
    if (free_bytes < least_bytes)
      return fault(text, 'make room: writes are about to be refused with storage_full');
    return free_bytes < low_bytes ? warning(text, 'make room, or move it to a larger disk') : fine(text);
  } catch (error) {
    return fault(
      `${path} (${setting}) cannot be written: ${(error as Error).message}`,
      'make the folder, and let the user of the service write to it',
    );
  }
}

/** Room on each disk that the service writes to. */
export const disk: Check = {
  name: 'disk',
  async look({ config }) {
    const folders = foldersOf(config);
    return folders.length > 0
      ? Promise.all(folders.map(lookAt))
      : [fine('nothing is written on this machine')];
  },
};
