import { requireUsableSettings } from '../app/usable-settings.ts';
import { acceptedHosts, type Config } from '../config/config.ts';
import { settings, toShownDatabase } from '../config/settings.ts';
import { ownMember } from '../core/json.ts';

/** These follow from other settings if they are not set. */
const inForce: Readonly<Record<string, (config: Config) => string>> = {
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  REGISTRY_NAME: ({ origin }) => origin.replace(/ \(MCP\).*$/, ''),
  ALLOWED_HOSTS: (config) => [...new Set(acceptedHosts(config))].join(','),
};

export async function runConfigCommand(config: Config, environment: NodeJS.ProcessEnv): Promise<void> {
  await requireUsableSettings(config);
  for (const [name, { secret, default: fallback }] of Object.entries(settings)) {
    const text = environment[name] || ownMember(inForce, name)?.(config) || fallback;
    process.stdout.write(`${name}=${secret && text ? maskSecret(text) : text}\n`);
  }
}

const maskSecret = (text: string): string =>
  /^(file:|:memory:|postgres)/.test(text) ? toShownDatabase(text) : '***';
