import type { Command } from 'commander';
import { restoreReasons } from '../../evidence/moderation/reasons.ts';
import type { Action } from '../../moderation/action.ts';
import { actions } from '../../moderation/actions/index.ts';
import type { ModerateOptions } from '../operator/moderate.ts';
import type { Shell } from './shell.ts';

const moderateCommands = () => import('../operator/moderate.ts');

const moderateExits = `Exit codes: 0 done; 64 usage: an unknown target or reason, done already, or nothing to undo; 74 the database cannot be read or
written; 78 settings.`;

/** What the help of one action adds. */
const toActionHelp = ({ name, example, reasons, isFinal }: Action): string => `
Example: dossier moderate ${name} ${example} --reason ${reasons[0]}
${isFinal ? '\nNothing undoes it. Backups from before still have the text.\n' : ''}
${moderateExits}`;

/** One command for each action of the operator, and those that undo and list them. */
export function addModerateCommands(program: Command, shell: Shell): void {
  const moderate = program
    .command('moderate')
    .description(
      'hide, withdraw, void, revoke, block, erase, and undo it; every action is published with its reason',
    )
    .addHelpText(
      'after',
      `
Targets: a rating <rating id>, its response response:<rating id>, a listing <handle>, a capability <capability id>,
namespace:com.example, account:github.com/example, network:192.0.2.0/24.

Examples: dossier moderate hide 019aa5f2-0000-7000-8000-000000000000 --reason personal_data
          dossier moderate restore 019aa5f2-0000-7000-8000-000000000000 --reason appeal

Every action is an entry of the log and is shown, with its reason and how to appeal, where its effect is (docs/moderation.md).

${moderateExits}`,
    );
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
