import type { ObservationChange, StoredObservation } from '../../evidence/observation/observation.ts';

/** What was observed of one listing. Times are RFC 3339 UTC with milliseconds. */
export interface ObservedListing {
  readonly handle: string;
  /** When the last look ended. */
  readonly observed_at: string;
  readonly observations: readonly StoredObservation[];
  /** When the record that was looked at changed since; absent if it is the same. */
  readonly due_since?: string;
}

/** When a listing was last looked at, and when its record changed after that. */
export interface LastLook {
  readonly observed_at: string | undefined;
  readonly due_since?: string | undefined;
}

/** What one look found changed. */
export interface RecordedChange {
  readonly log_index: number;
  readonly handle: string;
  readonly at: string;
  readonly vantage: string;
  readonly changes: readonly ObservationChange[];
}

/** A set of tools as an endpoint sent it. */
export interface ToolSurface {
  readonly handle: string;
  readonly remote: string;
  /** The set's digest (evidence/kinds/tools/digest.ts), hex. */
  readonly digest: string;
  readonly first_seen_at: string;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}

export interface ObservationReads {
  /** Listings that were looked at at least once. Reads the whole table. */
  count(): Promise<number>;
  /** When a look last ended, RFC 3339; undefined before the first. */
  lastLookAt(): Promise<string | undefined>;
  ofListing(handle: string): Promise<ObservedListing | undefined>;
  /** Changes of a listing, newest first, at most `limit`, before a log index if one is given. */
  history(
    handle: string,
    page: { readonly before?: number | undefined; readonly limit: number },
  ): Promise<RecordedChange[]>;
  /** The sets of tools stored for an endpoint, newest first. */
  surfaces(handle: string, remote: string): Promise<ToolSurface[]>;
  /** One set of tools stored for an endpoint, as its JSON text. */
  surfaceText(handle: string, remote: string, digest: string): Promise<string | undefined>;
  /** Visible listings after an id, in its order, with the time of their last look, and of a change of the record since. */
  looks(
    afterId: number,
    limit: number,
  ): Promise<({ readonly id: number; readonly handle: string; readonly origin: string } & LastLook)[]>;
  /** When requests may be sent again to a host and to addresses of it that asked to be left alone, by host and address. */
  pauses(host: string): Promise<ReadonlyMap<string, string>>;
}

/** Writes of observations inside a transaction. */
export interface ObservationWrites extends ObservationReads {
  /** Replaces what was observed of a listing; a change of its record after the one that was looked at was read stays due. */
  put(observed: Omit<ObservedListing, 'due_since'>, imported_at?: string): Promise<void>;
  /** Makes listings that were looked at due for another look. */
  setDue(handles: readonly string[], at: string): Promise<void>;
  addChange(change: RecordedChange): Promise<void>;
  /** Stores a set of tools, and deletes all but the five newest of its endpoint. */
  putSurface(surface: ToolSurface): Promise<void>;
  putPauses(host: string, pauses: ReadonlyMap<string, string>): Promise<void>;
  /** Deletes pauses that ended before a time (RFC 3339). */
  purgePauses(before: string): Promise<void>;
}
