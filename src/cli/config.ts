import { requireUsableSettings } from '../app/usable-settings.ts';
import { acceptedHosts, type Config } from '../config/config.ts';
import { settings, toShownDatabase } from '../config/settings.ts';
import { ownMember } from '../core/json.ts';

/** If one of these settings is not set, its value follows from other settings. */
const inForce: Readonly<Record<string, (config: Config) => string>> = {
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  REGISTRY_NAME: ({ origin }) => origin.replace(/ \(MCP\).*$/, ''),
  ALLOWED_HOSTS: (config) => [...new Set(acceptedHosts(config))].join(','),
};

/** Masks secrets. Throws ExitError (78) for settings that `serve` refuses. */
export async function runConfigCommand(config: Config, environment: NodeJS.ProcessEnv): Promise<void> {
  await requireUsableSettings(config);
  for (const [name, { secret, default: fallback }] of Object.entries(settings)) {
    const text = environment[name] || ownMember(inForce, name)?.(config) || fallback;
    process.stdout.write(`${name}=${secret && text ? maskSecret(text) : text}\n`);
  }
}

/** Shows a database without its password, and nothing of any other secret. */
const maskSecret = (text: string): string =>
  /^(file:|:memory:|postgres)/.test(text) ? toShownDatabase(text) : '***';
