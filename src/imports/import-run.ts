import { type Column, integer, oneOf, optional, type TableValue, table, text } from '../store/table.ts';

export const zeroImportCounts = {
  /** Each is new, changed, unchanged or quarantined. */
  rows_seen: 0,
  rows_new: 0,
  rows_changed: 0,
  rows_unchanged: 0,
  rows_quarantined: 0,
  /** New and changed rows that the registry calls deprecated. */
  rows_deprecated: 0,
  /** New and changed rows that the registry calls deleted. */
  rows_deleted: 0,
  /** Readable rows that the registry does not call the latest version. */
  older_versions: 0,
  listings_new: 0,
  listings_changed: 0,
  listings_withdrawn: 0,
  repositories_changed: 0,
};

/** The public import report. */
export type ImportCounts = Readonly<typeof zeroImportCounts>;

/** The share of unreadable entries from which a full import fails. */
const mostUnreadable = 0.9;

export const isUnreadable = ({ rows_seen, rows_quarantined }: ImportCounts): boolean =>
  rows_seen > 0 && rows_quarantined >= rows_seen * mostUnreadable;

/** A copy of a registry may leave these out of every record. */
export const copyFields = ['endpoint', 'package', 'repository'] as const;
export type CopyField = (typeof copyFields)[number];

export interface RunProgress {
  readonly counts: ImportCounts;
  /** The registry's newest `updatedAt` not after the start of the run that read it, RFC 3339. */
  readonly newestUpdatedAt: string | undefined;
  /** What each origin ever recorded for any listing, gone ones included. */
  readonly recorded: Readonly<Record<string, readonly CopyField[]>>;
}

/** None before the first import. */
export function lackedByAll(recorded: RunProgress['recorded'] = {}): CopyField[] {
  const origins = Object.values(recorded);
  return copyFields.filter((field) => origins.length > 0 && !origins.some((has) => has.includes(field)));
}

const progress: Column<RunProgress, string> = {
  encode: ({ counts, newestUpdatedAt, recorded }) =>
    JSON.stringify({ ...counts, ...(newestUpdatedAt && { newest_updated_at: newestUpdatedAt }), recorded }),
  decode(stored) {
    const { newest_updated_at, recorded, ...counts } = JSON.parse(stored) as ImportCounts &
      Pick<RunProgress, 'recorded'> & { newest_updated_at?: string };
    return { counts, newestUpdatedAt: newest_updated_at, recorded };
  },
};

export const importRunTable = table('import_run', ['id'], {
  id: integer,
  kind: oneOf<'full' | 'incremental'>(),
  source: text,
  state: oneOf<'running' | 'done' | 'failed' | 'held'>(),
  started_at: text,
  finished_at: optional(text),
  updated_since: optional(text),
  cursor: optional(text),
  progress,
  error: optional(text),
});
/** `cursor` is where the run can be resumed. Times are RFC 3339 UTC. */
export type ImportRun = TableValue<typeof importRunTable>;

/** The message is ours and quotes nothing from the response. */
export class RegistryError extends Error {
  /** The same request may succeed later. */
  readonly isPassing: boolean;
  /** As the registry asked. */
  readonly after_ms: number | undefined;

  constructor(message: string, isPassing = false, after_ms?: number) {
    super(message);
    this.name = 'RegistryError';
    this.isPassing = isPassing;
    this.after_ms = after_ms;
  }
}
