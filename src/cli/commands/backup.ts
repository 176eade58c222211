import type { Command } from 'commander';
import { backupHelp, restoreHelp } from '../help-texts.ts';
import type { Shell } from './shell.ts';

/** Backup and restore. Each loads its own module when it runs. */
export function addBackupCommands(program: Command, shell: Shell): void {
  program
    .command('backup <file>')
    .description('write everything in the database to a new file, or to - (standard output)')
    .addHelpText('after', backupHelp)
    .action(async (file: string) => (await import('../backup/backup.ts')).runBackup(shell.config(), file));
  program
    .command('restore <file>')
    .description('put a backup, or what comes from - (standard input), into a new database')
    .addHelpText('after', restoreHelp)
    .action(async (file: string) => (await import('../backup/restore.ts')).runRestore(shell.config(), file));
}
