import { importInThread, importSample, startImports } from '../app/import-schedule.ts';
import { openContext } from '../app/server.ts';
import type { Config } from '../config/config.ts';
import { withCaller } from '../context.ts';
import { serveStdioMcp } from '../mcp/server.ts';

/** DOSSIER_CAPABILITY is the one caller's. Without PUBLIC_URL, links are MCP resources. */
export async function runStdio(config: Config, { PUBLIC_URL, DOSSIER_CAPABILITY }: NodeJS.ProcessEnv) {
  const opened = await openContext({ ...config, hasPages: Boolean(PUBLIC_URL) }, 'make');
  const caller = { ...opened.caller, ...(DOSSIER_CAPABILITY && { capability: DOSSIER_CAPABILITY }) };
  const context = withCaller(opened, caller);
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
