import { globSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join, relative, resolve } from 'node:path';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { asMembers, type JsonObject } from '../../core/json.ts';
import { clients, settingsFolders } from './clients.ts';

/** A server as a client's configuration has it, with all its secrets; `file` as it is shown. */
export interface Configured {
  readonly client: string;
  readonly file: string;
  readonly name: string;
  readonly server: JsonObject;
}

/** A configuration that cannot be read, and where, from 1. `why` is ours: texts of parsers quote the file. */
export interface Unreadable {
  readonly file: string;
  readonly why: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}
type Read = { readonly value: unknown } | Omit<Unreadable, 'file'>;

async function readYaml(text: string): Promise<Read> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { logLevel: 'silent' });
  const [error] = document.errors;
  const at = error?.linePos?.[0];
  return error ? { why: 'not YAML', line: at?.line, column: at?.col } : { value: document.toJS() };
}

async function readJson(text: string): Promise<Read> {
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

async function readConfiguration(path: string): Promise<Read> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { why: 'not a file' };
    if (found.size > 16 * 1024 * 1024) return { why: 'more than 16 MiB' };
    const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
    return await (readers[extname(path).toLowerCase()] ?? readJson)(text);
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    if (line !== undefined) return { why: 'not TOML', line, column };
    // A file that is nested too deep, or full of references, has no code.
    const { code = 'too complex' } = error as NodeJS.ErrnoException;
    return { why: code === 'ENOENT' ? 'no such file' : `cannot be read (${code})` };
  }
}

/** What names lead to; `*` is every member. */
const follow = (value: unknown, [name, ...rest]: readonly string[]): unknown[] =>
  name === undefined
    ? [value]
    : Object.entries(asMembers(value))
        .filter(([member]) => name === '*' || member === name)
        .flatMap(([, inner]) => follow(inner, rest));

/** Servers with their names: members of an object, or a list of objects with a name. */
const toServers = (found: unknown): [string, JsonObject][] =>
  Object.entries(typeof found === 'object' && found !== null ? found : {}).map(([key, one]) => {
    const server = asMembers(one);
    return [Array.isArray(found) && typeof server.name === 'string' ? server.name : key, server];
  });

function filesAt(path: string, environment: NodeJS.ProcessEnv): string[] {
  if (path.startsWith('%'))
    return settingsFolders.flatMap((folder) => filesAt(folder + path.slice(1), environment));
  const [start = '', ...rest] = path.split('/');
  const base = { '.': process.cwd(), '~': homedir(), ...environment }[start.replace('$', '')];
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

/** The servers of all configurations of this project and home, or of `files` alone, and the configurations that cannot be read. */
export async function readConfigurations(files: readonly string[], environment: NodeJS.ProcessEnv) {
  const named = files.map((file) => ({ path: resolve(file), client: '', servers: [...allServers] }));
  const configured: Configured[] = [];
  const unreadable: Unreadable[] = [];
  const all = files.length > 0 ? named : findConfigurations(environment);
  for (const { path, client, servers } of all) {
    const file = toShown(path);
    const read = await readConfiguration(path);
    if ('why' in read) unreadable.push({ file, ...read });
    const found = 'why' in read ? [] : servers.flatMap((one) => follow(read.value, one.split('.')));
    // An entry without any of these changes a server that stands elsewhere.
    for (const [name, server] of found.flatMap(toServers))
      if (server.command || server.url || server.serverUrl || server.httpUrl)
        configured.push({ client, file, name, server });
  }
  return { configured, unreadable, files: all.length };
}
