import { handleParts } from '../core/handle.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { ListingPackage, ListingRemote } from '../listings/listing.ts';

/** A remote server: its address, its transport, and the headers whose values are the caller's. */
interface Remote {
  readonly url: string;
  readonly type: 'http' | 'sse';
  /** Names of letters, digits and hyphens only. */
  readonly headers: readonly string[];
}

/** A package that a command starts over stdio, and the environment variables whose values are the caller's. */
interface Launched {
  readonly command: readonly [string, ...string[]];
  readonly environment: readonly string[];
}

export type Connection = Remote & { readonly name: string };

const placeholder = 'YOUR_VALUE';

const required = (
  { inputs = [] }: Pick<ListingRemote, 'inputs'>,
  wanted: 'header' | 'environment',
  form: RegExp,
) =>
  inputs
    .filter(({ kind, required: isRequired, name }) => kind === wanted && isRequired && form.test(name))
    .map(({ name }) => name);

/** Names that no public resolver answers for (RFC 6761, 6762, 7686, 8375, 9476, ICANN's .internal), and .arpa. */
const specialUse =
  /\.(alt|arpa|corp|home|internal|intranet|invalid|lan|local|localdomain|localhost|onion|private|test)$/;

/** Whether a host is a name below a public top-level domain; addresses of every notation are not. */
const isPublicHost = (hostname: string) =>
  /^[a-z0-9._-]+\.[a-z][a-z0-9-]*$/i.test(hostname) && !specialUse.test(hostname);

/** The remote of a recorded endpoint: https and a public host, unless it is a private entry's; no user part, nothing to fill in. */
export function toRemote(remote: ListingRemote, isPrivate = false): Remote | undefined {
  const hasPattern = (text: string) => /[{}\s\\*]/.test(text);
  const url = hasPattern(remote.url) ? null : URL.parse(remote.url);
  // A host is unescaped when it is parsed: of %2A.example.com a host of the list would make *.example.com.
  if (!url || hasPattern(url.href) || url.username || url.password) return undefined;
  const isPublic = url.protocol === 'https:' && isPublicHost(url.hostname);
  if (!isPublic && !(isPrivate && /^https?:$/.test(url.protocol))) return undefined;
  const headers = required(remote, 'header', /^[A-Za-z0-9-]{1,60}$/);
  return { url: url.href, type: remote.type === 'sse' ? 'sse' : 'http', headers };
}

/** A version as the registries have them; never a range, an address or an option. */
const exact = /^[0-9A-Za-z][0-9A-Za-z.+!_-]{0,127}$/;
/** Names as npm gives them to new packages (validate-npm-package-name), without those that an option could be. */
const npmName = /^(?=.{1,214}$)(@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
/** PyPA, "Names and normalization". */
const pypiName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;
/** NuGet package ids: words between single dots and hyphens, 100 characters. */
const nugetId = /^(?=.{1,100}$)\w+([.-]\w+)*$/;
const ociPart = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
/** An image reference (distribution/reference): host, path, tag, digest. */
const ociName = new RegExp(
  `^(?=.{1,255}$)${ociPart}(?::\\d{1,5}(?=/))?(?:/${ociPart})*(?::\\w[\\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);

/** A first part with a dot or a port is a host (distribution/reference, "splitDockerDomain"). */
function isImage(text: string, isPrivate?: boolean): boolean {
  const [first = '', ...path] = text.split('/');
  const isHost = path.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return ociName.test(text) && (isPrivate || !isHost || isPublicHost(first.replace(/:\d+$/, '')));
}

interface StartOptions {
  /** Only in the recorded version. */
  readonly isPinned?: boolean;
  /** Also from hosts that are not public: it is a private entry. */
  readonly isPrivate?: boolean;
  /** What is recorded and not among its remotes and packages here, because no approval names it. */
  readonly unnamed?: readonly string[];
}

export type Startable = Pick<ListingDocument, 'handle' | 'remotes' | 'packages'> & StartOptions;

const withVersion = (
  start: readonly [string, ...string[]],
  { identifier, version }: ListingPackage,
  isPinned: boolean,
) =>
  [
    ...(isPinned ? [] : [identifier]),
    ...(version && exact.test(version) ? [`${identifier}@${version}`] : []),
  ].map((name): [string, ...string[]] => [...start, name]);

const hasTag = /:[^/]+$/;

/** Commands that start a package over stdio; none for a name that is not in its registry's form, or another transport. */
export function toCommands(
  recorded: ListingPackage,
  { isPinned = false, isPrivate }: StartOptions = {},
): [string, ...string[]][] {
  const { registry_type, identifier, transport = 'stdio' } = recorded;
  if (transport !== 'stdio') return [];
  if (registry_type === 'npm' && npmName.test(identifier))
    return withVersion(['npx', '-y'], recorded, isPinned);
  if (registry_type === 'pypi' && pypiName.test(identifier)) return withVersion(['uvx'], recorded, isPinned);
  if (registry_type === 'oci' && isImage(identifier, isPrivate) && (!isPinned || hasTag.test(identifier)))
    return [['docker', 'run', '-i', '--rm', identifier]];
  if (registry_type === 'nuget' && nugetId.test(identifier))
    return withVersion(['dnx'], recorded, isPinned).map((command) => [...command, '--yes']);
  return [];
}

/** What a listing records that no configuration and no allow list takes, as it is recorded. */
export const leftOutOf = ({ remotes, packages, unnamed = [], isPinned, isPrivate }: Startable): string[] => [
  ...unnamed,
  ...remotes.filter((remote) => !toRemote(remote, isPrivate)).map(({ url }) => url),
  ...packages
    .filter((recorded) => toCommands(recorded, { isPinned, isPrivate }).length === 0)
    .map(({ identifier }) => identifier),
];

const longest = 40;

const toSlug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');

function nameOf(handle: string): string {
  const { namespace, name } = handleParts(handle);
  const [publisher, own] = [toSlug(namespace.replace(/^io\.(github|gitlab)\.|^[^.]+\./i, '')), toSlug(name)];
  return publisher === own || publisher === '' ? own : `${publisher}-${own}`;
}

/**
 * A name that every client accepts for the entry of each of a listing's endpoints, no two alike: publisher and name, and
 * if there are several endpoints the end of each one's path.
 */
export function toEntryNames(handle: string, urls: readonly string[]): string[] {
  const base = nameOf(handle) || 'listing';
  const taken = new Set<string>();
  return urls.map((url) => {
    const end = urls.length > 1 ? toSlug(URL.parse(url)?.pathname.split('/').findLast(Boolean) ?? '') : '';
    const wanted = (end && !base.endsWith(end) ? `${base}-${end}` : base).slice(0, longest);
    let name = wanted;
    for (let next = 2; taken.has(name); next += 1) name = `${wanted.slice(0, longest - 4)}-${next}`;
    taken.add(name);
    return name;
  });
}

/** What a client connects to of one listing: its remotes, or else the first package that can be started. */
function serversOf({ remotes, packages, isPinned, isPrivate }: Startable): (Remote | Launched)[] {
  const usable = remotes.flatMap((remote) => toRemote(remote, isPrivate) ?? []);
  if (usable.length > 0) return usable;
  const launched = packages.flatMap((recorded) => {
    const environment = required(recorded, 'environment', /^[A-Za-z_]\w{0,59}$/);
    return toCommands(recorded, { isPinned, isPrivate }).map((command) => ({ command, environment }));
  });
  return launched.slice(0, 1);
}

/** The servers of many listings, each under a name that no other one has in the same file. */
export function nameServers(listings: readonly Startable[]): [string, Remote | Launched][] {
  const wanted = listings.map((listing) => {
    const servers = serversOf(listing);
    const urls = servers.map((server) => ('url' in server ? server.url : ''));
    return { handle: listing.handle, servers, names: toEntryNames(listing.handle, urls) };
  });
  const uses = Map.groupBy(
    wanted.flatMap(({ names }) => names),
    (name) => name,
  );
  return wanted.flatMap(({ handle, servers, names }) => {
    // A handle instead of a name that others would get, too: no listing takes another's place.
    const isShared = names.some((name) => (uses.get(name)?.length ?? 0) > 1);
    return servers.map((server, at): [string, Remote | Launched] => [
      isShared ? handle + (at === 0 ? '' : `-${at + 1}`) : (names[at] ?? handle),
      server,
    ]);
  });
}

const placeholders = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, placeholder]));

const toHeaders = ({ headers }: Pick<Remote, 'headers'>) =>
  headers.length === 0 ? {} : { headers: placeholders(headers) };

export function toServerJson(server: Remote | Launched): object {
  if ('url' in server) return { type: server.type, url: server.url, ...toHeaders(server) };
  const [command, ...args] = server.command;
  const { environment } = server;
  return { command, args, ...(environment.length > 0 && { env: placeholders(environment) }) };
}

interface PasteableConfig {
  readonly client: string;
  readonly where: string;
  readonly text: string;
  /** Opens the client with the configuration filled in. */
  readonly deepLink?: string;
}

/** URLs of characters that are literal in every shell. */
const plainInShells = /^https?:\/\/[A-Za-z0-9.:/_~=@,+-]+$/;

const json = (value: object) => JSON.stringify(value, null, 2);

const toClaudeCode = ({ name, url, type, headers }: Connection): PasteableConfig => {
  const options = headers.map((header) => ` --header "${header}: ${placeholder}"`).join('');
  const text = `claude mcp add --transport ${type} ${name} ${url}${options}`;
  return { client: 'Claude Code', where: 'a terminal', text };
};

function toCodex({ name, url, headers }: Connection): PasteableConfig {
  const values = headers.map((header) => `"${header}" = "${placeholder}"`).join(', ');
  // An ASCII JSON string is also a TOML string.
  const text = `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}${values && `\nhttp_headers = { ${values} }`}`;
  return { client: 'Codex', where: '~/.codex/config.toml', text };
}

/**
 * Configurations for common clients, plain JSON last. Command lines are omitted if a shell could interpret the URL. Codex
 * supports streamable HTTP only; Claude Desktop reaches a remote server through mcp-remote, which takes headers as arguments.
 */
export function toConfigs(connection: Connection): PasteableConfig[] {
  const { name, url, type, headers } = connection;
  const server = { url, ...toHeaders({ headers }) };
  const typed = { type, ...server };
  const inCursor = Buffer.from(JSON.stringify(server)).toString('base64');
  const inArguments = headers.flatMap((header) => ['--header', `${header}:${placeholder}`]);
  return [
    ...(plainInShells.test(url) ? [toClaudeCode(connection)] : []),
    {
      client: 'Cursor',
      where: '~/.cursor/mcp.json',
      text: json({ mcpServers: { [name]: server } }),
      deepLink: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(inCursor)}`,
    },
    {
      client: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { [name]: typed } }),
      deepLink: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...typed }))}`,
    },
    {
      client: 'Claude Desktop',
      where:
        'Settings, Connectors, Add custom connector, with the address alone; or in claude_desktop_config.json',
      text: json({
        mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url, ...inArguments] } },
      }),
    },
    ...(type === 'http' ? [toCodex(connection)] : []),
    {
      client: 'JSON',
      where: 'the mcpServers map of any MCP client',
      text: json({ mcpServers: { [name]: typed } }),
    },
  ];
}
