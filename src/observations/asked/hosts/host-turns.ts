import type { Timeouts } from '../../../config/timeouts.ts';
import { code, say, type Words } from '../../../core/words.ts';
import { withoutRoot } from '../../../net/addresses.ts';
import type { FailedRequest, OutboundClient } from '../../../net/client.ts';
import type { HostQueue, HostTurn } from './host-queue.ts';

/** Waiting for a turn and for a name do not count. */
export interface TimeBudget {
  left_ms: number;
  readonly spent: (host: string) => Words;
}

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
  /** If one of the budgets is spent, nothing is sent. */
  readonly times?: readonly TimeBudget[];
  readonly signal?: AbortSignal | undefined;
  readonly beside?: true | undefined;
}

export type NotAsked = 'paused' | 'overtime' | FailedRequest;

const besideTurn: HostTurn = { signal: new AbortController().signal, pause: () => undefined };

export const createHostTurns =
  ({
    client,
    queue,
    pauses,
  }: {
    readonly client: OutboundClient;
    readonly queue: HostQueue;
    readonly pauses: 'address' | 'host';
  }) =>
  /** Throws the reason of the queue's signal, and whatever `ask` throws. */
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
