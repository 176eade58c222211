import type { Timeouts } from '../../config/timeouts.ts';
import { withoutRoot } from '../../net/addresses.ts';
import type { Failed, OutboundClient } from '../../net/client.ts';
import type { HostQueue, Turn } from './host-queue.ts';

/** Time that all that is asked of a host, or in a run, shares. Waiting for a turn and for the name of a host takes none of it. */
export interface TimeLeft {
  left_ms: number;
  /** Why nothing is sent to a host once there is none left. */
  readonly spent: (host: string) => string;
}

/** The times of one run: for each URL that of its host and that of the whole run. */
export function createTimes({
  observerHost_ms,
  observerCheck_ms,
}: Pick<Timeouts, 'observerHost_ms' | 'observerCheck_ms'>): (url: string) => readonly TimeLeft[] {
  const run: TimeLeft = {
    left_ms: observerCheck_ms,
    spent: (host) =>
      `The hosts of this service took all the time that Dossier gives one check; ${host} was not asked any more.`,
  };
  const hosts = new Map<string, TimeLeft>();
  return (url) => {
    const name = withoutRoot(URL.parse(url)?.host ?? '');
    const host = hosts.get(name) ?? {
      left_ms: observerHost_ms,
      spent: (asked) => `${asked} took all the time that Dossier gives one host in one check.`,
    };
    hosts.set(name, host);
    return [host, run];
  };
}

/** How long a host may be asked in one turn. */
interface Limits {
  readonly most_ms: number;
  /** What the turn takes is taken from each; where one has none left, nothing is asked. */
  readonly times?: readonly TimeLeft[];
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** Belongs to a request that still has its turn at the host, so it waits for none. */
  readonly beside?: true | undefined;
}

/** Why a host was not asked in its turn: it asked for a pause, the time is used up, or nothing can be sent to it. */
export type NotAsked = 'paused' | 'overtime' | Failed;

/** The turn of a request beside another one, whose turn ends it. */
const besideTurn: Turn = { signal: new AbortController().signal, pause: () => undefined };

/** What everything that is asked of a host goes through: its turn there, the resolution of its name, and the time that is left. */
export const createTurns =
  ({
    client,
    queue,
    pauses,
  }: {
    readonly client: OutboundClient;
    readonly queue: HostQueue;
    /** Whether an answer with Retry-After is about the address asked, or about all of its host. */
    readonly pauses: 'address' | 'host';
  }) =>
  /** Asks until the signal of the turn it is given. Throws the reason of the queue's signal, and what `ask` throws. */
  <T>(
    url: URL,
    { most_ms, times = [], signal, beside }: Limits,
    ask: (turn: Turn) => Promise<T>,
  ): Promise<T | NotAsked> => {
    const inTurn = async (turn: Turn): Promise<T | NotAsked> => {
      const left_ms = Math.min(most_ms, ...times.map((time) => time.left_ms));
      if (left_ms <= 0) return 'overtime';
      const end = signal ? AbortSignal.any([turn.signal, signal]) : turn.signal;
      const failed = await client.whyUnsent(url, end);
      if (failed) return failed;
      const started = performance.now();
      try {
        const deadline = AbortSignal.any([end, AbortSignal.timeout(Math.ceil(left_ms))]);
        return await ask({ ...turn, signal: deadline });
      } finally {
        for (const time of times) time.left_ms -= performance.now() - started;
      }
    };
    const { host, origin, pathname } = url;
    const asked = { host, ...(pauses === 'address' && { address: `${origin}${pathname}` }) };
    return beside ? inTurn(besideTurn) : queue.run<T | NotAsked>(asked, inTurn);
  };
