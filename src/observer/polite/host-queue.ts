import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { heldHosts } from '../../observability/events.ts';

/** Waits for a turn at a host, runs `work`, and passes the turn on; `pause_s` asks everyone to leave the host alone. */
export interface HostQueue {
  run<T>(host: string, work: (turn: Turn) => Promise<T>): Promise<T | 'paused'>;
  /** Keeps a host for this node during `work`; 'elsewhere' at once while another node has it. */
  hold<T>(host: string, work: () => Promise<T>): Promise<T | 'elsewhere'>;
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
  /** Requests and holders that keep the lease. */
  users: number;
  notBefore: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Takes the lease of a host; undefined while another node holds it. */
async function tryAcquire(host: string, { store }: QueueContext): Promise<Held | undefined> {
  const known = await store.observations.host(host);
  if (known?.owner !== undefined && (await store.leases.isHeld(known.owner))) return undefined;
  const lease = store.leases.take();
  const taken = await store.write(async (tx) => {
    const now = await tx.observations.host(host);
    if (now?.owner !== known?.owner) return undefined;
    await tx.observations.putHost({ host, owner: lease.owner, not_before: now?.not_before });
    return { not_before: now?.not_before };
  });
  if (taken)
    return { lease, notBefore: taken.not_before, tail: Promise.resolve(), users: 0, timer: undefined };
  lease.end();
  return undefined;
}

/**
 * One request at a time to each host, over all nodes: a node holds the lease of a host while it has work there
 * (docs/observations.md). A node that dies loses its leases with its presence.
 */
export function createHostQueue(context: QueueContext): HostQueue {
  const hosts = new Map<string, Promise<Held | undefined>>();
  const release = async (host: string, held: Held) => {
    clearTimeout(held.timer);
    hosts.delete(host);
    heldHosts.publish({ hosts: hosts.size });
    held.lease.end();
    await context.store.write((tx) =>
      tx.observations.putHost({ host, owner: undefined, not_before: held.notBefore }),
    );
  };
  const rest = (host: string, held: Held) => {
    if (held.users > 0) return;
    held.timer = setTimeout(() => void release(host, held).catch(() => undefined), idle_ms).unref();
  };
  const use = (held: Held) => {
    held.users += 1;
    clearTimeout(held.timer);
    return held;
  };
  /** The host if this node has it or can have it now. */
  const tryEnter = async (host: string): Promise<Held | undefined> => {
    const opening = hosts.get(host) ?? tryAcquire(host, context);
    hosts.set(host, opening);
    const held = await opening.catch((error: unknown) => {
      hosts.delete(host);
      throw error;
    });
    if (!held) hosts.delete(host);
    heldHosts.publish({ hosts: hosts.size });
    return held && use(held);
  };
  const enter = async (host: string): Promise<Held> => {
    for (let pause_ms = firstWait_ms; ; pause_ms = Math.min(longestWait_ms, pause_ms * 2)) {
      const held = await tryEnter(host);
      if (held) return held;
      await wait(pause_ms);
    }
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
        held.users -= 1;
        rest(host, held);
      }
    },
    async hold(host, work) {
      const held = await tryEnter(host);
      if (!held) return 'elsewhere';
      try {
        return await work();
      } finally {
        held.users -= 1;
        rest(host, held);
      }
    },
    async close() {
      for (const [host, opening] of [...hosts]) {
        const held = await opening;
        if (held) await release(host, held);
      }
    },
  };
}
