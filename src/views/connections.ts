import { handleParts } from '../core/handle.ts';
import { isTemplate } from '../core/text.ts';
import { own, type Words } from '../core/words.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { ListingPackage, ListingRemote } from '../listings/listing.ts';
import {
  filledCommand,
  filledValue,
  isPublicHost,
  type Started,
  type StartOptions,
  toStarted,
} from './commands.ts';

interface Remote {
  readonly url: string;
  readonly type: 'http' | 'sse';
  /** With a value to fill in, by names of letters, digits and hyphens. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Connection = Remote & { readonly name: string };

const headersOf = ({ inputs = [] }: ListingRemote) =>
  Object.fromEntries(
    inputs
      .filter(
        ({ kind, required, name }) => kind === 'header' && required && /^[A-Za-z0-9-]{1,60}$/.test(name),
      )
      .map((one) => [one.name, filledValue(one)]),
  );

/**
 * https of a public host, or for a private entry any http(s), without a user name, password, space,
 * backslash, `*` or part to fill in.
 */
export function toRemote(remote: ListingRemote, isPrivate = false): Remote | undefined {
  const hasPattern = (text: string) => /[\s\\*]/.test(text) || isTemplate(text);
  const url = hasPattern(remote.url) ? null : URL.parse(remote.url);
  // Parsing would make %2A.example.com a pattern of hosts, *.example.com.
  if (remote.type === '' || !url || hasPattern(url.href) || url.username || url.password) return undefined;
  const isPublic = url.protocol === 'https:' && isPublicHost(url.hostname);
  if (!isPublic && !(isPrivate && /^https?:$/.test(url.protocol))) return undefined;
  return { url: url.href, type: remote.type === 'sse' ? 'sse' : 'http', headers: headersOf(remote) };
}

/** `unnamed`: parts of the record that the approval does not name. */
export type Startable = Pick<ListingDocument, 'handle' | 'remotes' | 'packages'> &
  StartOptions & { readonly unnamed?: readonly string[] };

const noType = own('its record does not say in which way the endpoint is reached');
const privateForm = own(
  'its address is not http or https, or has a user name, password, space, backslash, asterisk or a part to fill in',
);
const publicForm = own(
  'its address is not https at a public host, or has a user name, password, space, backslash, asterisk or a part to fill in',
);

export const whyNoRemote = ({ type }: ListingRemote, isPrivate = false): Words =>
  type === '' ? noType : isPrivate ? privateForm : publicForm;

/** Commands with a word to fill in are only in .mcp.json, with placeholders. */
export const leftOutOf = ({ remotes, packages, unnamed = [], ...options }: Startable) => [
  ...unnamed.map((what) => ({ what, why: own('the approval does not name it') })),
  ...remotes
    .filter((remote) => !toRemote(remote, options.isPrivate))
    .map((remote) => ({ what: remote.url, why: whyNoRemote(remote, options.isPrivate) })),
  ...packages.flatMap((recorded) => {
    const started = toStarted(recorded, options);
    const what = recorded.identifier;
    if ('why' in started) return [{ what, why: started.why }];
    if (!started.some(({ isOpen }) => isOpen)) return [];
    return [
      { what, why: own('an allow list compares the whole command, a part of which the caller fills in') },
    ];
  }),
];

/** Without anything to fill in. */
export function allowedCommands(recorded: ListingPackage, options: StartOptions): (readonly string[])[] {
  const started = toStarted(recorded, options);
  return 'why' in started ? [] : started.filter(({ isOpen }) => !isOpen).map(({ command }) => command);
}

const longest = 40;

const toSlug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');

function nameOfServer(handle: string): string {
  const { namespace, name } = handleParts(handle);
  const publisher = toSlug(namespace.replace(/^io\.(github|gitlab)\.|^[^.]+\./i, ''));
  const own = toSlug(name);
  return publisher === own || publisher === '' ? own : `${publisher}-${own}`;
}

/**
 * At most 40 letters, digits and hyphens, each different. Of several endpoints, each ends with the last part
 * of its path.
 */
export function toEntryNames(handle: string, urls: readonly string[]): string[] {
  const base = nameOfServer(handle) || 'listing';
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

/** Usable remotes, or else the first package that can be started. */
function serversOf({ remotes, packages, ...options }: Startable): (Remote | Started)[] {
  const usable = remotes.flatMap((remote) => toRemote(remote, options.isPrivate) ?? []);
  if (usable.length > 0) return usable;
  const started = packages.flatMap((recorded) => {
    const found = toStarted(recorded, options);
    return 'why' in found ? [] : found;
  });
  return started.slice(0, 1);
}

export function nameServers(listings: readonly Startable[]): [string, Remote | Started][] {
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
    // A handle has one slash, so `/2` at its end makes no other handle.
    const isShared = names.some((name) => (uses.get(name)?.length ?? 0) > 1);
    return servers.map((server, at): [string, Remote | Started] => [
      isShared ? handle + (at === 0 ? '' : `/${at + 1}`) : (names[at] ?? handle),
      server,
    ]);
  });
}

const toHeaders = ({ headers }: Pick<Remote, 'headers'>) =>
  Object.keys(headers).length === 0 ? {} : { headers };

export function toServerJson(server: Remote | Started): object {
  if ('url' in server) return { type: server.type, url: server.url, ...toHeaders(server) };
  const [command, ...args] = filledCommand(server);
  const env = { ...server.asked, ...server.set };
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}

interface PasteableConfig {
  readonly client: string;
  readonly where: string;
  readonly text: string;
  readonly deepLink?: string;
}

/** Every shell reads these literally. */
const plainInShells = /^https?:\/\/[A-Za-z0-9.:/_~=@,+-]+$/;

const json = (value: object) => JSON.stringify(value, null, 2);

const toClaudeCode = ({ name: server, url, type, headers }: Connection): PasteableConfig => {
  const options = Object.entries(headers).map(([name, value]) => ` --header "${name}: ${value}"`);
  const text = `claude mcp add --transport ${type} ${server} ${url}${options.join('')}`;
  return { client: 'Claude Code', where: 'a terminal', text };
};

function toCodex({ name, url, headers }: Connection): PasteableConfig {
  const values = Object.entries(headers)
    .map(([header, value]) => `"${header}" = "${value}"`)
    .join(', ');
  // An ASCII JSON string is a TOML string.
  const text = `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}${values && `\nhttp_headers = { ${values} }`}`;
  return { client: 'Codex', where: '~/.codex/config.toml', text };
}

/**
 * Plain JSON last; no command line if a shell could interpret the address. Codex has only streamable HTTP,
 * and Claude Desktop needs mcp-remote, with headers as arguments.
 */
export function toConfigs(connection: Connection): PasteableConfig[] {
  const { name, url, type, headers } = connection;
  const server = { url, ...toHeaders({ headers }) };
  const typed = { type, ...server };
  const inCursor = Buffer.from(JSON.stringify(server)).toString('base64');
  // Some clients break arguments at spaces. The prefix keeps a record from setting NODE_OPTIONS.
  const inRemote = Object.entries(headers).map(([header, value]) => {
    const variable = `HEADER_${header.replaceAll('-', '_').toUpperCase()}`;
    return { words: ['--header', `${header}:\${${variable}}`], variable, value };
  });
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
        'claude_desktop_config.json (or enter only the address under Settings > Connectors > Add custom connector)',
      text: json({
        mcpServers: {
          [name]: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, ...inRemote.flatMap(({ words }) => words)],
            ...(inRemote.length > 0 && {
              env: Object.fromEntries(inRemote.map(({ variable, value }) => [variable, value])),
            }),
          },
        },
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
