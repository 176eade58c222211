import { readFileSync, statSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { countEdits } from '../core/difference/edits.ts';
import { ExitError, exitCodes } from '../core/process.ts';
import { nameHidden } from '../core/text.ts';
import { addCommands } from './commands/commands.ts';

const letters = (text: string) => [...text].sort().join('');

const isMisspelt = (text: string, known: string): boolean =>
  text !== known &&
  (countEdits(text, known, 1) === 1 || (text.length === known.length && letters(text) === letters(known)));

const suggest = (text: string, known: readonly string[]): string | undefined =>
  known.find((one) => isMisspelt(text, one)) ??
  known.find((one) => text.length > 2 && (one.startsWith(text) || countEdits(text, one) === 2));

const misspeltSettings = (environment: NodeJS.ProcessEnv, names: readonly string[]): string[] =>
  Object.keys(environment).flatMap((name) => {
    const meant = names.includes(name) ? undefined : names.find((known) => isMisspelt(name, known));
    return meant ? [`${name}: there is no such setting, so it has no effect; did you mean ${meant}?`] : [];
  });

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
async function config() {
  const [{ readConfig }, { settings }] = await Promise.all([
    import('../config/config.ts'),
    import('../config/settings.ts'),
  ]);
  for (const line of misspeltSettings(process.env, Object.keys(settings))) process.stderr.write(`${line}\n`);
  return readConfig(process.env, version);
}

/** `serve`, the default, takes no arguments, so a misspelt command looks like one too many. */
function sayNoCommand(text: string, commands: readonly string[]): string {
  const [, , named = ''] = process.argv;
  if (!text.includes('too many arguments') || commands.includes(named)) return text;
  const meant = suggest(named, commands);
  const question = meant ? `did you mean ${meant}? See` : 'see';
  return `error: no such command: ${process.argv.slice(2).join(' ')}; ${question} dossier --help\n`;
}

async function createCommandLine(): Promise<Command> {
  const program = new Command('dossier')
    .description('Independent evidence before an agent-service purchase: a directory over MCP and the web')
    .version(version)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(
          sayNoCommand(
            text,
            program.commands.map((command) => command.name()),
          ),
        ),
    });
  await addCommands(program, { environment: process.env, config });
  return program;
}

/** Of a file that was given to a command of something else. */
async function useOfFile([command, ...words]: readonly string[]): Promise<string> {
  const isFile = (one: string) => statSync(one, { throwIfNoEntry: false })?.isFile() === true;
  const file = words.find((one) => /\.(?:jsonc?|toml|ya?ml)$/i.test(one) && isFile(one));
  if (file === undefined || command === 'inventory' || words.includes('--inventory')) return '';
  const { readConfigurations } = await import('./inventory/configurations.ts');
  if ((await readConfigurations([file], {})).configured.length > 0)
    return `${file} configures MCP servers: dossier inventory ${file} says what is known of them\n`;
  if (words[words.indexOf(file) - 1] === '--out') return '';
  const { readLockFile } = await import('../document/lock/lock-file.ts');
  const isLock = readLockFile(readFileSync(file, 'utf8')) !== undefined;
  return isLock ? `${file} is a lock file: dossier check --out ${file} compares it\n` : '';
}

/** A stack only for what the user cannot mend. */
async function toExit(thrown: unknown): Promise<{ code: number; lines: string }> {
  let error = thrown;
  // The error before the failed close says more.
  while (error instanceof SuppressedError) error = error.suppressed;
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : exitCodes.usage, lines: '' };
  const known = error instanceof ExitError ? error : (await import('../app/open.ts')).toDamageError(error);
  if (known)
    return { code: known.exitCode, lines: `${known.message.split('\n').map(nameHidden).join('\n')}\n` };
  return {
    code: exitCodes.io,
    lines: `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  };
}

/** When the reader, such as `head`, leaves. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}

export async function runCommandLine(): Promise<void> {
  process.stdout.on('error', endWithReader);
  try {
    await (await createCommandLine()).parseAsync();
  } catch (error) {
    const { code, lines } = await toExit(error);
    process.stderr.write(lines + (code === exitCodes.usage ? await useOfFile(process.argv.slice(2)) : ''));
    process.exitCode = code;
  }
}
