import type { Command } from 'commander';
import { findingNames } from '../../document/answers/notice-uses.ts';
import type { ApproveOptions } from '../approve.ts';
import type { AuditOptions } from '../audit.ts';
import type { HookOptions } from '../hook/hook.ts';
import type { ImportOptions } from '../import.ts';
import type { InventoryOptions } from '../inventory/inventory.ts';
import type { LockOptions } from '../lock.ts';
import type { VerifyOptions } from '../verify.ts';
import { add, databaseExits, type Shell } from './command.ts';
import { addOperatorCommands } from './operator.ts';

function addServiceCommands(program: Command, { config, environment }: Shell): void {
  add(program, 'serve', 'run the service (the default)', {
    isDefault: true,
    examples: ['PORT=8080 dossier serve'],
    exits: '0 stopped; 74 the database cannot be opened; 78 settings, or a port that is in use.',
  }).action(async () => (await import('../serve.ts')).runServe(await config()));
  add(program, 'stdio', 'serve MCP on standard input and output', {
    about:
      'Standard input has no headers: the variable DOSSIER_CAPABILITY holds the capability of a claimed listing, which rating needs. Without PUBLIC_URL the links in answers are resources of MCP (agent://...), because no page answers.',
    examples: ['DOSSIER_CAPABILITY=dossier_cap_... dossier stdio'],
    exits: '0 the client left; 74 the database cannot be opened; 78 settings.',
  }).action(async () => (await import('../stdio.ts')).runStdio(await config(), environment));
  add(program, 'config', 'show the effective settings, secrets masked', {
    examples: ['PORT=8080 dossier config'],
    exits: '0 serve would accept the settings; 78 it would not, one line for each wrong setting.',
  }).action(async () => (await import('../config.ts')).runConfigCommand(await config(), environment));
  add(program, 'doctor', 'look for what is wrong with an installation, and say what to do', {
    about:
      'Checks settings, clock, disk, database, transparency log, witnesses, registry, PUBLIC_URL and backups, and changes nothing. Witnesses are asked to cosign the published checkpoint, as the service does.',
    examples: ['PUBLIC_URL=https://dossier.example dossier doctor'],
    exits:
      '0 no fault (there may be warnings); 1 at least one fault; 78 settings that serve refuses, one line for each.',
  }).action(async () => (await import('../doctor/doctor.ts')).runDoctor(await config()));
}

function addListingsCommands(program: Command, { config }: Shell): void {
  add(program, 'import', 'import listings from the registry into the database, with progress', {
    examples: ['dossier import --from https://registry.modelcontextprotocol.io'],
    exits: `0 done; 130 stopped by Ctrl-C; 64 usage; 65 nearly no entry could be read; 69 the registry cannot be read, another import runs, or this one is held; ${databaseExits}.`,
  })
    .option('--from <url|file>', 'a registry, or a saved copy as JSON, gzipped or not')
    .option('--once', 'accepted and without effect: the command always makes one run')
    .option('--full', 'read the whole registry, not only what changed since the last import')
    .option('--accept-changes', 'accept changes of so many listings that the import would be held')
    .action(async (options: ImportOptions) =>
      (await import('../import.ts')).runImportCommand(await config(), options),
    );
  const looks =
    'check endpoints, packages and repositories: of these listings or addresses now, or of all listings that are due';
  add(program, 'observe [handles...]', looks, {
    examples: ['dossier observe --json co.webhook/webhook'],
    exits:
      '0 the checks ended, whatever they found; 130 stopped by Ctrl-C during checks of named listings; 64 usage, or an unknown handle; 74 the database cannot be read or written, every check failed on our side, or the check of a named listing failed on our side; 78 settings.',
  })
    .option('--once', 'one pass, then end (what this command does anyway)')
    .option('--json', 'one fact a line, as JSON')
    .action(async (handles: string[], options: { json?: boolean }) =>
      (await import('../observe.ts')).runObserve(await config(), handles, options),
    );
  const examples = [
    'dossier listing restore co.webhook/webhook --reason "the line was a mistake, says its publisher"',
  ];
  const restores = 'list a listing again after a line "optout <handle>" in its claim file withdrew it';
  add(add(program, 'listing', 'change a listing', { examples }), 'restore <handle>', restores, {
    about:
      "The listing shows its publisher's text again. The opt-out line is ignored from now on, until a check finds that the line is gone, or until the listing records another repository. The restoration and its reason are published in the claim history and the log.",
    examples,
    exits: `0 restored; 64 usage: unknown handle, no reason, or not withdrawn by an opt-out line; ${databaseExits}.`,
  })
    .requiredOption('--reason <text>', 'why; it is published')
    .action(async (handle: string, { reason }: { reason: string }) =>
      (await import('../listing.ts')).runRestoreListing(await config(), handle, reason),
    );
}

const source =
  'a Dossier, or a file of listing documents; by default DOSSIER_URL, else the source that the lock file names, else your own database';

const toLockOptions = (options: LockOptions, environment: Shell['environment']): LockOptions => ({
  ...options,
  environment,
  from: options.from ?? (environment.DOSSIER_URL || undefined),
});

function addLockCommands(program: Command, { config, environment }: Shell): void {
  add(program, 'lock [handles...]', 'add what is known about listings to a lock file, for dossier check', {
    examples: [
      'dossier lock --from https://dossier.example co.webhook/webhook',
      'dossier lock --from https://dossier.example --view our-services',
      'dossier lock --from https://dossier.example --inventory .mcp.json',
    ],
    exits:
      '0 written; 64 usage, or a listing that cannot be locked; 69 the Dossier cannot be reached; 74 a file or the database cannot be read, or the lock file cannot be written; 78 settings.',
  })
    .option('--from <url|file>', source)
    .option('--view <name>', 'exactly the listings that are in this view of a Dossier now')
    .option('--inventory [files...]', 'exactly the listings of the servers that dossier inventory finds')
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option(
      '--update',
      'lock all listings of the file again, drop those that are gone, and print the changes',
    )
    .action(async (handles: string[], options: LockOptions) =>
      (await import('../lock.ts')).runLock(config, handles, toLockOptions(options, environment)),
    );
  add(program, 'check', 'compare a lock file with what is known now, for CI', {
    examples: ['dossier check --from https://dossier.example'],
    exits:
      '0 nothing changed; 1 facts or configurations changed, a package is reported as malicious code, or something that --fail-on names, one line each; 64 usage, or no lock file; 65 what --fail-on names is not known of a server, or a configuration that was locked is not understood; 69 the Dossier cannot be reached; 74 a file or the database cannot be read; 78 settings. On GitHub Actions the lines are annotations.',
  })
    .option('--from <url|file>', source)
    .option('--out <file>', 'the lock file', 'dossier.lock.json')
    .option('--json', 'print each line as JSON')
    .option('--fail-on <findings>', 'end with 1 for these findings of dossier inventory, too')
    .option('--ignore-malware', 'do not end with 1 because a package is reported as malicious code')
    .action(async (options: LockOptions) =>
      (await import('../lock.ts')).runCheck(
        config,
        toLockOptions(options, environment),
        environment.GITHUB_ACTIONS === 'true',
      ),
    );
}

function addApproveCommand(program: Command, { config, environment }: Shell): void {
  const { DOSSIER_URL, VIEWS, PRIVATE_LISTINGS, USER } = environment;
  add(
    program,
    'approve <handle>',
    'write an approval of a listing into a file of views, with what is known now',
    {
      about:
        'The service reads the file that VIEWS names when it starts, and shows who approved and why. A listing that is no longer as it was pinned leaves the view, or is marked in it.',
      examples: [
        'dossier approve co.webhook/webhook --view our-services --reason "webhooks of the shop" --until 90d --pin version,tools',
      ],
      exits:
        '0 written; 64 usage, a file that is not a file of views, or a listing that cannot be approved; 69 the Dossier cannot be reached; 74 a file or the database cannot be read, or the file of views cannot be written; 78 settings.',
    },
  )
    .requiredOption('--view <name>', 'the view')
    .requiredOption('--reason <text>', 'why; it is shown with the view')
    .option('--by <name>', 'who approves; it is shown with the view', USER)
    .option('--until <date|days>', 'the last day of the approval, for example 2027-01-31 or 90d')
    .option(
      '--pin <names>',
      'one or more of version, endpoint, package, tools, prompts, resources, skills, pay_to',
      'version,endpoint,package',
    )
    .option('--views <file>', 'the file of views', VIEWS)
    .option('--private-listings <folder>', 'the folder of private entries', PRIVATE_LISTINGS)
    .option(
      '--from <url|file>',
      'a Dossier, or a file of listing documents; by default DOSSIER_URL, else your own database',
      DOSSIER_URL || undefined,
    )
    .action(async (handle: string, options: ApproveOptions) =>
      (await import('../approve.ts')).runApprove(config, handle, options),
    );
}

function addInventoryCommand(program: Command, { config, environment }: Shell): void {
  add(program, 'inventory [files...]', 'say what is known about the MCP servers of your clients', {
    about:
      'Finds the configurations of MCP clients (docs/changes.md names them) in this folder and your home. It sends names and versions of packages, and scheme, host and path of addresses, and nothing else.',
    examples: [
      'dossier inventory --service https://dossier.example',
      'dossier inventory .mcp.json --service https://dossier.example --fail-on changed,unpinned',
    ],
    exits:
      '0 done; 1 something that --fail-on names; 64 usage; 65 with --fail-on, if what it names is not known of a server, a configuration or an entry in it was not understood, or none was found; 69 the Dossier cannot be reached; 74 the dump or the database cannot be read; 78 settings. On GitHub Actions the findings are annotations.',
  })
    .option(
      '--service <url|file>',
      'a Dossier, or a dump of one; by default DOSSIER_URL, except with --offline',
    )
    .option('--offline', 'send nothing: ask your own database, or read the dump that --service names')
    .option('--json', 'print one JSON document')
    .option('--markdown', 'print Markdown, for example for a pull request')
    .option('--fail-on <findings>', `end with 1 for any of ${findingNames.join(', ')}`)
    .action(async (files: string[], options: InventoryOptions) =>
      (await import('../inventory/inventory.ts')).runInventory(config, files, { ...options, environment }),
    );
}

function addHookCommands(program: Command, { environment }: Shell): void {
  const hook = add(
    program,
    'hook',
    'show hooks for Claude Code, x402 clients and CI; write the one for Claude Code',
    {
      about:
        'The hook runs before commands of a shell and tools of MCP servers. It asks the Dossier once about the packages and addresses that they start, install or connect to, as dossier inventory does, and asks you before something that was changed or moved in the last months, is new, gone, deprecated or not the version on record, has an advisory or an install script, names files with credentials, or is reported as malicious code.',
      examples: ['dossier hook --service https://dossier.example --write'],
      exits:
        '0 shown, or written; 64 usage; 65 the settings of Claude Code are not understood; 74 they cannot be written.',
    },
  )
    .option('--service <url>', 'a Dossier; by default DOSSIER_URL')
    .option('--write', 'write it into .claude/settings.json, without a question')
    .option('--wait <seconds>', 'of hook run: how long it waits for the Dossier', '3')
    .option('--user', 'for all your projects: into ~/.claude/settings.json')
    .action(async (options: Omit<HookOptions, 'environment'>) =>
      (await import('../hook/hook.ts')).runShowHook({ ...options, environment }),
    );
  add(hook, 'run', 'what Claude Code runs, with the JSON of a PreToolUse hook on standard input', {
    exits:
      '0 compared, or nothing to compare; 64 usage; 65 the input is not understood; 69 the Dossier gave no answer in time. Claude Code goes on after each of them.',
  })
    // Its options are the parent's.
    .action(async (_: object, command: Command) =>
      (await import('../hook/hook.ts')).runHook({ ...command.optsWithGlobals(), environment }),
    );
}

function addEvidenceCommands(program: Command, { config }: Shell): void {
  const verifies =
    'check offline a saved answer of get_proof, a signed statement about a listing, or that one saved checkpoint continues another';
  add(program, 'verify [proof]', verifies, {
    examples: [
      'dossier verify proof.json --key log.key',
      'dossier verify proof.json --policy log.policy',
      'dossier verify statement.intoto.json --key log.key --document listing.json',
    ],
    exits:
      '0 everything holds; 1 a check fails, also for a wrong cosignature; 2 the proof comes without its record; 3 fewer witnesses cosigned than the policy wants; 64 usage; 74 a file cannot be read, or is neither a proof nor a policy.',
  })
    .option('--key <key|file>', 'the log’s key as you know it (/log/key)')
    .option('--handle <handle>', 'the listing that the record must be about: rated or claimed')
    .option('--source <handle>', 'the listing that the rating must come from')
    .option('--id <rating id>', 'the rating that the record must name')
    .option(
      '--erasure <file>',
      'for a proof without its record: the saved proof of the entry "record.erased" (erased_by)',
    )
    .option(
      '--policy <file>',
      'a policy: the logs and witnesses that count, and how many witnesses must have cosigned (docs/log.md)',
    )
    .option('--document <file>', 'the listing document that a signed statement must be about')
    .option('--checkpoint <file>', 'one checkpoint instead of a proof')
    .option('--older <file>', 'a checkpoint that you saved')
    .option('--newer <file>', 'a checkpoint that you saved later')
    .option('--consistency <file>', 'answer of /log/consistency/<older size>/<newer size>')
    .action(async (proof: string | undefined, options: VerifyOptions) =>
      (await import('../verify.ts')).runVerify(proof, options),
    );
  const audits = 'compare what a database or a running service shows with its transparency log, both ways';
  add(program, 'audit [database|url]', audits, {
    about:
      'Without an argument it reads DATABASE_URL. A URL (http: or https:) is audited as any stranger can, over HTTP alone.',
    examples: ['dossier audit', 'dossier audit https://dossier.example --checkpoint saved.txt'],
    exits:
      '0 no fault was found; 1 faults were found; 2 the log is empty; 64 usage; 69 the service cannot be read; 74 the database or a file cannot be read; 78 settings.',
  })
    .option('--checkpoint <file...>', 'checkpoints that you saved: the log must continue them')
    .option(
      '--root <size:root...>',
      'the second and third line of a checkpoint of /log that you noted; for /log/2, 2:<size>:<root>',
    )
    .option('--key <key|file>', 'the log’s key as you know it (/log/key)')
    .option('--json', 'print one JSON document instead of lines')
    .action(async (place: string | undefined, options: AuditOptions) =>
      (await import('../audit.ts')).runAudit(await config(), place, options),
    );
}

/** Each command loads its module when it runs. */
export async function addCommands(program: Command, shell: Shell): Promise<void> {
  addServiceCommands(program, shell);
  addListingsCommands(program, shell);
  addInventoryCommand(program, shell);
  addHookCommands(program, shell);
  addLockCommands(program, shell);
  addApproveCommand(program, shell);
  await addOperatorCommands(program, shell);
  addEvidenceCommands(program, shell);
}
