import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Timeouts } from './config/timeouts.ts';
import type { FairPool } from './core/fair-pool.ts';
import type { CheckpointCache } from './log/checkpoints.ts';
import type { createDomainReader } from './net/domains.ts';
import type { RepositoryReader } from './net/git.ts';
import type { Store } from './store/store.ts';

export interface Caller {
  /**
   * IPv4 or IPv6 /64, for limits and blocks; `local` for the command line and stdio. Stored in clear only if
   * the operator blocks it.
   */
  readonly network: string;
  /** 'conflict' if two headers differ. */
  readonly capability?: string | 'conflict';
  /** Nobody waits: a crawler, a prefetch, or HEAD. */
  readonly isAutomatic?: true;
}

/** Asked for by a maintainer; `root` is the control root of the claim. */
export type AskedCheck = Readonly<Record<'handle' | 'root', string>>;

export interface ReadListing {
  readonly handle: string;
  readonly remotes: readonly { readonly url: string }[];
  readonly observed_at: string | null;
  /** When the record changed, if after the last check. */
  readonly due_since?: string | null | undefined;
  readonly network: string;
}

export interface Searches {
  /**
   * `listings` are named by the caller. Throws rate_limited before the search, or unavailable if too many
   * wait.
   */
  run<T>(
    asked: { readonly network: string; readonly now_ms: number; readonly listings?: number },
    search: () => Promise<T>,
  ): Promise<T>;
}

/** Each request gets a copy with its own caller; `store.close()` closes it. */
export interface Context {
  readonly config: Config;
  readonly store: Store;
  readonly repositories: RepositoryReader;
  /** What the domains of namespaces publish. */
  readonly domains: ReturnType<typeof createDomainReader>;
  /** By listing and location (claims/checks/check.ts). */
  readonly runningChecks: Map<string, Promise<unknown>>;
  /**
   * Present while this process observes (OBSERVE). `add` is false if too many requested checks wait. `read`
   * checks what somebody reads if that is due and within limits, and tells whether a check is queued or runs.
   */
  readonly askedChecks: {
    add?: (asked: AskedCheck) => boolean;
    read?: (listing: ReadListing) => boolean;
  };
  /** Orders claim checks. */
  readonly checkTurns: FairPool;
  readonly searches: Searches;
  readonly checkpoints: CheckpointCache;
  readonly log: Logger;
  /** The only clock that handlers read. */
  readonly clock: () => Date;
  readonly timeouts: Timeouts;
  readonly caller: Caller;
  /** When data that this request has read changes without a write, in ms since 1970. */
  readonly reading: { changesAt_ms?: number };
}

export const withCaller = (context: Context, caller: Caller): Context => ({
  ...context,
  caller,
  reading: {},
});

/** The earliest time counts. */
export function noteChange({ reading }: Pick<Context, 'reading'>, at_ms: number): void {
  reading.changesAt_ms = Math.min(reading.changesAt_ms ?? at_ms, at_ms);
}

/** At least 1 ms; undefined if no reader noted a change. */
export const unchangedFor_ms = ({ reading, clock }: Context): number | undefined =>
  reading.changesAt_ms && Math.max(1, reading.changesAt_ms - clock().getTime());
