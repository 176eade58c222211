import type { Command } from 'commander';
import type { Shell } from './shell.ts';

const feedbackCommands = () => import('../feedback.ts');

/** The commands for private feedback. Each loads its own module when it runs. */
export function addFeedbackCommands(program: Command, shell: Shell): void {
  const feedback = program.command('feedback').description('read private feedback');
  feedback
    .command('list', { isDefault: true })
    .description('list the open ones, newest first')
    .option('--all', 'closed ones too')
    .action(async (options: { all?: boolean }) =>
      (await feedbackCommands()).listFeedback(shell.config(), options.all ?? false),
    );
  feedback
    .command('show <id>')
    .description('print one with everything that was sent')
    .action(async (id: string) => (await feedbackCommands()).showFeedback(shell.config(), id));
  feedback
    .command('close <id>')
    .description('mark one as done')
    .action(async (id: string) => (await feedbackCommands()).closeFeedback(shell.config(), id));
}
