import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { readConfig } from '../config/config.ts';
import { ExitError, exitCodes } from '../config/exit.ts';
import type { AuditOptions } from './audit-options.ts';
import {
  auditHelp,
  backupHelp,
  checkHelp,
  configHelp,
  eraseRecordHelp,
  importHelp,
  lockHelp,
  observeHelp,
  restoreHelp,
  restoreListingHelp,
  serveHelp,
  stdioHelp,
  verifyHelp,
} from './help-texts.ts';
import type { ImportOptions } from './import.ts';
import type { LockOptions } from './lock.ts';
import type { ObserveOptions } from './observe.ts';
import { misspeltSettings, suggest } from './suggest.ts';
import type { VerifyOptions } from './verify.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
// Each command loads its own modules when it runs, so that a command does not wait for the others' modules.
function config() {
  for (const line of misspeltSettings(process.env)) process.stderr.write(`${line}\n`);
  return readConfig(process.env, version);
}

/** The default command takes no arguments, so that a misspelt command looks like one too many. */
function sayNoCommand(text: string, commands: readonly string[]): string {
  if (!text.includes('too many arguments')) return text;
  const meant = suggest(process.argv[2] ?? '', commands);
  const question = meant ? `did you mean ${meant}? See` : 'see';
  return `error: no such command: ${process.argv.slice(2).join(' ')}; ${question} dossier --help\n`;
}

/** A file as its user names it: npm runs scripts in the project's folder, and says where it was called. */
const toSource = (from: string | undefined) =>
  from === undefined || /^[a-z]+:/i.test(from) ? from : resolve(process.env.INIT_CWD ?? '.', from);

const toPath = (file: string) => (file === '-' ? file : resolve(process.env.INIT_CWD ?? '.', file));

const feedbackCommands = () => import('./feedback.ts');

const toLockOptions = (options: LockOptions): LockOptions => ({
  ...options,
  from: toSource(options.from ?? process.env.DOSSIER_URL),
  out: toPath(options.out),
});

function createCommandLine(): Command {
  const program = new Command('dossier')
    .description('Independent evidence before an agent-service purchase: a directory over MCP and the web')
    .version(version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(
          sayNoCommand(
            text,
            program.commands.map((command) => command.name()),
          ),
        ),
    });
  program
    .command('serve', { isDefault: true })
    .description('run the service (the default)')
    .addHelpText('after', serveHelp)
    .action(async () => (await import('./serve.ts')).runServe(config()));
  program
    .command('stdio')
    .description('serve MCP on standard input and output')
    .addHelpText('after', stdioHelp)
    .action(async () => (await import('./stdio.ts')).runStdio(config(), process.env));
  program
    .command('import')
    .description('import listings from the registry into the database, with progress')
    .addHelpText('after', importHelp)
    .option('--from <url|file>', 'a registry, or a saved copy as JSON, gzipped or not')
    .option('--once', 'accepted and without effect: the command always makes one run')
    .option('--accept-changes', 'do what would otherwise be held')
    .action(async (options: ImportOptions) =>
      (await import('./import.ts')).runImportCommand(config(), { ...options, from: toSource(options.from) }),
    );
  program
    .command('observe [handles...]')
    .description(
      'check endpoints, packages and repositories: of these listings or addresses now, or of all listings that are due',
    )
    .addHelpText('after', observeHelp)
    .option('--once', 'one pass, then end (what this command does anyway)')
    .option('--json', 'one fact a line, as JSON')
    .action(async (handles: string[], options: ObserveOptions) =>
      (await import('./observe.ts')).runObserve(config(), handles, options),
    );
  program
    .command('lock [handles...]')
    .description('write what is known of some listings to a lock file, for dossier check')
    .option(
      '--from <url|file>',
      'a Dossier, or a file of listing documents; DOSSIER_URL, else the own database',
    )
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--update', 'lock what the file has anew, and print what that accepts')
    .addHelpText('after', lockHelp)
    .action(async (handles: string[], options: LockOptions) =>
      (await import('./lock.ts')).runLock(config, handles, toLockOptions(options)),
    );
  program
    .command('check')
    .description('compare a lock file with what is known now, for CI')
    .option(
      '--from <url|file>',
      'a Dossier, or a file of listing documents; DOSSIER_URL, else the own database',
    )
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--json', 'one changed fact a line, as JSON')
    .addHelpText('after', checkHelp)
    .action(async (options: LockOptions) =>
      (await import('./lock.ts')).runCheck(
        config,
        toLockOptions(options),
        process.env.GITHUB_ACTIONS === 'true',
      ),
    );
  const feedback = program.command('feedback').description('read private feedback');
  feedback
    .command('list', { isDefault: true })
    .description('list the open ones, newest first')
    .option('--all', 'closed ones too')
    .action(async (options: { all?: boolean }) =>
      (await feedbackCommands()).listFeedback(config(), options.all ?? false),
    );
  feedback
    .command('show <id>')
    .description('print one with everything that was sent')
    .action(async (id: string) => (await feedbackCommands()).showFeedback(config(), id));
  feedback
    .command('close <id>')
    .description('mark one as done')
    .action(async (id: string) => (await feedbackCommands()).closeFeedback(config(), id));
  program
    .command('listing')
    .description('change a listing')
    .command('restore <handle>')
    .description('list a listing again that a line "optout <handle>" in its claim file withdrew')
    .requiredOption('--reason <text>', 'why; it is published')
    .addHelpText('after', restoreListingHelp)
    .action(async (handle: string, { reason }: { reason: string }) =>
      (await import('./listing.ts')).runRestoreListing(config(), handle, reason),
    );
  program
    .command('record')
    .description('change what the log commits to')
    .command('erase <log_index>')
    .description('delete what a rating or a response says, for good; the log says that and when')
    .requiredOption('--reason <text>', 'why; it is published')
    .addHelpText('after', eraseRecordHelp)
    .action(async (index: string, { reason }: { reason: string }) =>
      (await import('./record.ts')).runEraseRecord(config(), index, reason),
    );
  program
    .command('backup <file>')
    .description('write everything in the database to a new file, or to - (standard output)')
    .addHelpText('after', backupHelp)
    .action(async (file: string) => (await import('./backup.ts')).runBackup(config(), toPath(file)));
  program
    .command('restore <file>')
    .description('put a backup, or what comes from - (standard input), into a new database')
    .addHelpText('after', restoreHelp)
    .action(async (file: string) => (await import('./restore.ts')).runRestore(config(), toPath(file)));
  program
    .command('verify [proof]')
    .description('check a saved answer of get_proof, or that one saved checkpoint continues another, offline')
    .addHelpText('after', verifyHelp)
    .option('--key <key|file>', 'the log’s key as you know it (/log/key)')
    .option('--handle <handle>', 'the listing that the record must name')
    .option('--id <rating id>', 'the rating that the record must name')
    .option(
      '--erasure <file>',
      'a proof without its record: the saved proof of the entry "record.erased" (erased_by)',
    )
    .option('--older <file>', 'a checkpoint that you saved')
    .option('--newer <file>', 'a checkpoint that you saved later')
    .option('--consistency <file>', 'answer of /log/consistency/<older size>/<newer size>')
    .action(async (proof: string | undefined, options: VerifyOptions) =>
      (await import('./verify.ts')).runVerify(proof, options),
    );
  program
    .command('audit [database|url]')
    .description('compare what a database or a running service shows with its transparency log, both ways')
    .option('--checkpoint <file...>', 'checkpoints that you saved: the log must continue them')
    .option('--root <size:root...>', 'the second and third line of a checkpoint that you noted')
    .option('--key <key|file>', 'the log’s key as you know it (/log/key)')
    .option('--json', 'print one JSON document instead of lines')
    .addHelpText('after', auditHelp)
    .action(async (place: string | undefined, options: AuditOptions) =>
      (await import('./audit.ts')).runAudit(config(), place && toSource(place), options),
    );
  program
    .command('config')
    .description('show the effective settings, secrets masked')
    .addHelpText('after', configHelp)
    .action(async () => (await import('./config.ts')).runConfigCommand(config(), process.env));
  return program;
}

/** What a failure means to the shell: one plain line each, never a stack for what the user can mend. */
function toExit(error: unknown): { code: number; lines: string } {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : exitCodes.usage, lines: '' };
  if (error instanceof ExitError) return { code: error.exitCode, lines: `${error.message}\n` };
  return {
    code: exitCodes.io,
    lines: `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  };
}

/** Runs the command that the arguments name and sets the exit code. */
export async function runCommandLine(): Promise<void> {
  try {
    await createCommandLine().parseAsync();
  } catch (error) {
    const { code, lines } = toExit(error);
    process.stderr.write(lines);
    process.exitCode = code;
  }
}
