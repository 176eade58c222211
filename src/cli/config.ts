import { toShownDatabase } from '../config/checks.ts';
import type { Config } from '../config/config.ts';
import { type Setting, settings } from '../config/settings.ts';

/** Prints every effective setting as NAME=value, as it could be set again, secrets masked. */
export function runConfigCommand(
  { publicUrl }: Config,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const [name, { secret, default: fallback }] of Object.entries<Setting>(settings)) {
    const text = name === 'PUBLIC_URL' ? publicUrl : environment[name] || fallback;
    process.stdout.write(`${name}=${secret && text ? maskSecret(text) : text}\n`);
  }
}

/** A database without its password; anything else secret not at all. */
const maskSecret = (text: string): string =>
  /^(file:|:memory:|postgres)/.test(text) ? toShownDatabase(text) : '***';
