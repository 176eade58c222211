import type { NoAnswer } from '../../observation/answer.ts';

/** What a registry publishes of the version that a listing records, or of the newest one where it records none. */
export interface Published {
  readonly result: 'published';
  readonly version: string;
  readonly source: string;
  readonly source_url: string;
  /** RFC 3339, or why it is not known. */
  readonly published_at: string | NoAnswer;
  /** What the registry says of a deprecated or yanked version; undefined for any other. */
  readonly deprecated: string | undefined;
  /** Accounts that may publish it, or why they are not known. */
  readonly maintainers: readonly string[] | NoAnswer;
  /** The newest earlier version that had provenance; npm only. */
  readonly provenBefore?: string | undefined;
  /** The registry's own document of the version: untrusted. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** That a registry does not have the package or the version. */
export interface Missing {
  readonly result: 'missing';
  /** A sentence that is true when read alone. */
  readonly reason: string;
  readonly source: string;
  readonly source_url: string;
}
