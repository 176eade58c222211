import type { Command } from 'commander';
import type { Shell } from './shell.ts';

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
    .action(async () => (await import('../service/serve.ts')).runServe(shell.config()));
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
    .action(async () => (await import('../service/stdio.ts')).runStdio(shell.config(), shell.environment));
  program
    .command('config')
    .description('show the effective settings, secrets masked')
    .addHelpText(
      'after',
      `
Example: PORT=8080 dossier config

Exit codes: 0 serve would accept the settings; 78 it would not, one line each.`,
    )
    .action(async () =>
      (await import('../service/config.ts')).runConfigCommand(shell.config(), shell.environment),
    );
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
    .action(async () => (await import('../doctor/doctor.ts')).runDoctor(shell.config()));
}
