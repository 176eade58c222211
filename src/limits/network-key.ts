import { createHmac, randomBytes } from 'node:crypto';
import type { Transaction } from '../store/store.ts';

/** The UTC day of a time, `2026-11-21`. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/**
 * The pseudonym of a network in the database for one day: an HMAC-SHA256 with a key that all nodes share and that is
 * deleted when the day is over. No address is ever stored (docs/trust.md section 5).
 */
export async function toNetworkKey(tx: Transaction, network: string, day: string): Promise<string> {
  const known = await tx.limits.dailyKey(day);
  const secret = known ?? (await tx.limits.addDailyKey(day, randomBytes(32).toString('base64')));
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(network).digest('base64url').slice(0, 22);
}
