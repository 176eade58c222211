import type { KeyReads, KeyWrites } from '../contract/keys.ts';
import type { Db } from '../engine.ts';

/** Reads of the keys that sign challenges and checkpoints. */
export const createKeyReads = (db: Db): KeyReads => ({
  claimKeys: () => db.selectFrom('claim_key').selectAll().orderBy('created_at', 'desc').execute(),
  logSeed: async () => (await db.selectFrom('log_key').select('seed').executeTakeFirst())?.seed,
});

/** Writes of keys inside a transaction. */
export const createKeyWrites = (db: Db): KeyWrites => ({
  ...createKeyReads(db),
  async addClaimKey(key) {
    await db.insertInto('claim_key').values(key).execute();
  },
  async addLogSeed(seed, created_at) {
    await db.insertInto('log_key').values({ id: 1, seed, created_at }).execute();
  },
});
