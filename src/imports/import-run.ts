/** Counts of an import that has not read anything yet. */
export const zeroImportCounts = {
  /** Rows the source sent. Each is new, changed, unchanged or quarantined. */
  rows_seen: 0,
  rows_new: 0,
  rows_changed: 0,
  rows_unchanged: 0,
  rows_quarantined: 0,
  /** Of the new and changed rows, those the registry calls deprecated or deleted. */
  rows_deprecated: 0,
  rows_deleted: 0,
  /** Readable rows of versions that the registry does not call the latest: stored, not shown. */
  older_versions: 0,
  listings_new: 0,
  listings_changed: 0,
  listings_withdrawn: 0,
  repositories_changed: 0,
};

/** What an import has done so far: the public import report. */
export type ImportCounts = Readonly<typeof zeroImportCounts>;

/** What a copy of a registry may leave out of every record. */
export const copyFields = ['endpoint', 'package', 'repository'] as const;
export type CopyField = (typeof copyFields)[number];

/** How far an import has come. */
export interface RunProgress {
  readonly counts: ImportCounts;
  /** Newest `updatedAt` of the registry that is not after the start of its run, RFC 3339. */
  readonly newestUpdatedAt: string | undefined;
  /** What each origin has recorded of any listing, in this run or an earlier one, whatever became of the listing. */
  readonly recorded: Readonly<Record<string, readonly CopyField[]>>;
}

/** One run of the import: its public report, and the place to resume from. Times are RFC 3339 UTC. */
export interface ImportRun {
  readonly id: number;
  readonly kind: 'full' | 'incremental';
  readonly source: string;
  readonly state: 'running' | 'done' | 'failed' | 'held';
  readonly started_at: string;
  readonly finished_at?: string | undefined;
  /** Where an incremental run starts from. */
  readonly updated_since?: string | undefined;
  /** The source's cursor of the next page. */
  readonly cursor?: string | undefined;
  readonly progress: RunProgress;
  readonly error?: string | undefined;
}

/** A record that could not be read, with the reason; replaced when it is sent again. */
export interface QuarantinedRecord {
  readonly name: string;
  readonly version: string;
  readonly reason: string;
  /** The run that last saw it. */
  readonly run_id: number;
  readonly seen_at: string;
}
