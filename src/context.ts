import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import type { Timeouts } from './config/timeouts.ts';
import type { FairPool } from './core/fair-pool.ts';
import type { CheckpointCache } from './log/checkpoints.ts';
import type { createDomainReader } from './net/domains.ts';
import type { RepositoryReader } from './net/repositories.ts';
import type { Store } from './store/store.ts';

/** Who calls, as far as the face could tell. */
export interface Caller {
  /** IPv4 address or IPv6 /64, for limits only; never stored. */
  readonly network: string;
  /** The capability as sent in a header; 'conflict' where two headers named different ones. */
  readonly capability?: string | 'conflict';
  /** Nobody waits for the answer: a crawler, a prefetch, a HEAD. */
  readonly isAutomatic?: true;
}

/** A listing that its maintainer wants checked, and the control root of its claim. */
export interface AskedCheck {
  readonly handle: string;
  readonly root: string;
}

/** A listing that somebody of a network reads, and when it was checked. */
export interface ReadListing {
  readonly handle: string;
  readonly remotes: readonly { readonly url: string }[];
  readonly observed_at: string | null;
  /** When its record changed after that. */
  readonly due_since?: string | null | undefined;
  readonly network: string;
}

/** Searches by words or facets, as this process lets them run (limits/searches.ts). */
export interface Searches {
  /**
   * Runs a search of a network. Throws rate_limited, or unavailable while there are too many, before it
   * begins.
   */
  run<T>(asked: { readonly network: string; readonly now_ms: number }, search: () => Promise<T>): Promise<T>;
}

/**
 * What a handler may touch, and nothing else. One value per process; the face sets the caller of
 * each request. Closed with `store.close()`.
 */
export interface Context {
  readonly config: Config;
  readonly store: Store;
  /** Reads claim files from the configured hosts: with `domains` the only outbound requests of a handler. */
  readonly repositories: RepositoryReader;
  /** Reads what the domains of namespaces publish. */
  readonly domains: ReturnType<typeof createDomainReader>;
  /** The claim checks that run in this process, by listing and place (claims/checks/shared.ts). */
  readonly runningChecks: Map<string, Promise<unknown>>;
  /**
   * There while this process observes (OBSERVE). `add` takes a listing that is to be checked soon; false: too
   * many wait. `read` takes one that somebody reads if it is due and the limits have room; whether a check of
   * it waits or runs in this process.
   */
  readonly askedChecks: {
    add?: (asked: AskedCheck) => boolean;
    read?: (listing: ReadListing) => boolean;
  };
  /** In what order checks of this process begin. */
  readonly checkTurns: FairPool;
  readonly searches: Searches;
  readonly checkpoints: CheckpointCache;
  readonly log: Logger;
  /** The only source of the time. */
  readonly clock: () => Date;
  readonly timeouts: Timeouts;
  readonly caller: Caller;
  /**
   * When what this request has read changes by time alone, ms since 1970; undefined if no reader has noted
   * that.
   */
  readonly reading: { changesAt_ms?: number };
}

/** The same context for a request of another caller. */
export const withCaller = (context: Context, caller: Caller): Context => ({
  ...context,
  caller,
  reading: {},
});

/**
 * Notes when something that a request has read changes by time alone (ms since 1970); the earliest time
 * counts.
 */
export function noteChange({ reading }: Pick<Context, 'reading'>, at_ms: number): void {
  reading.changesAt_ms = Math.min(reading.changesAt_ms ?? at_ms, at_ms);
}

/**
 * For how long what a request has read does not change by time, at least 1 ms; undefined if no reader has
 * noted that.
 */
export const unchangedFor_ms = ({ reading, clock }: Context): number | undefined =>
  reading.changesAt_ms && Math.max(1, reading.changesAt_ms - clock().getTime());
