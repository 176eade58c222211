import type { Command } from 'commander';
import { add, databaseExits, type Shell } from './command.ts';

const feedbackGroups = {
  feedback: {
    description: 'read private feedback',
    about: 'Reports about listings and ratings are not in this list; see dossier reports.',
    examples: [
      'dossier feedback list --all --limit 1000',
      'dossier feedback close 019aa5f2-0000-7000-8000-000000000000',
    ],
    exits: `0 done; 64 usage, or no feedback with this id; ${databaseExits}.`,
  },
  reports: {
    description: 'read reports about listings and ratings',
    about: 'A report changes nothing by itself.',
    examples: ['dossier reports list', 'dossier reports show 019aa5f2-0000-7000-8000-000000000000'],
    exits: `0 done; 64 usage, or no report with this id; ${databaseExits}.`,
  },
} as const;

function addFeedbackCommands(program: Command, { config }: Shell): void {
  const load = () => import('../feedback.ts');
  for (const [name, { description, ...help }] of Object.entries(feedbackGroups)) {
    const group = add(program, name, description, help);
    const kind = name === 'reports' ? 'report' : 'feedback';
    const noun = name === 'reports' ? 'report' : 'message';
    add(group, 'list', `list open ${name}, newest first`, { isDefault: true })
      .option('--all', 'closed ones too')
      .option('--limit <number>', 'print at most this many', '200')
      .action(async (options: { all?: boolean; limit: string }) =>
        (await load()).listFeedback(await config(), kind, options),
      );
    add(group, 'show <id>', `print one ${noun} in full`).action(async (id: string) =>
      (await load()).showFeedback(await config(), kind, id),
    );
    add(group, 'close <id>', `mark one ${noun} as done`).action(async (id: string) =>
      (await load()).closeFeedback(await config(), kind, id),
    );
  }
}

function addWebhookCommands(program: Command, { config }: Shell): void {
  const load = () => import('../webhooks.ts');
  const webhooks = add(program, 'webhooks', 'list, add and end webhooks, and send failed changes again', {
    examples: ['dossier webhooks add https://you.example/hook --handle co.webhook/webhook'],
    exits: `0 done; 64 usage, an unknown id, or an address that did not answer the challenge; ${databaseExits}.`,
  });
  add(webhooks, 'list', 'list all webhooks, oldest first', { isDefault: true }).action(async () =>
    (await load()).listWebhooks(await config()),
  );
  add(webhooks, 'show <id>', 'print one webhook, without its secret').action(async (id: string) =>
    (await load()).showWebhook(await config(), id),
  );
  add(webhooks, 'add <url>', 'send changes to an address, after it has answered a challenge')
    .option('--handle <handle>', 'send changes of one listing')
    .option('--publisher <namespace>', 'send changes of all listings of a namespace')
    .option('--tag <tag>', 'send changes of listings with a tag')
    .option('--view <name>', 'send changes of listings in a view')
    .action(async (url: string, options: Record<string, string>) =>
      (await load()).addWebhook(await config(), url, options),
    );
  add(webhooks, 'dead [id]', 'list the dead letters of one webhook or of all').action(
    async (id: string | undefined) => (await load()).listDead(await config(), id),
  );
  const replays =
    'send all dead letters of a webhook again, or the one at a position of the stream, and make the webhook active';
  add(webhooks, 'replay <id> [position]', replays).action(async (id: string, position: string | undefined) =>
    (await load()).replayWebhook(await config(), id, position),
  );
  add(webhooks, 'resume', 'resume all webhooks that a restore has paused').action(async () =>
    (await load()).resumeWebhooks(await config()),
  );
  add(webhooks, 'remove <id>', 'end a webhook').action(async (id: string) =>
    (await load()).removeWebhook(await config(), id),
  );
}

const dryRun = 'show what would be published, and change nothing';

async function addModerateCommands(program: Command, { config }: Shell): Promise<void> {
  const load = () => import('../moderate.ts');
  const exits = `0 done; 64 usage: an unknown target or reason, an action that is already in force, or nothing to undo; ${databaseExits}.`;
  const acts =
    'hide, withdraw, void, revoke, block and erase, or undo that; every action is published with its reason';
  const moderate = add(program, 'moderate', acts, {
    about: `Targets: a rating <rating id>, its response response:<rating id>, a listing <handle>, a capability <capability id>, namespace:com.example, account:github.com/example, network:192.0.2.0/24.

Every action is an entry of the log and is shown, with its reason and how to appeal, where its effect is (docs/moderation.md).`,
    examples: [
      'dossier moderate hide 019aa5f2-0000-7000-8000-000000000000 --reason personal_data',
      'dossier moderate restore 019aa5f2-0000-7000-8000-000000000000 --reason appeal',
    ],
    exits,
  });
  // The actions load much of the service, for which no other command should wait.
  if (!process.argv.includes('moderate')) return;
  const [{ actions }, { restoreReasons }] = await Promise.all([
    import('../../actions/actions.ts'),
    import('../../moderation/moderation.ts'),
  ]);
  const undoReasons = Object.keys(restoreReasons).join(', ');
  for (const action of actions) {
    const command = add(moderate, `${action.name} <target>`, action.summary, {
      ...(action.isFinal && { about: 'This action cannot be undone. Older backups still have the text.' }),
      examples: [`dossier moderate ${action.name} ${action.example} --reason ${action.reasons[0]}`],
      exits,
    })
      .requiredOption('--reason <reason>', `one of ${action.reasons.join(', ')}`)
      .option('--dry-run', dryRun)
      .showHelpAfterError(`see dossier moderate ${action.name} --help`)
      .action(async (text: string, options: { reason: string; undo?: boolean; dryRun?: boolean }) =>
        (await load()).runAction(await config(), action, { text, ...options }),
      );
    if (!action.isFinal) command.option('--undo', `end the action; the reason is then one of ${undoReasons}`);
  }
  add(moderate, 'restore <target>', 'end all actions in force on a target, except erase')
    .requiredOption('--reason <reason>', `one of ${undoReasons}`)
    .option('--dry-run', dryRun)
    .action(async (text: string, options: { reason: string; dryRun?: boolean }) =>
      (await load()).runRestore(await config(), text, options),
    );
  add(moderate, 'list', 'list the actions in force, newest first').action(async () =>
    (await load()).runListActions(await config()),
  );
}

function addBackupCommands(program: Command, { config }: Shell): void {
  add(program, 'backup <file>', 'write everything in the database to a new file, or to - (standard output)', {
    examples: ['dossier backup dossier.gz'],
    exits:
      '0 written; 64 usage; 74 the file exists or cannot be written, or the database cannot be read; 78 settings, or an empty database.',
  }).action(async (file: string) => (await import('../backup/backup.ts')).runBackup(await config(), file));
  add(program, 'restore <file>', 'put a backup, or what comes from - (standard input), into a new database', {
    examples: ['DATABASE_URL=file:./new.db dossier restore dossier.gz'],
    exits:
      '0 restored; 64 usage; 74 the file is damaged, or the database cannot be written; 78 settings, or a database that is not empty.',
  }).action(async (file: string) => (await import('../backup/backup.ts')).runRestore(await config(), file));
}

export async function addOperatorCommands(program: Command, shell: Shell): Promise<void> {
  addFeedbackCommands(program, shell);
  addWebhookCommands(program, shell);
  await addModerateCommands(program, shell);
  addBackupCommands(program, shell);
}
