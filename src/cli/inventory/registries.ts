import { globSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { type JsonObject, ownMember } from '../../core/json.ts';
import { isOtherRegistry } from '../../listings/references/command.ts';

const largest_bytes = 64 * 1024;

function readText(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8').slice(0, largest_bytes) : '';
  } catch {
    return '';
  }
}

/** Any address in these files of a project or user may be a registry's. */
const settingsFiles: Readonly<Record<string, string>> = {
  npm: '{.npmrc,.yarnrc,.yarnrc.yml,bunfig.toml,.bunfig.toml}',
  pypi: '{.config,AppData/Roaming,Library/Application Support,.}/{uv/uv.toml,{.pip,pip}/pip.{conf,ini}}',
  nuget: '{,.nuget/NuGet/,AppData/Roaming/NuGet/,.config/NuGet/}{NuGet.Config,nuget.config}',
};

function foldersOf(path: string, { cwd }: JsonObject): string[] {
  const project = process.cwd();
  const isOfProject = !relative(project, path).startsWith('..');
  const own = typeof cwd === 'string' ? [resolve(dirname(path), cwd)] : [];
  return [...new Set([...own, dirname(path), ...(isOfProject ? [project] : []), homedir()])];
}

export function isFromElsewhere(
  [registry, name]: readonly [registry: string, name: string],
  { path, server }: { readonly path: string; readonly server: JsonObject },
): boolean {
  if (registry !== 'oci' && server.envFile !== undefined) return true;
  const files = ownMember(settingsFiles, registry) ?? '';
  const lines = foldersOf(path, server).flatMap((cwd) =>
    globSync(files, { cwd }).flatMap((file) => readText(join(cwd, file)).split('\n')),
  );
  const scope = `${name.split('/', 1)[0]}:`;
  return lines
    .filter((line) => !/^\s*[#;@]/.test(line) || line.startsWith(scope))
    .flatMap((line) => line.match(/https?:\/\/[^\s"'<>]+/gi) ?? (/registry\s*=/i.test(line) ? [''] : []))
    .some((address) => isOtherRegistry(registry, address));
}
