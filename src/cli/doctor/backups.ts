import { listBackups } from '../../backups/kept.ts';
import { type Check, fault, fine, warning } from './check.ts';

/** Whether there are backups, and how old the newest is. */
export const backups: Check = {
  name: 'backups',
  async look({ config: { backupDir, backupInterval_s }, clock }) {
    if (!backupDir)
      return [
        warning(
          'none are made by schedule',
          'set BACKUP_DIR, or run dossier backup by a schedule of your own',
        ),
      ];
    const [newest] = await listBackups(backupDir).catch(() => []);
    if (!newest) return [warning(`${backupDir} has none yet`, 'the service makes one when it starts')];
    const age_s = (clock().getTime() - newest.madeAt_ms) / 1000;
    if (age_s <= 2 * backupInterval_s) return [fine(`the newest is ${newest.file}`)];
    return [
      fault(`the newest is ${newest.file}, older than two intervals`, 'the log of the service says why'),
    ];
  },
};
