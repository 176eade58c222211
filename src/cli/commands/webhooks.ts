import type { Command } from 'commander';
import type { WebhookOptions } from '../operator/webhooks.ts';
import type { Shell } from './shell.ts';

const webhookCommands = () => import('../operator/webhooks.ts');

/** The commands for webhooks. Each loads its own module when it runs. */
export function addWebhookCommands(program: Command, shell: Shell): void {
  const webhooks = program
    .command('webhooks')
    .description('see who is told about changes, and send again what failed')
    .addHelpText(
      'after',
      `
Example: dossier webhooks add https://you.example/hook --handle co.webhook/webhook

Exit codes: 0 done; 64 usage, an unknown id, or an address that did not answer the challenge; 74 the database cannot be read or
written; 78 settings.`,
    );
  webhooks
    .command('list', { isDefault: true })
    .description('list them, oldest first')
    .action(async () => (await webhookCommands()).listWebhooks(shell.config()));
  webhooks
    .command('show <id>')
    .description('print one, but for its secret')
    .action(async (id: string) => (await webhookCommands()).showWebhook(shell.config(), id));
  webhooks
    .command('add <url>')
    .description('tell an address about changes, once it has answered a challenge')
    .option('--handle <handle>', 'of one listing')
    .option('--publisher <namespace>', 'of all listings of a namespace')
    .option('--tag <tag>', 'of listings with a tag')
    .option('--view <name>', 'of listings in a view')
    .action(async (url: string, options: WebhookOptions) =>
      (await webhookCommands()).addWebhook(shell.config(), url, options),
    );
  webhooks
    .command('dead [id]')
    .description('list changes that were given up, of one webhook or of all')
    .action(async (id: string | undefined) => (await webhookCommands()).listDead(shell.config(), id));
  webhooks
    .command('replay <id> [position]')
    .description('send them again, all or the one at a position of the stream; makes an ended webhook active')
    .action(async (id: string, position: string | undefined) =>
      (await webhookCommands()).replayWebhook(shell.config(), id, position),
    );
  webhooks
    .command('resume')
    .description('send again to those that a restore has paused, all of them')
    .action(async () => (await webhookCommands()).resumeWebhooks(shell.config()));
  webhooks
    .command('remove <id>')
    .description('end one')
    .action(async (id: string) => (await webhookCommands()).removeWebhook(shell.config(), id));
}
