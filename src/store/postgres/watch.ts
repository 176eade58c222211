import { randomInt } from 'node:crypto';
import { Client, type ClientConfig } from 'pg';
import { z } from 'zod';
import { readObject } from '../../core/json.ts';
import type { ChangedHandles } from '../store.ts';
import { keepSession, type Session } from './connection.ts';

const longestPayload_bytes = 7500;
/** Beyond, everything counts as changed. */
const mostPayloads = 8;

const notification = z.object({
  node: z.number(),
  changed: z.union([z.literal('all'), z.array(z.string()).readonly()]),
});
type Notification = z.infer<typeof notification>;

const sizeOf_bytes = (handle: string) => Buffer.byteLength(handle) + 3;

function groupHandles(handles: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  let size_bytes = 0;
  for (const handle of handles) {
    size_bytes += sizeOf_bytes(handle);
    if (size_bytes > longestPayload_bytes) {
      groups.push([]);
      size_bytes = sizeOf_bytes(handle);
    }
    groups.at(-1)?.push(handle);
  }
  return groups;
}

function toPayloads(node: number, changed: ChangedHandles): string[] {
  const groups = changed === 'all' ? [] : groupHandles(changed);
  return changed === 'all' || groups.length > mostPayloads
    ? [JSON.stringify({ node, changed: 'all' })]
    : groups.map((handles) => JSON.stringify({ node, changed: handles }));
}

/** Any client may send one. Of an unknown form, everything counts as changed. */
const parsePayload = (payload: string): Notification =>
  notification.safeParse(readObject(payload)).data ?? { node: 0, changed: 'all' };

const channel = 'dossier_changed';
/** Of advisory locks that show which nodes run; the second key is a node's number. */
const nodeLocks = 0x646f7373;
const queryTimeout_ms = 1500;

type WatchListener = (changed: ChangedHandles) => void;

/** $1 is a node, whose session holds the lock. */
export const isPresentQuery = `select exists(select from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid = ${nodeLocks} and objid = $1) as present`;

async function openSession(
  config: ClientConfig,
  node: number,
  onNotification: (received: Notification) => void,
): Promise<Session> {
  const client = new Client({ ...config, query_timeout: queryTimeout_ms });
  const lost = Promise.withResolvers<void>();
  client.on('error', () => lost.resolve()).on('end', () => lost.resolve());
  client.on('notification', ({ payload = '' }) => onNotification(parsePayload(payload)));
  try {
    await client.connect();
    await client.query('select pg_advisory_lock_shared($1, $2)', [nodeLocks, node]);
    await client.query(`listen ${channel}`);
    return { client, lost: lost.promise };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

const subscribeTo = (listeners: Set<WatchListener>) => (listener: WatchListener) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/**
 * Its lock shows that this node runs. When it was lost everything counts as changed, because notifications
 * may be missing.
 */
export async function openWatch(config: ClientConfig) {
  const node = randomInt(1, 2 ** 31);
  const listeners = { own: new Set<WatchListener>(), foreign: new Set<WatchListener>() };
  const publish = (received: Notification) => {
    for (const listener of received.node === node ? listeners.own : listeners.foreign)
      listener(received.changed);
  };
  const open = () => openSession(config, node, publish);
  const close = await keepSession(open, () => publish({ node: 0, changed: 'all' }));
  return {
    node,
    /** Received after the commit. */
    async announce(
      run: (text: string, values: readonly unknown[]) => Promise<unknown>,
      changed: ChangedHandles,
    ) {
      for (const payload of toPayloads(node, changed))
        await run('select pg_notify($1, $2)', [channel, payload]);
    },
    onChange: subscribeTo(listeners.foreign),
    /** When other sessions can read them. */
    onOwnChange: subscribeTo(listeners.own),
    close,
  };
}
