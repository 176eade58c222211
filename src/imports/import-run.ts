import { type Column, integer, oneOf, optional, type TableValue, table, text } from '../store/table.ts';

export const zeroImportCounts = {
  /** Each is new, changed, unchanged or quarantined. */
  rows_seen: 0,
  rows_new: 0,
  rows_changed: 0,
  rows_unchanged: 0,
  rows_quarantined: 0,
  /** Of new and changed rows, by the registry. */
  rows_deprecated: 0,
  /** Of new and changed rows, by the registry. */
  rows_deleted: 0,
  /** Readable, and not the latest by the registry. */
  older_versions: 0,
  listings_new: 0,
  listings_changed: 0,
  listings_withdrawn: 0,
  repositories_changed: 0,
};

/** Published. */
export type ImportCounts = Readonly<typeof zeroImportCounts>;

/** From this share on, a full import fails. */
const mostUnreadable = 0.9;

export const isUnreadable = ({ rows_seen, rows_quarantined }: ImportCounts): boolean =>
  rows_seen > 0 && rows_quarantined >= rows_seen * mostUnreadable;

/** Copies may leave them out of all records. */
export const copyFields = ['endpoint', 'package', 'repository'] as const;
export type CopyField = (typeof copyFields)[number];

export interface RunProgress {
  readonly counts: ImportCounts;
  /** Not after the start of the run that read it, RFC 3339. */
  readonly newestUpdatedAt: string | undefined;
  /** By each origin for any listing, gone ones included. */
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
/** A run resumes at `cursor`. Times are RFC 3339 UTC. */
export type ImportRun = TableValue<typeof importRunTable>;

/** Quotes nothing from the response. */
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
