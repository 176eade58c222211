import { globSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { asMembers, type JsonObject, ownMember } from '../../core/json.ts';
import { quoted, toLine } from '../../core/text.ts';
import { isLaunching, wrappedIn } from '../../listings/references/configured.ts';
import { clients, settingsFolders } from './clients.ts';
import { isPlain } from './launch.ts';

/** `server` has all its secrets; `file` is shown. */
export interface Configured {
  readonly client: string;
  readonly file: string;
  readonly path: string;
  readonly name: string;
  readonly server: JsonObject;
}

/** Lines and columns begin at 1. `why` is our text, because parsers quote the file. */
export interface UnreadableFile {
  readonly file: string;
  readonly why: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}
type ReadConfiguration = { readonly value: unknown } | Omit<UnreadableFile, 'file'>;

async function readYaml(text: string): Promise<ReadConfiguration> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { logLevel: 'silent' });
  const [error] = document.errors;
  const at = error?.linePos?.[0];
  return error ? { why: 'not YAML', line: at?.line, column: at?.col } : { value: document.toJS() };
}

async function readJson(text: string): Promise<ReadConfiguration> {
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (!error) return { value };
  const before = text.slice(0, error.offset).split('\n');
  return { why: 'not JSON', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const readers: Readonly<Record<string, typeof readJson>> = {
  '.toml': async (text) => ({ value: (await import('smol-toml')).parse(text) }),
  '.yaml': readYaml,
  '.yml': readYaml,
};

async function readConfiguration(path: string): Promise<ReadConfiguration> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { why: 'not a file' };
    if (found.size > 16 * 1024 * 1024) return { why: 'more than 16 MiB' };
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    return await (ownMember(readers, extname(path).toLowerCase()) ?? readJson)(text);
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    if (line !== undefined) return { why: 'not TOML', line, column };
    // Nested too deeply, or full of references.
    const { code = 'too complex' } = error as NodeJS.ErrnoException;
    return { why: code === 'ENOENT' ? 'no such file' : `cannot be read (${code})` };
  }
}

/** `*` is every member. */
const follow = (value: unknown, path: string): unknown[] =>
  path === ''
    ? [value]
    : Object.entries(asMembers(value)).flatMap(([member, inner]) => {
        const [first = '', ...rest] = path.split('.');
        if (first === '*' || first === member) return follow(inner, rest.join('.'));
        return path === member ? [inner] : [];
      });

/** An array has names as members, or names of files of servers. */
const toServers = (found: unknown): [string, JsonObject][] =>
  Object.entries(typeof found === 'object' && found !== null ? found : {}).flatMap(
    ([key, one]): [string, JsonObject][] => {
      const server = asMembers(one);
      if (!Array.isArray(found)) return [[key, server]];
      return isFileName(one) ? [] : [[typeof server.name === 'string' ? server.name : key, server]];
    },
  );

const isFileName = (one: unknown): one is string => typeof one === 'string' && /\.json$/i.test(one);

/** Changes a server that is defined elsewhere or built into the client. */
const changing =
  /^(?:(?:dis|en)abled|(?:(?:en|dis)abled|available)_tools|(?:enabled|disabled|include|exclude)Tools|tools|autoApprove|alwaysAllow|trust|timeout|(?:startup|tool)_timeout_sec|env|headers|env_keys|bundled|name|display_name|description|settings|source|approval_mode)$/;

/** Complete, although it starts nothing. */
const isChanging = (server: JsonObject) =>
  /^(?:builtin|platform|frontend)$/.test(String(server.type)) ||
  (Object.keys(server).length > 0 && Object.keys(server).every((member) => changing.test(member)));

function whyOf(name: string, server: JsonObject): string {
  const members = Object.keys(server).filter((member) => !changing.test(member));
  const shown = members.map((member) =>
    isPlain(member) ? quoted(toLine(member)) : 'a name that may be a secret',
  );
  const entry = isPlain(name) ? quoted(toLine(name)) : 'an entry';
  if (members.length === 0) return `${entry} is not an object with members`;
  return `${entry} has no known member for a command or an address; it has ${shown.join(', ')}`;
}

function filesAt(path: string, environment: NodeJS.ProcessEnv): string[] {
  if (path.startsWith('%'))
    return settingsFolders.flatMap((folder) => filesAt(folder + path.slice(1), environment));
  const [start = '', ...rest] = path.split('/');
  const base = { '': '/', '.': process.cwd(), '~': homedir(), ...environment }[start.replace('$', '')];
  return base ? globSync(rest.join('/'), { cwd: base }).map((file) => join(base, file)) : [];
}

function toShown(path: string): string {
  const below = relative(process.cwd(), path);
  if (!below.startsWith('..')) return below;
  return path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path;
}

const findConfigurations = (environment: NodeJS.ProcessEnv) =>
  Object.entries(clients).flatMap(([client, { files, servers }]) => {
    const paths = new Set(files.flatMap((path) => filesAt(path, environment)));
    return [...paths].map((path) => ({ path, client, servers }));
  });

const allServers = new Set(Object.values(clients).flatMap(({ servers }) => servers));

/** A file that describes itself, such as a plugin with an author, is no list of servers. */
const isList = (value: unknown): boolean =>
  Object.entries(asMembers(value)).every(
    ([member, one]) => member === '$schema' || (typeof one === 'object' && one !== null),
  ) && toServers(value).some(([, one]) => isLaunching(one));

/** `files` are named in place of a list. With an empty path, a file that is a list itself is read as one. */
function readServers(value: unknown, paths: readonly string[]) {
  const isLaunch = (one: unknown) => isLaunching(asMembers(one));
  const followed = paths.filter(Boolean).map((path) => {
    const found = follow(value, path);
    return { path, found: found.some(isLaunch) ? [] : found };
  });
  const isAround = (path: string) =>
    followed.some((other) => other.path.startsWith(`${path}.`) && other.found.length > 0);
  const lists = followed.flatMap(({ path, found }) => (isAround(path) ? [] : found));
  const isWhole = paths.includes('') && lists.length === 0 && isList(value);
  const entries = isWhole ? toServers(value) : lists.flatMap(toServers);
  return {
    found: entries
      .filter(([, server]) => isLaunching(server))
      .flatMap(([name, server]): [string, JsonObject][] => [
        [name, server],
        ...wrappedIn(server).map((one): [string, JsonObject] => [one.name ?? name, one.server]),
      ]),
    files: lists.flat().filter(isFileName),
    unknown: entries
      .filter(([, server]) => !isLaunching(server) && !isChanging(server))
      .map(([name, server]) => whyOf(name, server)),
  };
}

/** A file in `.claude-plugin` names files from the plugin's folder. */
function pluginRoot(path: string): string {
  const folder = dirname(path);
  return /^\.\w+-plugin$/.test(basename(folder)) ? dirname(folder) : folder;
}

export async function readConfigurations(files: readonly string[], environment: NodeJS.ProcessEnv) {
  const named = files.map((file) => ({ path: resolve(file), client: '', servers: [...allServers] }));
  const configured: Configured[] = [];
  const unreadable: UnreadableFile[] = [];
  const isNamed = files.length > 0;
  const all = isNamed ? named : findConfigurations(environment);
  for (const { path, client, servers } of all) {
    const file = toShown(path);
    const read = await readConfiguration(path);
    if ('why' in read) {
      unreadable.push({ file, ...read });
      continue;
    }
    const { found, files: further, unknown } = readServers(read.value, servers);
    configured.push(...found.map(([name, server]) => ({ client, file, path, name, server })));
    unreadable.push(...unknown.map((why) => ({ file, why })));
    for (const one of further) {
      const root = pluginRoot(path);
      const inner = resolve(root, one);
      if (relative(root, inner).startsWith('..'))
        unreadable.push({ file, why: 'it names a file outside of its folder' });
      else if (!all.some((known) => known.path === inner)) all.push({ path: inner, client, servers });
    }
    if (isNamed && found.length + further.length + unknown.length === 0)
      unreadable.push({ file, why: 'no server is recognised in it' });
  }
  return { configured, unreadable, files: new Set(all.map(({ path }) => path)).size };
}
