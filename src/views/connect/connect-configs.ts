import { type Connection, placeholder, toHeaders, toServerJson } from './connections.ts';

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

function cursorConfig(connection: Connection): PasteableConfig {
  const { name, url } = connection;
  const server = { url, ...toHeaders(connection) };
  const config = Buffer.from(JSON.stringify(server)).toString('base64');
  return {
    client: 'Cursor',
    where: '~/.cursor/mcp.json',
    text: json({ mcpServers: { [name]: server } }),
    deepLink: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${encodeURIComponent(config)}`,
  };
}

function codeConfig(connection: Connection): PasteableConfig {
  const { name, url, type } = connection;
  const server = { type, url, ...toHeaders(connection) };
  return {
    client: 'VS Code',
    where: '.vscode/mcp.json',
    text: json({ servers: { [name]: server } }),
    deepLink: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...server }))}`,
  };
}

/** Codex supports streamable HTTP only. An ASCII JSON string is also a TOML string. */
const codexConfig = ({ name, url, headers }: Connection): PasteableConfig => ({
  client: 'Codex',
  where: '~/.codex/config.toml',
  text: [
    `[mcp_servers.${name}]`,
    `url = ${JSON.stringify(url)}`,
    ...(headers.length > 0
      ? [`http_headers = { ${headers.map((header) => `"${header}" = "${placeholder}"`).join(', ')} }`]
      : []),
  ].join('\n'),
});

/** Claude Desktop reaches a remote server through mcp-remote, which takes headers as arguments. */
const desktopConfig = ({ name, url, headers }: Connection): PasteableConfig => ({
  client: 'Claude Desktop',
  where:
    'Settings, Connectors, Add custom connector, with the address alone; or in claude_desktop_config.json',
  text: json({
    mcpServers: {
      [name]: {
        command: 'npx',
        args: [
          '-y',
          'mcp-remote',
          url,
          ...headers.flatMap((header) => ['--header', `${header}:${placeholder}`]),
        ],
      },
    },
  }),
});

/** Configurations for common clients, plain JSON last. Command lines are omitted if a shell could interpret the URL. */
export function toConfigs(connection: Connection): PasteableConfig[] {
  const { name, url, type, headers } = connection;
  const claudeCode = {
    client: 'Claude Code',
    where: 'a terminal',
    text: [
      `claude mcp add --transport ${type} ${name} ${url}`,
      ...headers.map((header) => `--header "${header}: ${placeholder}"`),
    ].join(' '),
  };
  return [
    ...(plainInShells.test(url) ? [claudeCode] : []),
    cursorConfig(connection),
    codeConfig(connection),
    desktopConfig(connection),
    ...(type === 'http' ? [codexConfig(connection)] : []),
    {
      client: 'JSON',
      where: 'the mcpServers map of any MCP client',
      text: json({ mcpServers: { [name]: toServerJson(connection) } }),
    },
  ];
}
