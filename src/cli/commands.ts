import type { Command } from 'commander';
import { actions } from '../moderation/actions.ts';
import { restoreReasons } from '../moderation/moderation.ts';
import type { AuditOptions } from './audit.ts';
import type { FeedbackKind, FeedbackOptions } from './feedback.ts';
import type { ImportOptions } from './import.ts';
import type { LockOptions } from './lock.ts';
import type { ModerateOptions } from './moderate.ts';
import type { ObserveOptions } from './observe.ts';
import type { Shell } from './shell.ts';
import type { VerifyOptions } from './verify.ts';
import type { WebhookOptions } from './webhooks.ts';

/** Backup and restore. Each loads its own module when it runs. */
export function addBackupCommands(program: Command, shell: Shell): void {
  program
    .command('backup <file>')
    .description('write everything in the database to a new file, or to - (standard output)')
    .addHelpText(
      'after',
      `
Example: dossier backup dossier.gz

Exit codes: 0 written; 64 usage; 74 the file exists, or it or the database cannot be read or written; 78 settings,
or an empty database.`,
    )
    .action(async (file: string) => (await import('./backup.ts')).runBackup(shell.config(), file));
  program
    .command('restore <file>')
    .description('put a backup, or what comes from - (standard input), into a new database')
    .addHelpText(
      'after',
      `
Example: DATABASE_URL=file:./new.db dossier restore dossier.gz

Exit codes: 0 restored; 64 usage; 74 the file is damaged, or the database cannot be written; 78 settings, or a database that
is not empty.`,
    )
    .action(async (file: string) => (await import('./backup.ts')).runRestore(shell.config(), file));
}

/** The commands that check what is published. Each loads its own module when it runs. */
export function addEvidenceCommands(program: Command, shell: Shell): void {
  program
    .command('verify [proof]')
    .description('check a saved answer of get_proof, or that one saved checkpoint continues another, offline')
    .addHelpText(
      'after',
      `
Examples: dossier verify proof.json --key log.key
          dossier verify proof.json --policy log.policy

Exit codes: 0 everything holds; 1 a check fails, also for a wrong cosignature; 2 the proof comes without its record; 3 fewer
witnesses cosigned than the policy wants; 64 usage; 74 a file cannot be read, or is no proof or no policy.`,
    )
    .option('--key <key|file>', 'the log’s key as you know it (/log/key)')
    .option('--handle <handle>', 'the listing that the record must be about: rated or claimed')
    .option('--source <handle>', 'the listing that the rating must come from')
    .option('--id <rating id>', 'the rating that the record must name')
    .option(
      '--erasure <file>',
      'a proof without its record: the saved proof of the entry "record.erased" (erased_by)',
    )
    .option(
      '--policy <file>',
      'the logs and witnesses that count, and how many must have cosigned (docs/log.md)',
    )
    .option('--checkpoint <file>', 'one checkpoint instead of a proof')
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
    .addHelpText(
      'after',
      `
Without an argument it reads DATABASE_URL. A URL (http: or https:) is audited as any stranger can, over HTTP alone.

Examples: dossier audit
          dossier audit https://dossier.example --checkpoint saved.txt

Exit codes: 0 it holds; 1 something differs from the log; 2 the log is empty; 64 usage; 69 the service cannot be read;
74 the database or a file cannot be read; 78 settings.`,
    )
    .action(async (place: string | undefined, options: AuditOptions) =>
      (await import('./audit.ts')).runAudit(shell.config(), place, options),
    );
}

const feedbackCommands = () => import('./feedback.ts');

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
      (await import('./import.ts')).runImportCommand(shell.config(), options),
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
      (await import('./observe.ts')).runObserve(shell.config(), handles, options),
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
      (await import('./listing.ts')).runRestoreListing(shell.config(), handle, reason),
    );
}

const source =
  'a Dossier, or a file of listing documents; else DOSSIER_URL, what the lock file names, or the own database';

const toLockOptions = (options: LockOptions, { environment }: Shell): LockOptions => ({
  ...options,
  from: options.from ?? (environment.DOSSIER_URL || undefined),
});

/** The commands about lock files. Each loads its own module when it runs. */
export function addLockCommands(program: Command, shell: Shell): void {
  program
    .command('lock [handles...]')
    .description('add what is known of some listings to a lock file, for dossier check')
    .option('--from <url|file>', source)
    .option('--view <name>', 'exactly the listings that are in this view of a Dossier now')
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--update', 'lock what the file has anew, drop what is gone, and print what that accepts')
    .addHelpText(
      'after',
      `
Examples: dossier lock --from https://dossier.example co.webhook/webhook
          dossier lock --from https://dossier.example --view our-services

Exit codes: 0 written; 64 usage, or a listing that cannot be locked; 69 the Dossier cannot be reached; 74 a file cannot be read.`,
    )
    .action(async (handles: string[], options: LockOptions) =>
      (await import('./lock.ts')).runLock(shell.config, handles, toLockOptions(options, shell)),
    );
  program
    .command('check')
    .description('compare a lock file with what is known now, for CI')
    .option('--from <url|file>', source)
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--json', 'one changed fact a line, as JSON')
    .addHelpText(
      'after',
      `
Example: dossier check --from https://dossier.example

Exit codes: 0 nothing changed; 1 facts changed, one line each; 64 no lock file; 69 the Dossier cannot be reached; 74 a file cannot
be read. On GitHub Actions the lines are annotations.`,
    )
    .action(async (options: LockOptions) =>
      (await import('./lock.ts')).runCheck(
        shell.config,
        toLockOptions(options, shell),
        shell.environment.GITHUB_ACTIONS === 'true',
      ),
    );
}

const moderateCommands = () => import('./moderate.ts');

const moderateExits = `Exit codes: 0 done; 64 usage: an unknown target or reason, done already, or nothing to undo; 74 the database cannot be read or
written; 78 settings.`;

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
      .addHelpText(
        'after',
        `
Example: dossier moderate ${action.name} ${action.example} --reason ${action.reasons[0]}
${action.isFinal ? '\nNothing undoes it. Backups from before still have the text.\n' : ''}
${moderateExits}`,
      )
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

/** The commands that run the service, and show its settings. Each loads its own module when it runs. */
export function addServiceCommands(program: Command, shell: Shell): void {
  program
    .command('serve', { isDefault: true })
    .description('run the service (the default)')
    .addHelpText(
      'after',
      `
Example: PORT=8080 dossier serve

Exit codes: 0 stopped; 74 the database cannot be opened; 78 settings, or a port that is in use.`,
    )
    .action(async () => (await import('./serve.ts')).runServe(shell.config()));
  program
    .command('stdio')
    .description('serve MCP on standard input and output')
    .addHelpText(
      'after',
      `
Standard input has no headers: the variable DOSSIER_CAPABILITY holds the capability of a claimed listing, which rating needs.
Without PUBLIC_URL the links in answers are resources of MCP (agent://...), because no page answers.

Example: DOSSIER_CAPABILITY=dossier_cap_... dossier stdio

Exit codes: 0 the client left; 74 the database cannot be opened; 78 settings.`,
    )
    .action(async () => (await import('./stdio.ts')).runStdio(shell.config(), shell.environment));
  program
    .command('config')
    .description('show the effective settings, secrets masked')
    .addHelpText(
      'after',
      `
Example: PORT=8080 dossier config

Exit codes: 0 serve would accept the settings; 78 it would not, one line each.`,
    )
    .action(async () => (await import('./config.ts')).runConfigCommand(shell.config(), shell.environment));
  program
    .command('doctor')
    .description('look for what is wrong with an installation, and say what to do')
    .addHelpText(
      'after',
      `
Looks at settings, clock, disk, database, transparency log, witnesses, registry, PUBLIC_URL and backups, and changes nothing.
Witnesses are asked to cosign the published checkpoint, as the service does.

Example: PUBLIC_URL=https://dossier.example dossier doctor

Exit codes: 0 no fault (there may be warnings); 1 at least one fault; 78 settings that serve refuses, one line each.`,
    )
    .action(async () => (await import('./doctor.ts')).runDoctor(shell.config()));
}

const webhookCommands = () => import('./webhooks.ts');

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
