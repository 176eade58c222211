import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { refuseInTransaction } from '../../../core/transaction.ts';
import { withoutRoot } from '../../../net/addresses.ts';
import type { Lease } from '../../../store/store.ts';
import { measure } from '../../../telemetry/metrics.ts';

export type HostQueue = ReturnType<typeof createHostQueue>;

interface QueueTarget {
  readonly host: string;
  /** Without the query. */
  readonly address?: string;
}

export interface HostTurn {
  /** Aborted when the process stops, or when another node may have the host. */
  readonly signal: AbortSignal;
  /** For the address of the target, and at most five minutes for the host; without an address, for it. */
  pause(seconds: number): void;
}

type QueueContext = Pick<Context, 'store' | 'clock'>;

const firstWait_ms = 50;
const longestWait_ms = 500;
/** The lease is released after this time without a request. */
const idle_ms = 500;
/** After this time, a node releases a host for which another node waits. */
const tenure_ms = 3000;
const longestHostPause_s = 300;

interface LeasedHost {
  readonly lease: Lease;
  /** By host or address. */
  readonly notBefore: Map<string, string>;
  tail: Promise<unknown>;
  users: number;
  since_ms: number;
  /** The lease was given up; requests that still wait take a new one. */
  isOver: boolean;
  timer: NodeJS.Timeout | undefined;
}

async function until<T>(attempt: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (let pause_ms = firstWait_ms; ; pause_ms = Math.min(longestWait_ms, pause_ms * 2)) {
    signal.throwIfAborted();
    const found = await attempt();
    if (found !== undefined) return found;
    await wait(pause_ms, undefined, { signal });
  }
}

const leaseOf = (host: string) => `host/${host}`;
/** The node that holds it gets the host next. */
const nextOf = (host: string) => `host/${host} next`;

async function takeHost(host: string, { store }: QueueContext, signal: AbortSignal): Promise<Lease> {
  const isAwaited = (await store.leases.find(nextOf(host)))?.isHeld;
  const free = isAwaited ? undefined : await store.leases.take(leaseOf(host));
  if (free) return free;
  await using _next = await until(() => store.leases.take(nextOf(host)), signal);
  return await until(() => store.leases.take(leaseOf(host)), signal);
}

function toPauses({ host, address }: QueueTarget, seconds: number, now: Date): ReadonlyMap<string, string> {
  const at = (s: number) => new Date(now.getTime() + s * 1000).toISOString();
  if (address === undefined) return new Map([[host, at(seconds)]]);
  return new Map([
    [host, at(Math.min(seconds, longestHostPause_s))],
    [address, at(seconds)],
  ]);
}

/** Under the lease of one host it never waits for another, so nodes do not block each other. */
function createHosts(context: QueueContext, signal: AbortSignal) {
  const { store } = context;
  const hosts = new Map<string, Promise<LeasedHost>>();
  const publish = () => measure('dossier_observer_hosts_held', {}, hosts.size);
  const open = async (host: string): Promise<LeasedHost> => {
    const lease = await takeHost(host, context, signal);
    try {
      const notBefore = new Map(await store.observations.pauses(host));
      const started = { users: 0, since_ms: performance.now(), isOver: false, timer: undefined };
      return { lease, notBefore, tail: Promise.resolve(), ...started };
    } catch (error) {
      await lease.release();
      throw error;
    }
  };
  const end = (host: string, leased: LeasedHost) => {
    if (!leased.isOver) hosts.delete(host);
    leased.isOver = true;
    publish();
  };
  const leave = (host: string, leased: LeasedHost) => {
    leased.users -= 1;
    if (leased.users > 0) return;
    if (leased.isOver) return void leased.lease.release();
    leased.timer = setTimeout(() => {
      end(host, leased);
      void leased.lease.release();
    }, idle_ms).unref();
  };
  return {
    async enter(host: string): Promise<LeasedHost> {
      const opening = hosts.get(host) ?? open(host);
      hosts.set(host, opening);
      try {
        const leased = await opening;
        leased.users += 1;
        clearTimeout(leased.timer);
        publish();
        return leased;
      } catch (error) {
        if (hosts.get(host) === opening) hosts.delete(host);
        throw error;
      }
    },
    leave,
    async isOver(host: string, leased: LeasedHost): Promise<boolean> {
      if (leased.isOver) return true;
      if (leased.lease.isOurs()) {
        if (performance.now() - leased.since_ms < tenure_ms) return false;
        leased.since_ms = performance.now();
        if (!(await store.leases.find(nextOf(host)))?.isHeld) return false;
      }
      end(host, leased);
      return true;
    },
    async close() {
      const opened = await Promise.allSettled(hosts.values());
      hosts.clear();
      publish();
      for (const one of opened)
        if (one.status === 'fulfilled') {
          clearTimeout(one.value.timer);
          await one.value.lease.release();
        }
    },
  };
}

const isLater = (time: string | undefined, { clock }: Pick<QueueContext, 'clock'>) =>
  time !== undefined && time > clock().toISOString();

/** The end of the longest pause (RFC 3339). */
export async function pausedUntil(written: readonly string[], context: QueueContext) {
  const hosts = written.map(withoutRoot);
  const pauses = await Promise.all(hosts.map((host) => context.store.observations.pauses(host)));
  const ends = pauses.map((places, at) => places.get(hosts[at] ?? ''));
  return ends
    .filter((end) => isLater(end, context))
    .toSorted()
    .at(-1);
}

/** One request at a time to each host, across all nodes (docs/observations.md). */
export function createHostQueue(context: QueueContext, signal: AbortSignal) {
  const { store, clock } = context;
  const hosts = createHosts(context, signal);
  const pause = async (asked: QueueTarget, { notBefore }: LeasedHost, seconds: number) => {
    const pauses = toPauses(asked, seconds, clock());
    for (const [place, until] of pauses) notBefore.set(place, until);
    await store.write((tx) => tx.observations.putPauses(asked.host, pauses));
  };
  const takeTurn = async <T>(
    asked: QueueTarget,
    leased: LeasedHost,
    work: (turn: HostTurn) => Promise<T>,
  ) => {
    const { host, address = host } = asked;
    signal.throwIfAborted();
    if (await hosts.isOver(host, leased)) return 'over';
    if ([host, address].some((place) => isLater(leased.notBefore.get(place), context))) return 'paused';
    let pause_s = 0;
    const result = await work({
      signal: AbortSignal.any([signal, leased.lease.signal]),
      pause: (seconds) => {
        pause_s = seconds;
      },
    });
    signal.throwIfAborted();
    // Without the lease, the result says nothing about the host.
    if (leased.lease.signal.aborted) return 'over';
    if (pause_s > 0) await pause(asked, leased, pause_s);
    return { result };
  };
  return {
    /** `paused`: nothing ran. Throws the signal's reason once the process stops. */
    async run<T>(place: QueueTarget, work: (turn: HostTurn) => Promise<T>): Promise<T | 'paused'> {
      // With a single database connection, a wait inside a transaction would deadlock.
      refuseInTransaction('a turn at a host');
      const asked = { ...place, host: withoutRoot(place.host) };
      for (;;) {
        const leased = await hosts.enter(asked.host);
        const turn = leased.tail.then(() => takeTurn(asked, leased, work));
        leased.tail = turn.catch(() => undefined);
        const ended = await turn.finally(() => hosts.leave(asked.host, leased));
        if (ended === 'paused') return ended;
        if (ended !== 'over') return ended.result;
      }
    },
    close: () => hosts.close(),
  };
}
