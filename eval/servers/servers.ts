/** An MCP server from npm that speaks over stdio: what it needs to start without an account or a network. */
export interface StdioServer {
  readonly package: string;
  /** Name of its program, if its package has several. */
  readonly bin?: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const key = 'not-a-key';

/** The servers of npm/package.json that speak over stdio. */
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
  { package: '@playwright/mcp' },
  { package: '@upstash/context7-mcp' },
  { package: 'chrome-devtools-mcp', bin: 'chrome-devtools-mcp' },
  { package: '@notionhq/notion-mcp-server', environment: { NOTION_TOKEN: key } },
  { package: '@supabase/mcp-server-supabase', args: ['--access-token', `sbp_${'0'.repeat(40)}`] },
  { package: '@stripe/mcp', args: ['--api-key', 'rk_test_none'] },
  { package: '@sentry/mcp-server', args: ['--access-token', key] },
  { package: 'firecrawl-mcp', environment: { FIRECRAWL_API_KEY: key } },
  { package: 'exa-mcp-server', environment: { EXA_API_KEY: key } },
  { package: 'airtable-mcp-server', environment: { AIRTABLE_API_KEY: key } },
  { package: '@antv/mcp-server-chart' },
  { package: '@eslint/mcp' },
  { package: '@mui/mcp' },
  { package: 'mcp-server-kubernetes' },
  { package: 'mcp-server-code-runner' },
  { package: '@perplexity-ai/mcp-server', environment: { PERPLEXITY_API_KEY: key } },
  { package: 'figma-developer-mcp', args: ['--stdio', '--figma-api-key', key] },
  { package: 'mcp-server-commands' },
  { package: 'mcp-server-linear', environment: { LINEAR_ACCESS_TOKEN: key } },
];
