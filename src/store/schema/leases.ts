/** Work that one node alone does at the moment. */
export interface LeaseRow {
  name: string;
  /** An id of this taking of the lease. */
  owner: string;
  /** Milliseconds since 1970 by the database's clock. */
  renewed_at: number;
}
