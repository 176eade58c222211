import type { Command } from 'commander';
import type { Shell } from './shell.ts';

/** Backup and restore. Each loads its own module when it runs. */
export function addBackupCommands(program: Command, shell: Shell): void {
  program
    .command('backup <file>')
    .description('write everything in the database to a new file, or to - (standard output)')
    .addHelpText(
      'after',
      `
Example: dossier backup dossier.gz

Exit codes: 0 written; 64 usage; 74 the file exists, or it or the database cannot be read or written; 78 settings,
or an empty database.`,
    )
    .action(async (file: string) => (await import('../backup/backup.ts')).runBackup(shell.config(), file));
  program
    .command('restore <file>')
    .description('put a backup, or what comes from - (standard input), into a new database')
    .addHelpText(
      'after',
      `
Example: DATABASE_URL=file:./new.db dossier restore dossier.gz

Exit codes: 0 restored; 64 usage; 74 the file is damaged, or the database cannot be written; 78 settings, or a database that
is not empty.`,
    )
    .action(async (file: string) => (await import('../backup/restore.ts')).runRestore(shell.config(), file));
}
