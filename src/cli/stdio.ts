import type { Config } from '../config.ts';
import { serveStdioMcp } from '../mcp.ts';
import { openContext } from '../server.ts';

/** Serves MCP on standard input and output until the client goes; logs go to stderr. */
export async function runStdio(config: Config): Promise<void> {
  const context = await openContext(config);
  await serveStdioMcp(context);
  await context.store.close();
}
