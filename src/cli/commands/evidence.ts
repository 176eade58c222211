import type { Command } from 'commander';
import type { AuditOptions } from '../log/audit-options.ts';
import type { VerifyOptions } from '../verify/verify.ts';
import type { Shell } from './shell.ts';

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
      'the logs and witnesses that count, and how many must have cosigned (docs/witness.md)',
    )
    .option('--checkpoint <file>', 'one checkpoint instead of a proof')
    .option('--older <file>', 'a checkpoint that you saved')
    .option('--newer <file>', 'a checkpoint that you saved later')
    .option('--consistency <file>', 'answer of /log/consistency/<older size>/<newer size>')
    .action(async (proof: string | undefined, options: VerifyOptions) =>
      (await import('../verify/verify.ts')).runVerify(proof, options),
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
      (await import('../log/audit.ts')).runAudit(shell.config(), place, options),
    );
}
