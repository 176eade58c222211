import type { Db } from '../engine.ts';
import type { KeyReads, KeyWrites } from '../store.ts';

/** Reads of the key ring that signs challenges. */
export const createKeyReads = (db: Db): KeyReads => ({
  claimKeys: () => db.selectFrom('claim_key').selectAll().orderBy('created_at', 'desc').execute(),
  logSeed: async () => (await db.selectFrom('log_key').select('seed').executeTakeFirst())?.seed,
});

/** Writes of the key ring inside a transaction. */
export const createKeyWrites = (db: Db): KeyWrites => ({
  ...createKeyReads(db),
  async addClaimKey(key) {
    await db.insertInto('claim_key').values(key).execute();
  },
  async addLogSeed(seed, created_at) {
    await db.insertInto('log_key').values({ id: 1, seed, created_at }).execute();
  },
});
