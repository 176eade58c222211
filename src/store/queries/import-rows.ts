import { type ImportRun, type RunProgress, zeroImportCounts } from '../../evidence/import-run.ts';
import type { ImportRunRow } from '../schema/imports.ts';

/** Progress as the `counts` column holds it: one object, in which only the counts are numbers. */
const encodeProgress = ({ counts, newestUpdatedAt }: RunProgress): string =>
  JSON.stringify({ ...counts, ...(newestUpdatedAt && { newest_updated_at: newestUpdatedAt }) });

/** Progress from the `counts` column; counts that a stored run does not have are zero. */
export function decodeProgress(json: string): RunProgress {
  const { newest_updated_at, ...counts } = JSON.parse(json) as Partial<RunProgress['counts']> & {
    newest_updated_at?: string;
  };
  return { counts: { ...zeroImportCounts, ...counts }, newestUpdatedAt: newest_updated_at };
}

/** A run without nulls. */
export const decodeRun = ({ counts, ...row }: ImportRunRow): ImportRun => ({
  ...row,
  finished_at: row.finished_at ?? undefined,
  updated_since: row.updated_since ?? undefined,
  cursor: row.cursor ?? undefined,
  progress: decodeProgress(counts),
  error: row.error ?? undefined,
});

const optionalColumns = ['finished_at', 'updated_since', 'cursor', 'error'] as const;

/** The columns that a change sets; a field that is present and undefined becomes null. */
export function encodeChange({ progress, ...change }: Partial<Omit<ImportRun, 'id'>>): Partial<ImportRunRow> {
  const cleared = optionalColumns.filter((column) => column in change && change[column] === undefined);
  return {
    ...change,
    ...Object.fromEntries(cleared.map((column) => [column, null])),
    ...(progress && { counts: encodeProgress(progress) }),
  };
}

/** A run as a row. */
export const encodeRun = ({
  id,
  kind,
  source,
  state,
  started_at,
  progress,
  ...run
}: ImportRun): ImportRunRow => ({
  ...{ id, kind, source, state, started_at },
  finished_at: run.finished_at ?? null,
  updated_since: run.updated_since ?? null,
  cursor: run.cursor ?? null,
  counts: encodeProgress(progress),
  error: run.error ?? null,
});
