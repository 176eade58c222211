import type { Command } from 'commander';
import type { LockOptions } from '../lock/lock.ts';
import type { Shell } from './shell.ts';

const source =
  'a Dossier, or a file of listing documents; else DOSSIER_URL, what the lock file names, or the own database';

const toLockOptions = (options: LockOptions, { environment }: Shell): LockOptions => ({
  ...options,
  from: options.from ?? (environment.DOSSIER_URL || undefined),
});

/** The commands about lock files. Each loads its own module when it runs. */
export function addLockCommands(program: Command, shell: Shell): void {
  program
    .command('lock [handles...]')
    .description('add what is known of some listings to a lock file, for dossier check')
    .option('--from <url|file>', source)
    .option('--view <name>', 'exactly the listings that are in this view of a Dossier now')
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--update', 'lock what the file has anew, drop what is gone, and print what that accepts')
    .addHelpText(
      'after',
      `
Examples: dossier lock --from https://dossier.example co.webhook/webhook
          dossier lock --from https://dossier.example --view our-services

Exit codes: 0 written; 64 usage, or a listing that cannot be locked; 69 the Dossier cannot be reached; 74 a file cannot be read.`,
    )
    .action(async (handles: string[], options: LockOptions) =>
      (await import('../lock/lock.ts')).runLock(shell.config, handles, toLockOptions(options, shell)),
    );
  program
    .command('check')
    .description('compare a lock file with what is known now, for CI')
    .option('--from <url|file>', source)
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--json', 'one changed fact a line, as JSON')
    .addHelpText(
      'after',
      `
Example: dossier check --from https://dossier.example

Exit codes: 0 nothing changed; 1 facts changed, one line each; 64 no lock file; 69 the Dossier cannot be reached; 74 a file cannot
be read. On GitHub Actions the lines are annotations.`,
    )
    .action(async (options: LockOptions) =>
      (await import('../lock/lock.ts')).runCheck(
        shell.config,
        toLockOptions(options, shell),
        shell.environment.GITHUB_ACTIONS === 'true',
      ),
    );
}
