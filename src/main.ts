#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { runConfigCommand } from './cli/config.ts';
import { ExitError, exitCodes } from './cli/exit.ts';
import { closeFeedback, listFeedback, showFeedback } from './cli/feedback.ts';
import { type ImportOptions, runImportCommand } from './cli/import.ts';
import { runServe } from './cli/serve.ts';
import { runStdio } from './cli/stdio.ts';
import { ConfigError, readConfig } from './config.ts';
import { DatabaseError } from './server.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const config = () => readConfig(process.env, version);

function createCommandLine(): Command {
  const program = new Command('dossier')
    .description('Independent evidence before an agent-service purchase: a directory over MCP and the web')
    .version(version)
    .exitOverride();
  program
    .command('serve', { isDefault: true })
    .description('run the service (the default)')
    .action(() => runServe(config()));
  program
    .command('stdio')
    .description('serve MCP on standard input and output')
    .action(() => runStdio(config()));
  program
    .command('import')
    .description('import listings from the registry into the database, with progress')
    .option('--from <url|file>', 'a registry, or a saved copy as JSON, gzipped or not')
    .option('--once', 'one run, then end (what this command does anyway)')
    .option('--accept-changes', 'do what would otherwise be held')
    .action((options: ImportOptions) => runImportCommand(config(), options));
  const feedback = program.command('feedback').description('read private feedback');
  feedback
    .command('list', { isDefault: true })
    .option('--all', 'closed ones too')
    .action((options: { all?: boolean }) => listFeedback(config(), options.all ?? false));
  feedback.command('show <id>').action((id: string) => showFeedback(config(), id));
  feedback.command('close <id>').action((id: string) => closeFeedback(config(), id));
  program
    .command('config')
    .description('show the effective settings, secrets masked')
    .action(() => runConfigCommand(config()));
  return program;
}

/** What a failure means to the shell: one plain line each, never a stack for what the user can mend. */
function toExit(error: unknown): { code: number; lines: string } {
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : exitCodes.usage, lines: '' };
  if (error instanceof ConfigError) return { code: exitCodes.configuration, lines: `${error.message}\n` };
  if (error instanceof DatabaseError) return { code: exitCodes.io, lines: `${error.message}\n` };
  if (error instanceof ExitError) return { code: error.exitCode, lines: `${error.message}\n` };
  return {
    code: exitCodes.io,
    lines: `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  };
}

try {
  await createCommandLine().parseAsync();
} catch (error) {
  const { code, lines } = toExit(error);
  process.stderr.write(lines);
  process.exitCode = code;
}
