/** How many rows there are of what people write, for the operator. */
export interface StoredFigures {
  readonly claims: { readonly claimed: number; readonly suspended: number };
  /** Current ratings, of all subjects. */
  readonly ratings: number;
  /** Feedback that no operator has closed, reports left out. */
  readonly open_feedback: number;
  /** Reports that no operator has closed. */
  readonly open_reports: number;
  /** Opt-out lines of somebody who does not hold the claim of the listing. */
  readonly contested_opt_outs: number;
}

export interface FigureReads {
  /** Counts them; reads an index of each table from end to end. */
  counts(): Promise<StoredFigures>;
}
