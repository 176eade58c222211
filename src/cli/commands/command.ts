import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';

export interface Shell {
  readonly environment: NodeJS.ProcessEnv;
  config(): Promise<Config>;
}

const wrap = (text: string) => text.replace(/(.{1,120})(?: |\n|$)/g, '$1\n').trimEnd();

export function add(
  parent: Command,
  name: string,
  description: string,
  more: { isDefault?: boolean; about?: string; examples?: readonly string[]; exits?: string } = {},
): Command {
  const { isDefault = false, about, examples = [], exits } = more;
  const label = examples.length > 1 ? 'Examples: ' : 'Example: ';
  const help = [
    about && wrap(about),
    examples.length > 0 && label + examples.join(`\n${' '.repeat(label.length)}`),
    exits && wrap(`Exit codes: ${exits}`),
  ].filter(Boolean);
  const command = parent.command(name, { isDefault }).description(description);
  return help.length > 0 ? command.addHelpText('after', `\n${help.join('\n\n')}`) : command;
}

export const databaseExits = '74 the database cannot be read or written; 78 settings';
