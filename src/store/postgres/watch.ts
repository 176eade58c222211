import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import type { ChangedHandles } from '../store.ts';

const channel = 'dossier_written';
/** Sets our locks on nodes apart from all others in the database. */
const nodeLocks = 0x646f7373;
const heartbeat_ms = 1000;
const silent_ms = 1500;
const firstPause_ms = 50;
const longestPause_ms = 1000;
/** What fits into one notification (8,000 bytes), and how many are sent before all is said at once. */
const payloadBytes = 7500;
const mostPayloads = 8;

interface Payload {
  readonly node: number;
  readonly written: ChangedHandles;
}

const payloadForm = (heard: unknown): heard is Payload => {
  const { node, written } = (heard ?? {}) as Partial<Payload>;
  const isNamed = Array.isArray(written) && written.every((handle) => typeof handle === 'string');
  return typeof node === 'number' && (written === 'all' || isNamed);
};

/** What a notification says; one that is not of this form may come from anybody, and says that anything changed. */
function readPayload(text: string): Payload {
  try {
    const heard: unknown = JSON.parse(text);
    if (payloadForm(heard)) return heard;
  } catch {}
  return { node: 0, written: 'all' };
}

type Run = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** Handles in notifications that each fit, or one that says all. */
function toPayloads(node: number, written: ChangedHandles): string[] {
  const whole = JSON.stringify({ node, written: 'all' } satisfies Payload);
  if (written === 'all') return [whole];
  const parts: string[][] = [[]];
  let bytes = 0;
  for (const handle of written) {
    bytes += Buffer.byteLength(handle) + 3;
    if (bytes > payloadBytes) parts.push([]);
    if (bytes > payloadBytes) bytes = Buffer.byteLength(handle) + 3;
    parts.at(-1)?.push(handle);
  }
  if (parts.length > mostPayloads) return [whole];
  return parts.map((handles) => JSON.stringify({ node, written: handles } satisfies Payload));
}

/** A session of our own that hears what other nodes wrote, and whose lock shows others that this node is there. */
export interface Watch {
  /** The name of this node among those on the database. */
  readonly node: number;
  /** Tells the other nodes; inside the transaction, so that they hear it when it is committed and only then. */
  announce(run: Run, written: ChangedHandles): Promise<void>;
  onChange(listener: (written: ChangedHandles) => void): () => void;
  /** The same of this node's own writes, as PostgreSQL says them: after others may have read them. */
  onOwnChange(listener: (written: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}

/** The condition under which a node with a number is there: its session holds its lock. Parameter 1 is the number. */
export const isPresentQuery = `select exists(select from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid = ${nodeLocks} and objid = $1) as present`;

/**
 * Opens the session and keeps it: where it is lost it is opened again, in at most a second once PostgreSQL answers, and
 * everything counts as written then, for nobody knows what was missed.
 */
export async function openWatch(config: ClientConfig): Promise<Watch> {
  const node = randomInt(1, 2 ** 31);
  const listeners = new Set<(written: ChangedHandles) => void>();
  const ownListeners = new Set<(written: ChangedHandles) => void>();
  const tell = (written: ChangedHandles) => {
    for (const listener of listeners) listener(written);
  };
  const stopped = new AbortController();
  let client: Client | undefined;

  /** Answers what resolves once the session is lost. */
  const open = async (): Promise<{ lost: Promise<void> }> => {
    const fresh = new Client({ ...config, query_timeout: silent_ms });
    const lost = Promise.withResolvers<void>();
    fresh.on('error', () => lost.resolve()).on('end', () => lost.resolve());
    fresh.on('notification', ({ payload = '' }) => {
      const heard = readPayload(payload);
      if (heard.node !== node) tell(heard.written);
      else for (const listener of ownListeners) listener(heard.written);
    });
    try {
      await fresh.connect();
      await fresh.query('select pg_advisory_lock_shared($1, $2)', [nodeLocks, node]);
      await fresh.query(`listen ${channel}`);
      stopped.signal.throwIfAborted();
    } catch (error) {
      await fresh.end().catch(() => undefined);
      throw error;
    }
    client = fresh;
    return { lost: lost.promise };
  };

  const beat = async () => {
    while (!stopped.signal.aborted) {
      await wait(heartbeat_ms, undefined, { signal: stopped.signal, ref: false });
      const beaten = client;
      await beaten?.query('select 1').catch(() => beaten.end());
    }
  };

  const keep = async (first: Promise<void>) => {
    await first;
    for (let pause_ms = firstPause_ms; !stopped.signal.aborted; ) {
      try {
        const { lost } = await open();
        tell('all');
        pause_ms = firstPause_ms;
        await lost;
      } catch {
        await wait(pause_ms, undefined, { signal: stopped.signal, ref: false });
        pause_ms = Math.min(pause_ms * 2, longestPause_ms);
      }
    }
  };

  const { lost } = await open();
  const kept = Promise.allSettled([keep(lost), beat()]);
  return {
    node,
    async announce(run, written) {
      for (const payload of toPayloads(node, written))
        await run('select pg_notify($1, $2)', [channel, payload]);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onOwnChange(listener) {
      ownListeners.add(listener);
      return () => ownListeners.delete(listener);
    },
    async close() {
      stopped.abort();
      await client?.end().catch(() => undefined);
      await kept;
    },
  };
}
