import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Timeouts } from './config/timeouts.ts';
import type { FairPool } from './core/fair-pool.ts';
import type { CheckpointCache } from './log/checkpoints.ts';
import type { createDomainReader } from './net/domains.ts';
import type { RepositoryReader } from './net/repositories.ts';
import type { Store } from './store/store.ts';

export interface Caller {
  /**
   * The IPv4 address or IPv6 /64 of the caller, for limits and blocks; `local` for the command line and
   * stdio. It is stored in clear only if the operator blocks it.
   */
  readonly network: string;
  /** 'conflict' if two headers have different capabilities. */
  readonly capability?: string | 'conflict';
  /**
   * Set if nobody waits for the answer, because a crawler asks, a browser prefetches, or the method is HEAD.
   */
  readonly isAutomatic?: true;
}

/** A check that a maintainer asked for. `root` is the control root of the claim. */
export interface AskedCheck {
  readonly handle: string;
  readonly root: string;
}

export interface ReadListing {
  readonly handle: string;
  readonly remotes: readonly { readonly url: string }[];
  readonly observed_at: string | null;
  /** The time at which the record changed, if that was after the last check. */
  readonly due_since?: string | null | undefined;
  readonly network: string;
}

export interface Searches {
  /**
   * Throws rate_limited before the search begins, or unavailable if too many searches wait. `listings` are
   * the listings that the caller names.
   */
  run<T>(
    asked: { readonly network: string; readonly now_ms: number; readonly listings?: number },
    search: () => Promise<T>,
  ): Promise<T>;
}

/**
 * Each request gets a copy of the context with its own caller (`withCaller`). `store.close()` closes the
 * context.
 */
export interface Context {
  readonly config: Config;
  readonly store: Store;
  /** Reads files in repositories at the configured hosts. */
  readonly repositories: RepositoryReader;
  /** Reads what the domains of namespaces publish. */
  readonly domains: ReturnType<typeof createDomainReader>;
  /** The claim checks that run in this process, by listing and location (claims/checks/shared.ts). */
  readonly runningChecks: Map<string, Promise<unknown>>;
  /**
   * The members are present while this process observes (OBSERVE). `add` requests that a listing be checked
   * soon. It returns false if too many requested checks wait. `read` requests a check of a listing that
   * somebody reads, if the check is due and the limits allow it. It returns whether a check of the listing is
   * queued or runs in this process.
   */
  readonly askedChecks: {
    add?: (asked: AskedCheck) => boolean;
    read?: (listing: ReadListing) => boolean;
  };
  /** Orders the claim checks of this process. */
  readonly checkTurns: FairPool;
  readonly searches: Searches;
  readonly checkpoints: CheckpointCache;
  readonly log: Logger;
  /** The only clock that handlers read. */
  readonly clock: () => Date;
  readonly timeouts: Timeouts;
  readonly caller: Caller;
  /**
   * The time, in ms since 1970, at which data that this request has read changes without a write. It is
   * undefined if no reader noted such a time.
   */
  readonly reading: { changesAt_ms?: number };
}

export const withCaller = (context: Context, caller: Caller): Context => ({
  ...context,
  caller,
  reading: {},
});

/**
 * Notes the time at which data that a request has read changes without a write. If several times are noted,
 * the earliest counts.
 */
export function noteChange({ reading }: Pick<Context, 'reading'>, at_ms: number): void {
  reading.changesAt_ms = Math.min(reading.changesAt_ms ?? at_ms, at_ms);
}

/**
 * How long the data that a request has read stays the same without a write, at least 1 ms. The result is
 * undefined if no reader noted a change.
 */
export const unchangedFor_ms = ({ reading, clock }: Context): number | undefined =>
  reading.changesAt_ms && Math.max(1, reading.changesAt_ms - clock().getTime());
