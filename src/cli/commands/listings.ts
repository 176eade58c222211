import type { Command } from 'commander';
import type { ImportOptions } from '../listings/import.ts';
import type { ObserveOptions } from '../listings/observe.ts';
import type { Shell } from './shell.ts';

const restoreListingExample =
  'Example: dossier listing restore co.webhook/webhook --reason "the line was a mistake, says its publisher"';

/** The commands about listings: import, observe, restore. Each loads its own module when it runs. */
export function addListingsCommands(program: Command, shell: Shell): void {
  program
    .command('import')
    .description('import listings from the registry into the database, with progress')
    .addHelpText(
      'after',
      `
Example: dossier import --from https://registry.modelcontextprotocol.io

Exit codes: 0 done; 130 stopped by Ctrl-C; 64 usage; 69 the registry cannot be reached, another import runs, or it is held; 74 the database cannot be
read or written; 78 settings.`,
    )
    .option('--from <url|file>', 'a registry, or a saved copy as JSON, gzipped or not')
    .option('--once', 'accepted and without effect: the command always makes one run')
    .option('--full', 'read the whole registry, not only what changed since the last import')
    .option('--accept-changes', 'do what would otherwise be held')
    .action(async (options: ImportOptions) =>
      (await import('../listings/import.ts')).runImportCommand(shell.config(), options),
    );
  program
    .command('observe [handles...]')
    .description(
      'check endpoints, packages and repositories: of these listings or addresses now, or of all listings that are due',
    )
    .addHelpText(
      'after',
      `
Example: dossier observe --json co.webhook/webhook

Exit codes: 0 it looked, whatever it found; 64 usage, or an unknown handle; 74 the database cannot be read or written, or every look failed on our side; 78 settings.`,
    )
    .option('--once', 'one pass, then end (what this command does anyway)')
    .option('--json', 'one fact a line, as JSON')
    .action(async (handles: string[], options: ObserveOptions) =>
      (await import('../listings/observe.ts')).runObserve(shell.config(), handles, options),
    );
  program
    .command('listing')
    .description('change a listing')
    .addHelpText('after', `\n${restoreListingExample}`)
    .command('restore <handle>')
    .description('list a listing again that a line "optout <handle>" in its claim file withdrew')
    .requiredOption('--reason <text>', 'why; it is published')
    .addHelpText(
      'after',
      `
${restoreListingExample}

The listing shows its publisher's text again. The opt-out line is ignored from now on, until a check finds it gone or the
listing records another repository. The restoration and its reason are published in the claim history and the log.

Exit codes: 0 restored; 64 usage: unknown handle, no reason, or not withdrawn by an opt-out line; 74 the database cannot be
read or written; 78 settings.`,
    )
    .action(async (handle: string, { reason }: { reason: string }) =>
      (await import('../listings/listing.ts')).runRestoreListing(shell.config(), handle, reason),
    );
}
