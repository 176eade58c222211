/** The tools that one recorded endpoint listed to this service. */
export interface ListedTools {
  readonly endpoint: string;
  readonly state: string;
  readonly reason?: string | undefined;
  /** Merkle root over the tools, hex. */
  readonly digest?: string;
  readonly first_seen_at?: string;
  readonly observed_at?: string;
  readonly vantage?: string;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}

/** What /agents/<handle>/tools.json and the resource answers. */
export interface ListingTools {
  readonly handle: string;
  readonly statement: string;
  readonly endpoints: readonly ListedTools[];
  readonly untrusted_fields: readonly string[];
}
