/** Why nothing can be said of a place: the state of every fact that would have come from there. */
export interface NoAnswer {
  readonly result: 'unreachable' | 'refused' | 'not_checked';
  /** A sentence that is true when read alone. */
  readonly reason: string;
  /** Whether there is an answer that is larger than Dossier reads. */
  readonly isTooLarge?: true;
}

/** A response of a foreign host; its body is data, at most 2 MiB. */
export interface Fetched {
  readonly result: 'response';
  /** The recorded address, whatever it was reached at. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}
