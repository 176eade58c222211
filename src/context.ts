import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Timeouts } from './config/timeouts.ts';
import type { FairPool } from './core/fair-pool.ts';
import type { CheckpointCache } from './log/checkpoints.ts';
import type { createDomainReader } from './net/domains.ts';
import type { RepositoryReader } from './net/repositories.ts';
import type { Store } from './store/store.ts';

/** The caller, as far as the adapter could tell. */
export interface Caller {
  /** The IPv4 address or IPv6 /64. It serves limits only and is never stored. */
  readonly network: string;
  /** The capability that a header sent; 'conflict' if two headers sent different ones. */
  readonly capability?: string | 'conflict';
  /** Nobody waits for the answer: the caller is a crawler, a prefetch, or sends HEAD. */
  readonly isAutomatic?: true;
}

/** A listing that its maintainer wants checked, and the control root of its claim. */
export interface AskedCheck {
  readonly handle: string;
  readonly root: string;
}

/** A listing that somebody in a network reads, and when it was last checked. */
export interface ReadListing {
  readonly handle: string;
  readonly remotes: readonly { readonly url: string }[];
  readonly observed_at: string | null;
  /** When its record changed after the last check. */
  readonly due_since?: string | null | undefined;
  readonly network: string;
}

/** Runs searches by words or facets as this process allows (limits/searches.ts). */
export interface Searches {
  /** Runs a search for a network. Throws rate_limited, or unavailable if too many wait, before it begins. */
  run<T>(asked: { readonly network: string; readonly now_ms: number }, search: () => Promise<T>): Promise<T>;
}

/**
 * All that a handler may use. There is one per process; the adapter sets the caller of each request.
 * `store.close()` closes it.
 */
export interface Context {
  readonly config: Config;
  readonly store: Store;
  /**
   * Reads claim files from the configured hosts. Together with `domains` it makes the only outbound requests
   * of a handler.
   */
  readonly repositories: RepositoryReader;
  /** Reads what the domains of namespaces publish. */
  readonly domains: ReturnType<typeof createDomainReader>;
  /** The claim checks that run in this process, by listing and location (claims/checks/shared.ts). */
  readonly runningChecks: Map<string, Promise<unknown>>;
  /**
   * Present while this process observes (OBSERVE). `add` takes a listing to check soon; it returns false if
   * too many wait. `read` takes a listing that somebody reads if it is due and within the limits; it tells
   * whether a check of it waits or runs in this process.
   */
  readonly askedChecks: {
    add?: (asked: AskedCheck) => boolean;
    read?: (listing: ReadListing) => boolean;
  };
  /** Decides in what order the checks of this process begin. */
  readonly checkTurns: FairPool;
  readonly searches: Searches;
  readonly checkpoints: CheckpointCache;
  readonly log: Logger;
  /** The only clock that handlers read. */
  readonly clock: () => Date;
  readonly timeouts: Timeouts;
  readonly caller: Caller;
  /**
   * When the data that this request has read will change with time alone, in ms since 1970; undefined if no
   * reader noted that.
   */
  readonly reading: { changesAt_ms?: number };
}

/** Returns the context for a request of another caller. */
export const withCaller = (context: Context, caller: Caller): Context => ({
  ...context,
  caller,
  reading: {},
});

/**
 * Notes when data that a request has read will change with time alone (ms since 1970). The earliest time
 * counts.
 */
export function noteChange({ reading }: Pick<Context, 'reading'>, at_ms: number): void {
  reading.changesAt_ms = Math.min(reading.changesAt_ms ?? at_ms, at_ms);
}

/**
 * How long the data that a request has read will not change with time, at least 1 ms; undefined if no reader
 * noted that.
 */
export const unchangedFor_ms = ({ reading, clock }: Context): number | undefined =>
  reading.changesAt_ms && Math.max(1, reading.changesAt_ms - clock().getTime());
