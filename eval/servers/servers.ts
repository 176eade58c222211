import { kubeconfig, type Program } from './programs.ts';

/**
 * How a server is reached over HTTP: by itself, or over stdio behind the transport of either line of the SDK
 * (bridge.ts), mcp-proxy (both eras at one address, only the older one, or HTTP with SSE) or supergateway.
 */
export type Front =
  | 'itself'
  | 'sdk 1'
  | 'sdk 2'
  | 'mcp-proxy'
  | 'mcp-proxy, older era'
  | 'mcp-proxy, sse'
  | 'supergateway'
  | 'supergateway, sessions'
  | 'supergateway, sse';

export interface Server extends Omit<Program, 'args' | 'environment'> {
  readonly front: Front;
  /** Some of these depend on the port that a server listens on by itself. */
  readonly args?: readonly string[] | ((port: number) => readonly string[]);
  readonly environment?: Program['environment'] | ((port: number) => Record<string, string>);
  /** Where it listens by itself. */
  readonly path?: string;
  /** An earlier version of it, as npm/package.json names that. */
  readonly older?: string;
}

const key = 'not-a-key';
const nowhere = 'http://127.0.0.1:9';

const portOf = (port: number) => ({ PORT: String(port) });

/** Servers that speak HTTP by themselves. */
const ownHttp: readonly Omit<Server, 'front'>[] = [
  {
    package: '@modelcontextprotocol/server-everything',
    args: ['streamableHttp'],
    environment: portOf,
  },
  {
    package: '@modelcontextprotocol/server-everything',
    args: ['sse'],
    environment: portOf,
    path: '/sse',
  },
  {
    package: 'kubernetes-mcp-server',
    args: (port: number) => ['--port', String(port)],
    environment: { KUBECONFIG: kubeconfig },
    older: 'older-kubernetes-mcp-server',
  },
  {
    package: 'mcp-alertmanager',
    args: (port: number) => ['--url', nowhere, '--port', String(port)],
  },
  {
    package: 'mcp-prometheus-linux-amd64',
    binary: 'bin/mcp-prometheus-linux-amd64',
    args: (port: number) => ['--url', nowhere, '--port', String(port)],
  },
  {
    package: 'mcp-time-linux-x64',
    binary: 'bin/mcp-time',
    args: (port: number) => ['--transport', 'stream', '--address', `http://127.0.0.1:${port}/mcp`],
  },
  ...['basic-vanillajs', 'budget-allocator', 'map', 'pdf', 'system-monitor', 'threejs', 'wiki-explorer'].map(
    (name) => ({ package: `@modelcontextprotocol/server-${name}`, environment: portOf }),
  ),
  {
    package: '@playwright/mcp',
    args: (port: number) => ['--port', String(port)],
  },
  {
    package: '@browserbasehq/mcp-server-browserbase',
    args: (port: number) => ['--port', String(port)],
    environment: { BROWSERBASE_API_KEY: key, BROWSERBASE_PROJECT_ID: key },
  },
  {
    package: '@executeautomation/playwright-mcp-server',
    args: (port: number) => ['--port', String(port)],
    path: '/sse',
  },
];

/** A server that speaks over stdio. */
export type StdioServer = Program & Pick<Server, 'older'>;

/** Servers that speak over stdio only, in Rust, Go, C# and JavaScript, behind public bridges. */
const bridged: readonly Server[] = (
  [
    [{ package: '@azure/mcp', args: ['server', 'start'] }, 'mcp-proxy'],
    [{ package: '@temporal-cortex/cortex-mcp-linux-x64', binary: 'bin/cortex-mcp' }, 'mcp-proxy'],
    [{ package: '@leanspec/mcp-linux-x64', binary: 'leanspec-mcp' }, 'supergateway'],
    [
      { package: '@kanoniv/mcp-linux-x64', binary: 'kanoniv-mcp', environment: { KANONIV_API_KEY: key } },
      'mcp-proxy, older era',
    ],
    [{ package: '@falconer/mcp-linux-x64', binary: 'falconer-mcp' }, 'mcp-proxy, sse'],
    [{ package: '@git-library/mcp-linux-x64', binary: 'bin/git-library-mcp' }, 'supergateway, sse'],
    [{ package: '@onshape-mcp/linux-x64', binary: 'bin/onshape-mcp' }, 'supergateway, sessions'],
    [
      { package: '@vaulttools/mcp-linux-x64', binary: 'bin/vaulttools-mcp', args: ['--allowed-dir', '.'] },
      'mcp-proxy',
    ],
    [
      { package: 'mcp-cron-linux-amd64', binary: 'bin/mcp-cron', args: ['--transport', 'stdio'] },
      'supergateway',
    ],
    [{ package: 'terraform-mcp-server' }, 'mcp-proxy, sse'],
    [{ package: 'tavily-mcp', environment: { TAVILY_API_KEY: key } }, 'supergateway, sse'],
    [
      { package: '@circleci/mcp-server-circleci', environment: { CIRCLECI_TOKEN: key } },
      'supergateway, sessions',
    ],
    [
      { package: '@elastic/mcp-server-elasticsearch', environment: { ES_URL: nowhere } },
      'mcp-proxy, older era',
    ],
    [{ package: '@neondatabase/mcp-server-neon', args: ['start', key] }, 'mcp-proxy'],
    [{ package: '@wonderwhy-er/desktop-commander' }, 'mcp-proxy'],
  ] as [StdioServer, Front][]
).map(([server, front]) => ({ ...server, front }));

/** Servers in JavaScript that speak over stdio. */
export const stdioServers: readonly StdioServer[] = [
  { package: '@modelcontextprotocol/server-filesystem', args: ['.'] },
  { package: '@modelcontextprotocol/server-memory' },
  { package: '@modelcontextprotocol/server-sequential-thinking' },
  { package: '@modelcontextprotocol/server-brave-search', environment: { BRAVE_API_KEY: key } },
  { package: '@modelcontextprotocol/server-everart', environment: { EVERART_API_KEY: key } },
  { package: '@modelcontextprotocol/server-github' },
  { package: '@modelcontextprotocol/server-gitlab', environment: { GITLAB_PERSONAL_ACCESS_TOKEN: key } },
  { package: '@modelcontextprotocol/server-google-maps', environment: { GOOGLE_MAPS_API_KEY: key } },
  {
    package: '@modelcontextprotocol/server-slack',
    environment: { SLACK_BOT_TOKEN: key, SLACK_TEAM_ID: 'T0' },
  },
  { package: '@modelcontextprotocol/server-postgres', args: ['postgresql://127.0.0.1:9/none'] },
  { package: '@modelcontextprotocol/server-aws-kb-retrieval' },
  { package: '@modelcontextprotocol/server-puppeteer' },
  { package: '@playwright/mcp', older: 'older-playwright-mcp' },
  { package: '@upstash/context7-mcp', older: 'older-upstash-context7-mcp' },
  { package: 'chrome-devtools-mcp', bin: 'chrome-devtools-mcp', older: 'older-chrome-devtools-mcp' },
  {
    package: '@notionhq/notion-mcp-server',
    environment: { NOTION_TOKEN: key },
    older: 'older-notionhq-notion-mcp-server',
  },
  { package: '@supabase/mcp-server-supabase', args: ['--access-token', `sbp_${'0'.repeat(40)}`] },
  { package: '@stripe/mcp', args: ['--api-key', 'rk_test_none'] },
  {
    package: '@sentry/mcp-server',
    args: ['--access-token', key],
    older: 'older-sentry-mcp-server',
  },
  { package: 'firecrawl-mcp', environment: { FIRECRAWL_API_KEY: key }, older: 'older-firecrawl-mcp' },
  { package: 'exa-mcp-server', environment: { EXA_API_KEY: key }, older: 'older-exa-mcp-server' },
  { package: 'airtable-mcp-server', environment: { AIRTABLE_API_KEY: key } },
  { package: '@antv/mcp-server-chart' },
  { package: '@eslint/mcp' },
  { package: '@mui/mcp' },
  { package: 'mcp-server-kubernetes', older: 'older-mcp-server-kubernetes' },
  { package: 'mcp-server-code-runner' },
  { package: '@perplexity-ai/mcp-server', environment: { PERPLEXITY_API_KEY: key } },
  {
    package: 'figma-developer-mcp',
    args: ['--stdio', '--figma-api-key', key],
    older: 'older-figma-developer-mcp',
  },
  { package: 'mcp-server-commands' },
  { package: 'mcp-server-linear', environment: { LINEAR_ACCESS_TOKEN: key } },
];

/** The servers of npm/package.json. */
export const servers: readonly Server[] = [
  ...ownHttp.map((server) => ({ ...server, front: 'itself' as const })),
  ...bridged,
  // Alternately behind either line of the SDK.
  ...stdioServers.map((server, at) => ({
    ...server,
    front: at % 2 === 0 ? ('sdk 1' as const) : ('sdk 2' as const),
  })),
];
