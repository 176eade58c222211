import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';

/** Waits for a turn at a host, runs `work`, and passes the turn on; `pause_s` asks everyone to leave the host alone. */
export interface HostQueue {
  run<T>(host: string, work: (turn: Turn) => Promise<T>): Promise<T | 'paused'>;
  /** Returns the hosts that this process holds. */
  close(): Promise<void>;
}

/** A turn at a host. */
export interface Turn {
  /** The host asked for a pause (Retry-After): until then every request to it is refused. */
  pause(seconds: number): void;
}

type QueueContext = Pick<Context, 'store' | 'clock'>;

const firstWait_ms = 50;
const longestWait_ms = 5000;
/** A host that nobody asks any more is given back after this time. */
const idle_ms = 2000;

interface Held {
  tail: Promise<unknown>;
  lease: { readonly owner: string; end(): void };
  waiting: number;
  notBefore: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Takes the lease of a host; waits while another node holds it. */
async function acquire(host: string, { store }: QueueContext): Promise<Held> {
  for (let pause_ms = firstWait_ms; ; pause_ms = Math.min(longestWait_ms, pause_ms * 2)) {
    const known = await store.observations.host(host);
    const isFree = known?.owner === undefined || !(await store.leases.isHeld(known.owner));
    if (isFree) {
      const lease = store.leases.take();
      const taken = await store.write(async (tx) => {
        const now = await tx.observations.host(host);
        if (now?.owner !== known?.owner) return undefined;
        await tx.observations.putHost({ host, owner: lease.owner, not_before: now?.not_before });
        return { not_before: now?.not_before };
      });
      if (taken)
        return { lease, notBefore: taken.not_before, tail: Promise.resolve(), waiting: 0, timer: undefined };
      lease.end();
    }
    await wait(pause_ms);
  }
}

/**
 * One request at a time to each host, over all nodes: a node holds the lease of a host while it has work there
 * (docs/observations.md). A node that dies loses its leases with its presence.
 */
export function createHostQueue(context: QueueContext): HostQueue {
  const hosts = new Map<string, Promise<Held>>();
  const release = async (host: string, held: Held) => {
    clearTimeout(held.timer);
    hosts.delete(host);
    held.lease.end();
    await context.store.write((tx) =>
      tx.observations.putHost({ host, owner: undefined, not_before: held.notBefore }),
    );
  };
  const rest = (host: string, held: Held) => {
    if (held.waiting > 0) return;
    held.timer = setTimeout(() => void release(host, held).catch(() => undefined), idle_ms).unref();
  };
  const enter = async (host: string): Promise<Held> => {
    let opening = hosts.get(host);
    if (!opening) {
      opening = acquire(host, context);
      hosts.set(host, opening);
      opening.catch(() => hosts.delete(host));
    }
    const held = await opening;
    held.waiting += 1;
    clearTimeout(held.timer);
    return held;
  };
  const isPaused = ({ notBefore }: Held) =>
    notBefore !== undefined && notBefore > context.clock().toISOString();
  return {
    async run(host, work) {
      const held = await enter(host);
      const turn: Turn = {
        pause: (seconds) => {
          held.notBefore = new Date(context.clock().getTime() + seconds * 1000).toISOString();
        },
      };
      const done = held.tail.then(async () => (isPaused(held) ? ('paused' as const) : await work(turn)));
      held.tail = done.catch(() => undefined);
      try {
        return await done;
      } finally {
        held.waiting -= 1;
        rest(host, held);
      }
    },
    async close() {
      for (const [host, opening] of [...hosts]) await release(host, await opening);
    },
  };
}
