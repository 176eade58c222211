import { type Config, settings } from '../config.ts';

/** Prints every effective setting as NAME=value, secrets masked. */
export function runConfigCommand(config: Config): void {
  const values = config as unknown as Record<string, unknown>;
  for (const [name, { secret }] of Object.entries(settings)) {
    const value = values[name];
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    process.stdout.write(`${name}=${secret && text ? maskSecret(text) : text}\n`);
  }
}

/** A database URL without its password; anything else secret not at all. */
function maskSecret(text: string): string {
  if (/^(file:|:memory:)/.test(text)) return text;
  return text.startsWith('postgres') ? text.replace(/\/\/[^@/]*@/, '//***@') : '***';
}
