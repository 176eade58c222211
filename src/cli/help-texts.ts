import type { Action } from '../moderation/action.ts';

const restoreListingExample =
  'Example: dossier listing restore co.webhook/webhook --reason "the line was a mistake, says its publisher"';

/** What `dossier listing --help` adds. */
export const listingHelp = `\n${restoreListingExample}`;

/** What `dossier listing restore --help` adds. */
export const restoreListingHelp = `
${restoreListingExample}

The listing shows its publisher's text again. The opt-out line is ignored from now on, until a check finds it gone or the
listing records another repository. The restoration and its reason are published in the claim history and the log.

Exit codes: 0 restored; 64 usage: unknown handle, no reason, or not withdrawn by an opt-out line; 74 the database cannot be
read or written; 78 settings.`;

/** What `dossier audit --help` adds. */
export const auditHelp = `
Without an argument it reads DATABASE_URL. A URL (http: or https:) is audited as any stranger can, over HTTP alone.

Examples: dossier audit
          dossier audit https://dossier.example --checkpoint saved.txt

Exit codes: 0 it holds; 1 something differs from the log; 2 the log is empty; 64 usage; 69 the service cannot be read;
74 the database or a file cannot be read; 78 settings.`;

/** What `dossier lock --help` adds. */
export const lockHelp = `
Examples: dossier lock --from https://dossier.example co.webhook/webhook
          dossier lock --from https://dossier.example --view our-services

Exit codes: 0 written; 64 usage, or a listing that cannot be locked; 69 the Dossier cannot be reached; 74 a file cannot be read.`;

/** What `dossier check --help` adds. */
export const checkHelp = `
Example: dossier check --from https://dossier.example

Exit codes: 0 nothing changed; 1 facts changed, one line each; 64 no lock file; 69 the Dossier cannot be reached; 74 a file cannot
be read. On GitHub Actions the lines are annotations.`;

/** What `dossier webhooks --help` adds. */
export const webhooksHelp = `
Example: dossier webhooks add https://you.example/hook --handle co.webhook/webhook

Exit codes: 0 done; 64 usage, an unknown id, or an address that did not answer the challenge; 74 the database cannot be read or
written; 78 settings.`;

/** What `dossier stdio --help` adds. */
export const stdioHelp = `
Standard input has no headers: the variable DOSSIER_CAPABILITY holds the capability of a claimed listing, which rating needs.
Without PUBLIC_URL the links in answers are resources of MCP (agent://...), because no page answers.

Example: DOSSIER_CAPABILITY=dossier_cap_... dossier stdio

Exit codes: 0 the client left; 74 the database cannot be opened; 78 settings.`;

/** What `dossier serve --help` adds. */
export const serveHelp = `
Example: PORT=8080 dossier serve

Exit codes: 0 stopped; 74 the database cannot be opened; 78 settings, or a port that is in use.`;

/** What `dossier import --help` adds. */
export const importHelp = `
Example: dossier import --from https://registry.modelcontextprotocol.io

Exit codes: 0 done; 130 stopped by Ctrl-C; 64 usage; 69 the registry cannot be reached, another import runs, or it is held; 74 the database cannot be
read or written; 78 settings.`;

/** What `dossier observe --help` adds. */
export const observeHelp = `
Example: dossier observe --json co.webhook/webhook

Exit codes: 0 it looked, whatever it found; 64 usage, or an unknown handle; 74 the database cannot be read or written, or every look failed on our side; 78 settings.`;

/** What `dossier backup --help` adds. */
export const backupHelp = `
Example: dossier backup dossier.gz

Exit codes: 0 written; 64 usage; 74 the file exists, or it or the database cannot be read or written; 78 settings,
or an empty database.`;

/** What `dossier restore --help` adds. */
export const restoreHelp = `
Example: DATABASE_URL=file:./new.db dossier restore dossier.gz

Exit codes: 0 restored; 64 usage; 74 the file is damaged, or the database cannot be written; 78 settings, or a database that
is not empty.`;

/** What `dossier verify --help` adds. */
export const verifyHelp = `
Examples: dossier verify proof.json --key log.key
          dossier verify proof.json --policy log.policy

Exit codes: 0 everything holds; 1 a check fails, also for a wrong cosignature; 2 the proof comes without its record; 3 fewer
witnesses cosigned than the policy wants; 64 usage; 74 a file cannot be read, or is no proof or no policy.`;

/** What `dossier config --help` adds. */
export const configHelp = `
Example: PORT=8080 dossier config

Exit codes: 0 serve would accept the settings; 78 it would not, one line each.`;

/** What `dossier feedback --help` adds. */
export const feedbackHelp = `
Examples: dossier feedback list --all --limit 1000
          dossier feedback close 019aa5f2-0000-7000-8000-000000000000

Reports about listings and ratings are apart: dossier reports.

Exit codes: 0 done; 64 usage, or no feedback with this id; 74 the database cannot be read or written; 78 settings.`;

/** What `dossier reports --help` adds. */
export const reportsHelp = `
Examples: dossier reports list
          dossier reports show 019aa5f2-0000-7000-8000-000000000000

A report changes nothing by itself.

Exit codes: 0 done; 64 usage, or no report with this id; 74 the database cannot be read or written; 78 settings.`;

/** What `dossier doctor --help` adds. */
export const doctorHelp = `
Looks at settings, clock, disk, database, transparency log, witnesses, registry, PUBLIC_URL and backups, and changes nothing.
Witnesses are asked to cosign the published checkpoint, as the service does.

Example: PUBLIC_URL=https://dossier.example dossier doctor

Exit codes: 0 no fault (there may be warnings); 1 at least one fault; 78 settings that serve refuses, one line each.`;

const moderateExits = `Exit codes: 0 done; 64 usage: an unknown target or reason, done already, or nothing to undo; 74 the database cannot be read or
written; 78 settings.`;

/** What `dossier moderate --help` adds. */
export const moderateHelp = `
Targets: a rating <rating id>, its response response:<rating id>, a listing <handle>, a capability <capability id>,
namespace:com.example, account:github.com/example, network:192.0.2.0/24.

Examples: dossier moderate hide 019aa5f2-0000-7000-8000-000000000000 --reason personal_data
          dossier moderate restore 019aa5f2-0000-7000-8000-000000000000 --reason appeal

Every action is an entry of the log and is shown, with its reason and how to appeal, where its effect is (docs/moderation.md).

${moderateExits}`;

/** What the help of one action adds. */
export const toActionHelp = ({ name, example, reasons, isFinal }: Action): string => `
Example: dossier moderate ${name} ${example} --reason ${reasons[0]}
${isFinal ? '\nNothing undoes it. Backups from before still have the text.\n' : ''}
${moderateExits}`;
