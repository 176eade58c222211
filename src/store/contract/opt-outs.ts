import type { OptOut } from '../../evidence/listing/state/opt-out.ts';

export interface OptOutReads {
  /** The opt-out line that the last checks read for a listing. */
  optOut(handle: string): Promise<OptOut | undefined>;
  /** Opt-out lines after a handle, in handle order: for the periodic re-check. */
  optOuts(afterHandle: string, limit: number): Promise<OptOut[]>;
}

/** Writes of opt-out lines inside a transaction. */
export interface OptOutWrites extends OptOutReads {
  /** Inserts or replaces the opt-out line of a listing. */
  putOptOut(optOut: OptOut): Promise<void>;
  removeOptOut(handle: string): Promise<void>;
}
