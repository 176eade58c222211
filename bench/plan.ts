import type { Effort } from './rounds.ts';

/**
 * The options of every part: how long to measure, how many listings, the folder of databases that later runs
 * use again.
 */
export interface Plan extends Effort {
  readonly folder: string;
  readonly listings: number;
  /** The engine of the part `search`. */
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Other checkouts, whose services are measured in the same run; only the parts `mcp`, `pages` and
   * `uncached` do so.
   */
  readonly before: readonly string[];
}
