import { requireUsableSettings } from '../app/usable-settings.ts';
import type { Config } from '../config/config.ts';
import { settings, toShownDatabase } from '../config/settings.ts';
import { ownMember } from '../core/json.ts';

/** Settings whose value follows from others, or from where the service is, where they are not set. */
const inForce: Readonly<Record<string, (config: Config) => string>> = {
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  REGISTRY_NAME: ({ origin }) => origin.replace(/ \(MCP\).*$/, ''),
  ALLOWED_HOSTS: ({ publicUrl }) => new URL(publicUrl).host,
};

/**
 * Prints every setting in force as NAME=value, as it could be set again, secrets masked. Throws ExitError
 * (78) for what `serve` refuses.
 */
export async function runConfigCommand(config: Config, environment: NodeJS.ProcessEnv): Promise<void> {
  await requireUsableSettings(config);
  for (const [name, { secret, default: fallback }] of Object.entries(settings)) {
    const text = environment[name] || ownMember(inForce, name)?.(config) || fallback;
    process.stdout.write(`${name}=${secret && text ? maskSecret(text) : text}\n`);
  }
}

/** A database without its password; anything else secret not at all. */
const maskSecret = (text: string): string =>
  /^(file:|:memory:|postgres)/.test(text) ? toShownDatabase(text) : '***';
