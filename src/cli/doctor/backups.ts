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
    const all = await listBackups(backupDir).catch(() => []);
    const now_ms = clock().getTime();
    const ahead = all
      .filter(({ madeAt_ms }) => madeAt_ms > now_ms)
      .map(({ file }) =>
        warning(`${file} has a date in the future`, 'a clock was wrong; delete the file, or rename it'),
      );
    const newest = all.find(({ madeAt_ms }) => madeAt_ms <= now_ms);
    if (!newest)
      return [...ahead, warning(`${backupDir} has none yet`, 'the service makes one when it starts')];
    const age_s = (now_ms - newest.madeAt_ms) / 1000;
    if (age_s <= 2 * backupInterval_s) return [...ahead, fine(`the newest is ${newest.file}`)];
    return [
      ...ahead,
      fault(`the newest is ${newest.file}, older than two intervals`, 'the log of the service says why'),
    ];
  },
};
