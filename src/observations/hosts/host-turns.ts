import type { Timeouts } from '../../config/timeouts.ts';
import { code, say, type Words } from '../../core/words.ts';
import { withoutRoot } from '../../net/addresses.ts';
import type { FailedRequest, OutboundClient } from '../../net/client.ts';
import type { HostQueue, HostTurn } from './host-queue.ts';

/**
 * A time budget that all requests to a host, or all requests of a check, share. Waiting for a turn and
 * resolving a name cost nothing.
 */
export interface TimeBudget {
  left_ms: number;
  /** The reason why a host is asked nothing more once the budget is spent. */
  readonly spent: (host: string) => Words;
}

/**
 * Creates the budgets of one check. The result returns, for a URL, the budget of its host and the budget of
 * the whole check.
 */
export function createTimeBudgets({
  observerHost_ms,
  observerCheck_ms,
}: Pick<Timeouts, 'observerHost_ms' | 'observerCheck_ms'>): (url: string) => readonly TimeBudget[] {
  const run: TimeBudget = {
    left_ms: observerCheck_ms,
    spent: (host) =>
      say`The hosts of this service used up the time that Dossier gives one check, so ${code(host)} was asked nothing more.`,
  };
  const hosts = new Map<string, TimeBudget>();
  return (url) => {
    const name = withoutRoot(URL.parse(url)?.host ?? '');
    const host = hosts.get(name) ?? {
      left_ms: observerHost_ms,
      spent: (asked) => say`${code(asked)} used up the time that Dossier gives one host in one check.`,
    };
    hosts.set(name, host);
    return [host, run];
  };
}

interface TurnLimits {
  readonly most_ms: number;
  /** The duration of the turn is taken from each budget; nothing is sent if one of them is spent. */
  readonly times?: readonly TimeBudget[];
  readonly signal?: AbortSignal | undefined;
  /** The request accompanies one that has the turn at the host, so it does not wait. */
  readonly beside?: true | undefined;
}

/**
 * The reason why no request was sent: the host asked for a pause, a budget is spent, or it cannot be reached.
 */
export type NotAsked = 'paused' | 'overtime' | FailedRequest;

/** The turn of an accompanying request: the turn of the main request bounds both. */
const besideTurn: HostTurn = { signal: new AbortController().signal, pause: () => undefined };

/** Creates the function that lets a request wait for its turn, resolves the name, and charges the budgets. */
export const createHostTurns =
  ({
    client,
    queue,
    pauses,
  }: {
    readonly client: OutboundClient;
    readonly queue: HostQueue;
    /** Whether Retry-After applies to the requested address or to its whole host. */
    readonly pauses: 'address' | 'host';
  }) =>
  /**
   * Calls `ask` in a turn whose signal is the deadline. Throws the reason of the queue's signal, and whatever
   * `ask` throws.
   */
  <T>(
    url: URL,
    { most_ms, times = [], signal, beside }: TurnLimits,
    ask: (turn: HostTurn) => Promise<T>,
  ): Promise<T | NotAsked> => {
    const inTurn = async (turn: HostTurn): Promise<T | NotAsked> => {
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
