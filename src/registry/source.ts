import type { Origin } from './signals.ts';

/** One page of entries as received, and where the next one starts. */
export interface Page {
  readonly entries: readonly unknown[];
  /** Undefined at the end of the list. */
  readonly nextCursor: string | undefined;
  /** Entries in the whole list, where that is known. */
  readonly total?: number;
}

/** Which page to read. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  /** RFC 3339; only what changed after it. */
  readonly updatedSince?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where entries come from: a registry, or a saved copy of one. */
export interface RegistrySource {
  /** How a run of it is recorded; the same name may go on from a stored cursor. Names no place of this machine. */
  readonly name: string;
  /** Base of its API, for links; absent for a saved copy. */
  readonly api?: string;
  /** Whether it can be asked for changes only. */
  readonly isIncremental: boolean;
  /** What listings and signals from here say they come from. */
  readonly origin: Origin['name'];
  /** Throws RegistryError. */
  page(request: PageRequest): Promise<Page>;
}

/** Why a source could not be read, in our own words; nothing of its answer is repeated. */
export class RegistryError extends Error {
  /** Whether the same cursor may work later. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.name = 'RegistryError';
    this.isPassing = isPassing;
  }
}
