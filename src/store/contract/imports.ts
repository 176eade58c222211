import type { ImportRun, QuarantinedRecord } from '../../evidence/import-run.ts';

export interface ImportReads {
  /** The latest run, and the latest one that completed; of one source if it is given. */
  last(source?: string): Promise<{ run: ImportRun | undefined; done: ImportRun | undefined }>;
  /** The latest run of a source that read all of it, and completed. */
  lastFull(source: string): Promise<ImportRun | undefined>;
  /** All runs in state `running`, whether or not a process still works on them. */
  running(): Promise<ImportRun[]>;
  /** Quarantined records, newest first. */
  quarantined(limit: number): Promise<QuarantinedRecord[]>;
  /** How many records are quarantined for each reason, most first. */
  quarantineReasons(): Promise<{ reason: string; records: number }[]>;
}

/** Writes of import runs inside a transaction. */
export interface ImportWrites extends ImportReads {
  /** Adds a run and returns its id. */
  startRun(run: Omit<ImportRun, 'id'>): Promise<number>;
  /** Changes the given fields of a run; a field given as undefined is cleared. */
  saveRun(id: number, change: Partial<Omit<ImportRun, 'id'>>): Promise<void>;
  quarantine(records: readonly QuarantinedRecord[]): Promise<void>;
  /** Removes records from quarantine that have since been read. */
  release(names: readonly { name: string; version: string }[]): Promise<void>;
}
