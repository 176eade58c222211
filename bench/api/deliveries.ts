import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import { cpuTime_ms } from '../machine.ts';
import { startService } from '../server.ts';

const changes = 5000;
const posts = 2000;

/**
 * Messages a second to one address on loopback, and POSTs of the same size one after the other by the same
 * client.
 */
export interface DeliveryRates {
  readonly delivered: number;
  /** Processor time of the service for one message. */
  readonly cpu_us: number;
  readonly bare: number;
}

/** A receiver that repeats challenges, accepts everything else, and counts it. */
async function startCounting() {
  const counted = { messages: 0, last_ms: 0 };
  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const { challenge } = JSON.parse(body) as { challenge?: string };
    if (challenge !== undefined) return outgoing.end(JSON.stringify({ challenge }));
    counted.messages += 1;
    counted.last_ms = performance.now();
    return outgoing.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { counted, url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function addChanges(databaseUrl: string): Promise<void> {
  const store = await openSqliteStore(databaseUrl);
  const at = new Date().toISOString();
  const change = { type: 'listing.changed', at, data: { version: '1.0.0', fields: ['version'] } } as const;
  const added = Array.from({ length: changes }, (_, n) => ({ ...change, handle: `com.example/n${n % 50}` }));
  await store.write((tx) => tx.changes.add(added));
  await store.close();
}

async function postBare(url: string): Promise<number> {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  const began_ms = performance.now();
  for (let sent = 0; sent < posts; sent += 1) {
    const { body } = await request(url, {
      dispatcher,
      method: 'POST',
      body: JSON.stringify({ x: 'x'.repeat(200) }),
    });
    await body.dump();
  }
  await dispatcher.close();
  return (posts / (performance.now() - began_ms)) * 1000;
}

/** Adds changes to a SQLite database that a service serves, and times from the first message to the last. */
export async function measureDeliveries(databaseUrl: string): Promise<DeliveryRates> {
  const receiver = await startCounting();
  const environment = { WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': receiver.url }) };
  const service = await startService(databaseUrl, { environment });
  try {
    const registered = await fetch(`${service.url}/api/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"url":"https://hook.example/in"}',
    });
    if (registered.status !== 200) throw new Error(`not registered: ${await registered.text()}`);
    await addChanges(databaseUrl);
    while (receiver.counted.messages === 0) await wait(1);
    const began_ms = performance.now();
    const cpu_ms = cpuTime_ms(service.pid) ?? 0;
    while (receiver.counted.messages < changes) await wait(20);
    const delivered = ((changes - 1) / (receiver.counted.last_ms - began_ms)) * 1000;
    const cpu_us = (((cpuTime_ms(service.pid) ?? 0) - cpu_ms) * 1000) / changes;
    return { delivered, cpu_us, bare: await postBare(receiver.url) };
  } finally {
    await service.stop();
    receiver.close();
  }
}
