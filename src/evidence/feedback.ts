/** The category of feedback that asks the operator to look at a listing or a rating. */
export const reportCategory = 'report';

/** Private feedback; only the operator reads it. */
export interface Feedback {
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly received_at: string;
  readonly state: 'open' | 'closed';
  readonly message: string;
  readonly category?: string | undefined;
  /** The listing that it is about; of a rating, the rated one. */
  readonly handle?: string | undefined;
  readonly rating_id?: string | undefined;
  readonly looking_for?: string | undefined;
  readonly found_it?: boolean | undefined;
  readonly contact?: string | undefined;
}
