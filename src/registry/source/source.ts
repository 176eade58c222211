import type { Origin } from '../entry/signals.ts';

/** One page of entries as received, and the cursor of the next one. */
export interface Page {
  readonly entries: readonly unknown[];
  /** Undefined at the end of the list. */
  readonly nextCursor: string | undefined;
  /** Entries in the whole list, if known. */
  readonly total?: number;
}

/** Which page to read. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  /** RFC 3339; only entries that changed after it. */
  readonly updatedSince?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A registry, or a saved copy of one. */
export interface RegistrySource {
  /** Name of its runs. A run with the same name can continue from a stored cursor. Contains no path of this machine. */
  readonly name: string;
  /** Base URL of its API, for links; absent for a saved copy. */
  readonly api?: string;
  /** Whether it can list only what changed since a time. */
  readonly isIncremental: boolean;
  /** The origin stored with its listings and signals. */
  readonly origin: Origin['name'];
  /** Throws RegistryError. */
  page(request: PageRequest): Promise<Page>;
}

/** Why a source could not be read. The message is ours and quotes nothing of the response. */
export class RegistryError extends Error {
  /** Whether the same request may succeed later. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.name = 'RegistryError';
    this.isPassing = isPassing;
  }
}
