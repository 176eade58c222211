import { randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import type { ClaimKey } from '../evidence/claim/challenge.ts';
import type { StoredClaimKey } from '../store/contract/keys.ts';
import type { Store } from '../store/store.ts';

const retirement_ms = 7 * 86_400_000;

/** The keys that sign and verify challenges, newest first; at least one. */
export type KeyRing = readonly [ClaimKey, ...ClaimKey[]];

/** Parses `kid:base64,...`, newest first; the operator retires an old key by removing it. */
const toConfiguredKeys = (text: string): ClaimKey[] =>
  text.split(',').map((pair) => {
    const colon = pair.indexOf(':');
    return { kid: Number(pair.slice(0, colon)), secret: Buffer.from(pair.slice(colon + 1), 'base64') };
  });

/** A key still verifies for seven days after its successor was created. */
const toKeys = (rows: readonly StoredClaimKey[], now: Date): ClaimKey[] =>
  rows.map(({ kid, secret }, index) => {
    const successor = rows[index - 1];
    const retired = successor && Date.parse(successor.created_at) + retirement_ms < now.getTime();
    return { kid, secret: Buffer.from(secret, 'base64'), ...(retired && { retired: true as const }) };
  });

/** Stored keys; creates one at first use. Nodes that start at the same time agree on one key. */
const storedKeys = async (store: Store, now: Date): Promise<StoredClaimKey[]> => {
  const stored = await store.keys.claimKeys();
  if (stored.length > 0) return stored;
  return store.write(async (tx) => {
    const made = { kid: 1, secret: randomBytes(32).toString('base64'), created_at: now.toISOString() };
    if ((await tx.keys.claimKeys()).length === 0) await tx.keys.addClaimKey(made);
    return tx.keys.claimKeys();
  });
};

/** The keys of CLAIM_KEYS, or else those stored in the database. */
export async function claimKeyRing({ config, store, clock }: Context): Promise<KeyRing> {
  const now = clock();
  const [newest, ...older] = config.claimKeys
    ? toConfiguredKeys(config.claimKeys)
    : toKeys(await storedKeys(store, now), now);
  if (!newest) throw new Error('no claim key');
  return [newest, ...older];
}
