import type { Cluster, ClusterNode } from '../soak/cluster.ts';
import type { Ledger } from '../soak/writers.ts';

/** A directory under mixed writes into which a fault is injected. */
export interface Session {
  readonly cluster: Cluster;
  /** The first node: the only one on SQLite. */
  readonly node: ClusterNode;
  /** The database file; empty on PostgreSQL. */
  readonly file: string;
  readonly rounds: number;
  readonly ledger: Ledger;
  /** Times until it was ready again; the row shows their median. */
  readonly ready_ms: number[];
  /** Starts the node again and waits until it says that it is ready; the time is part of the row. */
  restart(node?: ClusterNode): Promise<void>;
  /** Waits until a further write is acknowledged; the time is part of the row. */
  recover(): Promise<void>;
  /** Throws unless the node answers a page that it has to read from the database. */
  requireReads(): Promise<void>;
}

/** One fault. */
export interface Fault {
  readonly name: string;
  readonly engine: 'sqlite' | 'postgres';
  /** How many times it is injected in a short run and in a long one. */
  readonly rounds: readonly [short: number, long: number];
  /**
   * What callers see meanwhile, as `503 unavailable`, at least once; where it is missing, only closed
   * connections.
   */
  readonly code?: string;
  /**
   * Whether the fault itself takes acknowledged writes away, as a cut log does; the others must lose none.
   */
  readonly destroys?: boolean;
  /** Settings of the node. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where SQLite's file goes, and what to undo afterwards. */
  readonly openFolder?: () => { readonly folder: string; close(): void };
  /** What this machine lacks for it, if anything. */
  readonly lacks?: () => string | undefined;
  /** Injects it so many rounds. Throws where the service did not do what it must. */
  inject(session: Session): Promise<void>;
}

/** A rejected expectation of a fault. */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
