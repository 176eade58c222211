/** A server to connect to: the name its entry gets, its URL and its transport. */
export interface Connection {
  readonly name: string;
  readonly url: string;
  readonly type: 'http' | 'sse';
}

/** A configuration to paste and where it goes. */
export interface PasteableConfig {
  readonly client: string;
  readonly where: string;
  readonly text: string;
  /** Opens the client with the configuration filled in. */
  readonly deepLink?: string;
}

/** URLs of characters that are literal in every shell. */
const plainInShells = /^https?:\/\/[A-Za-z0-9.:/_~=@,+-]+$/;

const json = (value: object) => JSON.stringify(value, null, 2);

function cursorConfig({ name, url }: Connection): PasteableConfig {
  const config = Buffer.from(JSON.stringify({ url })).toString('base64');
  return {
    client: 'Cursor',
    where: '~/.cursor/mcp.json',
    text: json({ mcpServers: { [name]: { url } } }),
    deepLink: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(config)}`,
  };
}

function codeConfig({ name, url, type }: Connection): PasteableConfig {
  return {
    client: 'VS Code',
    where: '.vscode/mcp.json',
    text: json({ servers: { [name]: { type, url } } }),
    deepLink: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type, url }))}`,
  };
}

/** Codex supports streamable HTTP only. An ASCII JSON string is also a TOML string. */
const codexConfig = ({ name, url }: Connection): PasteableConfig => ({
  client: 'Codex',
  where: '~/.codex/config.toml',
  text: `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}`,
});

/** Configurations for common clients, plain JSON last. Command lines are omitted if a shell could interpret the URL. */
export function toConfigs(connection: Connection): PasteableConfig[] {
  const { name, url, type } = connection;
  const claudeCode = {
    client: 'Claude Code',
    where: 'a terminal',
    text: `claude mcp add --transport ${type} ${name} ${url}`,
  };
  return [
    ...(plainInShells.test(url) ? [claudeCode] : []),
    cursorConfig(connection),
    codeConfig(connection),
    {
      client: 'Claude Desktop',
      where:
        'Settings, Connectors, Add custom connector, with the address alone; or in claude_desktop_config.json',
      text: json({ mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }),
    },
    ...(type === 'http' ? [codexConfig(connection)] : []),
    {
      client: 'JSON',
      where: 'the mcpServers map of any MCP client',
      text: json({ mcpServers: { [name]: { type, url } } }),
    },
  ];
}

/** An entry name that every client accepts, made from the name part of a handle. */
export const toEntryName = (handle: string): string =>
  handle
    .slice(handle.indexOf('/') + 1)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'listing';
