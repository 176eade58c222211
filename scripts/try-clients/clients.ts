import { join } from 'node:path';

/** A server as the `.mcp.json` of a view has it. */
export interface Server {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
export type Servers = Readonly<Record<string, Server>>;

interface Client {
  readonly npm: string;
  /** Below node_modules. */
  readonly program: string;
  /** The files in which it has these servers, below the folder of `home` and `project`. */
  readonly files: (servers: Servers, folder: string) => Readonly<Record<string, string>>;
  /** Whether `mcp list` starts the servers and asks them. */
  readonly isStarting: boolean;
}

const json = (value: object) => JSON.stringify(value, null, 2);

// An ASCII JSON string is also a TOML string.
const toTable = (values: Readonly<Record<string, string>> = {}) =>
  `{ ${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
    .join(', ')} }`;
const inCodex = ([name, { command, args, env, url, headers }]: [string, Server]) =>
  url
    ? `[mcp_servers.${name}]\nurl = ${JSON.stringify(url)}\nhttp_headers = ${toTable(headers)}\n`
    : `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nenv = ${toTable(env)}\n`;

const inOpencode = ([name, { command, args = [], env, url, headers }]: [string, Server]) => [
  name,
  url ? { type: 'remote', url, headers } : { type: 'local', command: [command, ...args], environment: env },
];

/** Clients that npm has and that list their servers without an account. */
export const clients: Readonly<Record<string, Client>> = {
  'Claude Code': {
    npm: '@anthropic-ai/claude-code',
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    files: (mcpServers) => ({
      'project/.mcp.json': json({ mcpServers }),
      'home/.claude/settings.json': json({ enableAllProjectMcpServers: true }),
    }),
    isStarting: true,
  },
  'Gemini CLI': {
    npm: '@google/gemini-cli',
    program: '.bin/gemini',
    files: (mcpServers, folder) => ({
      'project/.gemini/settings.json': json({ mcpServers }),
      'home/.gemini/trustedFolders.json': json({ [join(folder, 'project')]: 'TRUST_FOLDER' }),
    }),
    isStarting: true,
  },
  opencode: {
    npm: 'opencode-ai',
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
    files: (servers) => ({
      'project/opencode.json': json({ mcp: Object.fromEntries(Object.entries(servers).map(inOpencode)) }),
    }),
    isStarting: true,
  },
  Codex: {
    npm: '@openai/codex',
    program: '.bin/codex',
    files: (servers) => ({ 'home/.codex/config.toml': Object.entries(servers).map(inCodex).join('\n') }),
    isStarting: false,
  },
  'Copilot CLI': {
    npm: '@github/copilot',
    program: '.bin/copilot',
    files: (mcpServers) => ({ 'home/.copilot/mcp-config.json': json({ mcpServers }) }),
    isStarting: false,
  },
};
