/** A key that signs challenges. */
export interface StoredClaimKey {
  readonly kid: number;
  /** Base64. */
  readonly secret: string;
  /** RFC 3339 UTC. */
  readonly created_at: string;
}

export interface KeyReads {
  /** The keys that sign challenges, newest first. */
  claimKeys(): Promise<StoredClaimKey[]>;
  /** Seed of the key that signs checkpoints, base64. */
  logSeed(): Promise<string | undefined>;
}

/** Writes of keys inside a transaction. */
export interface KeyWrites extends KeyReads {
  addClaimKey(key: StoredClaimKey): Promise<void>;
  addLogSeed(seed: string, created_at: string): Promise<void>;
}
