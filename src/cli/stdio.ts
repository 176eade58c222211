import type { Config } from '../config/config.ts';
import { serveStdioMcp } from '../mcp/server.ts';
import { importSample, startImports } from '../registry/schedule.ts';
import { importInThread } from '../registry/worker.ts';
import { openContext } from '../server.ts';

/**
 * Serves MCP on standard input and output until the client goes; logs go to stderr. Where there are no listings yet the
 * shipped sample is there before the first answer; imports run in the background as in `serve`.
 */
export async function runStdio(config: Config): Promise<void> {
  const context = await openContext(config);
  const stopping = new AbortController();
  await importSample(context, stopping.signal);
  const imports = startImports(context, stopping.signal, importInThread);
  try {
    await serveStdioMcp(context);
  } finally {
    stopping.abort();
    await imports;
    await context.store.close();
  }
}
