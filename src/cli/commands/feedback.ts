import type { Command } from 'commander';
import { feedbackHelp, reportsHelp } from '../help-texts.ts';
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
  addCommands(feedback.addHelpText('after', feedbackHelp), 'feedback', shell);
  const reports = program.command('reports').description('read reports about listings and ratings');
  addCommands(reports.addHelpText('after', reportsHelp), 'report', shell);
}
