import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openContext } from '../../src/app/server.ts';
import { readConfig } from '../../src/config/config.ts';
import { createApp } from '../../src/http/app.ts';
import type { Fixtures } from '../../src/mcp/http.ts';

/** A service that runs in this process. */
export interface Served {
  /** Address of its MCP endpoint. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves an empty directory without limits on a free port of loopback, with fixtures where they are given.
 */
export async function serve(fixtures?: Fixtures): Promise<Served> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = { PORT: String(port), REGISTRY_URL: 'off', DATABASE_URL: ':memory:', LIMITS: 'off' };
  const context = await openContext(
    readConfig({ ...settings, LOG_LEVEL: 'silent' }, '0.0.0-conformance'),
    'make',
  );
  const app = createApp(context, { fixtures, answerCache_bytes: 0 });
  server.on('request', app.toListener());
  return {
    url: `${context.config.publicUrl}/api/mcp`,
    async stop() {
      await app.close();
      server.closeAllConnections();
      server.close();
      await context.store.close();
    },
  };
}
