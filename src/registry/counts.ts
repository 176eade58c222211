const zero = {
  /** Rows that the source sent; each is new, changed, unchanged or quarantined. */
  rows_seen: 0,
  rows_new: 0,
  rows_changed: 0,
  rows_unchanged: 0,
  rows_quarantined: 0,
  /** Of the new and changed rows, those the registry calls deprecated or deleted. */
  rows_deprecated: 0,
  rows_deleted: 0,
  /** Readable rows of versions not marked latest; stored, not shown. */
  older_versions: 0,
  listings_new: 0,
  listings_changed: 0,
  listings_withdrawn: 0,
  repositories_changed: 0,
};

/** What a run has done so far: the public import report. */
export type ImportCounts = Readonly<typeof zero>;
/** Mutable counts, for counting. */
export type Counting = typeof zero;

/** Counts of zero. */
export const createCounts = (): Counting => ({ ...zero });

/** The sum of two counts. */
export function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  const sum = createCounts();
  for (const name of Object.keys(zero) as (keyof Counting)[]) sum[name] = a[name] + b[name];
  return sum;
}

/** What a run's `counts` column holds: the report, and up to when the registry's changes are known. */
export interface RunProgress {
  readonly counts: ImportCounts;
  /** Newest `updatedAt` that is not after the start of its run, RFC 3339. */
  readonly newestUpdatedAt: string | undefined;
}

/** Progress as JSON for the run's row; every number in it is a count. */
export const toCountsJson = ({ counts, newestUpdatedAt }: RunProgress): string =>
  JSON.stringify({ ...counts, ...(newestUpdatedAt && { newest_updated_at: newestUpdatedAt }) });

/** The progress of a stored run; missing counts are zero. */
export function readProgress(json: string): RunProgress {
  const { newest_updated_at, ...stored } = JSON.parse(json) as Partial<Counting> & {
    newest_updated_at?: string;
  };
  return { counts: { ...zero, ...stored }, newestUpdatedAt: newest_updated_at };
}
