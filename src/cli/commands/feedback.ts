import type { Command } from 'commander';
import type { FeedbackKind, FeedbackOptions } from '../operator/feedback.ts';
import type { Shell } from './shell.ts';

const feedbackCommands = () => import('../operator/feedback.ts');

/** list, show and close, which are the same for reports and for all other feedback. */
function addCommands(group: Command, kind: FeedbackKind, shell: Shell): void {
  group
    .command('list', { isDefault: true })
    .description('list the open ones, newest first')
    .option('--all', 'closed ones too')
    .option('--limit <number>', 'print at most so many', '200')
    .action(async (options: FeedbackOptions) =>
      (await feedbackCommands()).listFeedback(shell.config(), kind, options),
    );
  group
    .command('show <id>')
    .description('print one with everything that was sent')
    .action(async (id: string) => (await feedbackCommands()).showFeedback(shell.config(), kind, id));
  group
    .command('close <id>')
    .description('mark one as done')
    .action(async (id: string) => (await feedbackCommands()).closeFeedback(shell.config(), kind, id));
}

/** The commands for private feedback and for reports. Each loads its own module when it runs. */
export function addFeedbackCommands(program: Command, shell: Shell): void {
  const feedback = program.command('feedback').description('read private feedback');
  addCommands(
    feedback.addHelpText(
      'after',
      `
Examples: dossier feedback list --all --limit 1000
          dossier feedback close 019aa5f2-0000-7000-8000-000000000000

Reports about listings and ratings are apart: dossier reports.

Exit codes: 0 done; 64 usage, or no feedback with this id; 74 the database cannot be read or written; 78 settings.`,
    ),
    'feedback',
    shell,
  );
  const reports = program.command('reports').description('read reports about listings and ratings');
  addCommands(
    reports.addHelpText(
      'after',
      `
Examples: dossier reports list
          dossier reports show 019aa5f2-0000-7000-8000-000000000000

A report changes nothing by itself.

Exit codes: 0 done; 64 usage, or no report with this id; 74 the database cannot be read or written; 78 settings.`,
    ),
    'report',
    shell,
  );
}
