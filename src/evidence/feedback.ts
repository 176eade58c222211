/** Private feedback; only the operator reads it. */
export interface Feedback {
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly received_at: string;
  readonly state: 'open' | 'closed';
  readonly message: string;
  readonly category?: string | undefined;
  readonly handle?: string | undefined;
  readonly looking_for?: string | undefined;
  readonly found_it?: boolean | undefined;
  readonly contact?: string | undefined;
}
