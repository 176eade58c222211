import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createStoreGauges, measureHttp, measureWork, type ReadStoreFigures } from './instruments.ts';
import { measureObserver } from './observer-instruments.ts';

/** A listener that answers `GET /metrics` in the text form of Prometheus. */
export interface Metrics {
  readonly url: string;
  stop(): Promise<void>;
}

/** Names of this machine, which no DNS entry of another site can take over. */
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Measures this process and its HTTP servers from now on and serves the figures to Prometheus on a listener of its own.
 * Throws what listening throws.
 */
export async function startMetrics(
  listener: ListenOptions,
  readStoreFigures: ReadStoreFigures,
): Promise<Metrics> {
  const registry = new Registry();
  const gauges = createStoreGauges([registry], readStoreFigures);
  let isLoopback = true;
  const server = createServer(async ({ method, url, headers }, response) => {
    const isNamed = !isLoopback || loopbackHost.test(headers.host ?? '');
    if (method !== 'GET' || url !== '/metrics' || !isNamed)
      return void response.writeHead(404).end('GET /metrics\n');
    await gauges.read();
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  });
  server.listen(listener);
  await once(server, 'listening');
  isLoopback = /^(127\.|::1$)/.test((server.address() as AddressInfo).address);
  collectDefaultMetrics({ register: registry });
  const undo = [measureHttp([registry], server), measureWork([registry]), measureObserver([registry])];
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`,
    async stop() {
      for (const end of undo) end();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
