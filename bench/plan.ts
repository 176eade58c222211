import type { Effort } from './rounds.ts';

/** What every part is told: how long to measure, how many listings, where databases are kept for the next time. */
export interface Plan extends Effort {
  readonly folder: string;
  readonly listings: number;
  /** Another checkout, whose service is measured in the same run; only the parts `mcp` and `pages` do so. */
  readonly before?: string | undefined;
}
