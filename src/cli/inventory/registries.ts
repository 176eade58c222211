import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { asMembers, type JsonObject, ownMember } from '../../core/json.ts';

/** A package of the same name in any other registry is a different one. */
const publicHosts: Readonly<Record<string, string>> = {
  npm: 'registry.npmjs.org',
  pypi: 'pypi.org',
  nuget: 'api.nuget.org',
};

/** An address that cannot be read counts as another registry. */
export const isOtherRegistry = (registry: string, address: string | undefined): boolean =>
  URL.parse(address?.replace(/^[\w-]+=/, '') ?? '')?.hostname !== ownMember(publicHosts, registry);

const variables: Readonly<Record<string, RegExp>> = {
  npm: /^npm_config_registry$/i,
  pypi: /^(?:uv_(?:index|index_url|default_index|extra_index_url)|pip_(?:extra_)?index_url)$/i,
};

const largest_bytes = 64 * 1024;

/** There are no settings if the file cannot be read. */
function readSettings(folder: string): [string, string][] {
  try {
    const path = join(folder, '.npmrc');
    if (!statSync(path).isFile()) return [];
    const text = readFileSync(path, 'utf8').slice(0, largest_bytes);
    // A regular expression over both sides of `=` would take cubic time for a line of spaces.
    return text.split('\n').flatMap((line): [string, string][] => {
      const end = line.indexOf('=');
      if (end < 1 || /^\s*[#;]/.test(line)) return [];
      const value = line.slice(end + 1).trim();
      return [[line.slice(0, end).trim(), value.replace(/^"|"$/g, '')]];
    });
  } catch {
    return [];
  }
}

/** npm reads the .npmrc of these folders. */
function foldersOf(path: string): string[] {
  const project = process.cwd();
  const isOfProject = !relative(project, path).startsWith('..');
  return [...new Set([dirname(path), ...(isOfProject ? [project] : []), homedir()])];
}

/** A variable in the environment of the server takes precedence over an .npmrc. */
export function isFromElsewhere(
  [registry, name]: readonly [registry: string, name: string],
  { path, server }: { readonly path: string; readonly server: JsonObject },
): boolean {
  const environment = Object.entries({ ...asMembers(server.env), ...asMembers(server.envs) });
  const named = environment.find(([variable]) => ownMember(variables, registry)?.test(variable));
  if (named) return isOtherRegistry(registry, String(named[1]));
  if (registry !== 'npm') return false;
  const scope = name.startsWith('@') ? `${name.split('/', 1)[0]}:registry` : undefined;
  const settings = foldersOf(path).map((folder) => new Map(readSettings(folder)));
  const [address] = [scope, 'registry'].flatMap((setting) =>
    setting === undefined ? [] : settings.flatMap((one) => one.get(setting) ?? []),
  );
  return address !== undefined && isOtherRegistry(registry, address);
}
