import type { Command } from 'commander';
import { restoreReasons } from '../../evidence/moderation/reasons.ts';
import { actions } from '../../moderation/actions/index.ts';
import { moderateHelp, toActionHelp } from '../help-texts.ts';
import type { ModerateOptions } from '../operator/moderate.ts';
import type { Shell } from './shell.ts';

const moderateCommands = () => import('../operator/moderate.ts');

/** One command for each action of the operator, and those that undo and list them. */
export function addModerateCommands(program: Command, shell: Shell): void {
  const moderate = program
    .command('moderate')
    .description(
      'hide, withdraw, void, revoke, block, erase, and undo it; every action is published with its reason',
    )
    .addHelpText('after', moderateHelp);
  for (const action of actions) {
    const command = moderate
      .command(`${action.name} <target>`)
      .description(action.summary)
      .requiredOption('--reason <reason>', `one of ${action.reasons.join(', ')}`)
      .showHelpAfterError(`see dossier moderate ${action.name} --help`)
      .addHelpText('after', toActionHelp(action))
      .action(async (text: string, options: ModerateOptions) =>
        (await moderateCommands()).runAction(shell.config(), action, { text, ...options }),
      );
    const undoReasons = Object.keys(restoreReasons).join(', ');
    if (!action.isFinal) command.option('--undo', `end it; the reason is then one of ${undoReasons}`);
  }
  moderate
    .command('restore <target>')
    .description('undo everything that stands against a target')
    .requiredOption('--reason <reason>', `one of ${Object.keys(restoreReasons).join(', ')}`)
    .action(async (text: string, { reason }: ModerateOptions) =>
      (await moderateCommands()).runRestore(shell.config(), text, reason),
    );
  moderate
    .command('list')
    .description('list the actions that stand, newest first')
    .action(async () => (await moderateCommands()).runListActions(shell.config()));
}
