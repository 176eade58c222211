import type { Command } from 'commander';
import { importHelp, listingHelp, observeHelp, restoreListingHelp } from '../help-texts.ts';
import type { ImportOptions } from '../listings/import.ts';
import type { ObserveOptions } from '../listings/observe.ts';
import type { Shell } from './shell.ts';

/** The commands about listings: import, observe, restore. Each loads its own module when it runs. */
export function addListingsCommands(program: Command, shell: Shell): void {
  program
    .command('import')
    .description('import listings from the registry into the database, with progress')
    .addHelpText('after', importHelp)
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
    .addHelpText('after', observeHelp)
    .option('--once', 'one pass, then end (what this command does anyway)')
    .option('--json', 'one fact a line, as JSON')
    .action(async (handles: string[], options: ObserveOptions) =>
      (await import('../listings/observe.ts')).runObserve(shell.config(), handles, options),
    );
  program
    .command('listing')
    .description('change a listing')
    .addHelpText('after', listingHelp)
    .command('restore <handle>')
    .description('list a listing again that a line "optout <handle>" in its claim file withdrew')
    .requiredOption('--reason <text>', 'why; it is published')
    .addHelpText('after', restoreListingHelp)
    .action(async (handle: string, { reason }: { reason: string }) =>
      (await import('../listings/listing.ts')).runRestoreListing(shell.config(), handle, reason),
    );
}
