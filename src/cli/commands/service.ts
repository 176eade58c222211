import type { Command } from 'commander';
import { configHelp, doctorHelp, serveHelp, stdioHelp } from '../help-texts.ts';
import type { Shell } from './shell.ts';

/** The commands that run the service, and show its settings. Each loads its own module when it runs. */
export function addServiceCommands(program: Command, shell: Shell): void {
  program
    .command('serve', { isDefault: true })
    .description('run the service (the default)')
    .addHelpText('after', serveHelp)
    .action(async () => (await import('../service/serve.ts')).runServe(shell.config()));
  program
    .command('stdio')
    .description('serve MCP on standard input and output')
    .addHelpText('after', stdioHelp)
    .action(async () => (await import('../service/stdio.ts')).runStdio(shell.config(), shell.environment));
  program
    .command('config')
    .description('show the effective settings, secrets masked')
    .addHelpText('after', configHelp)
    .action(async () =>
      (await import('../service/config.ts')).runConfigCommand(shell.config(), shell.environment),
    );
  program
    .command('doctor')
    .description('look for what is wrong with an installation, and say what to do')
    .addHelpText('after', doctorHelp)
    .action(async () => (await import('../doctor/doctor.ts')).runDoctor(shell.config()));
}
