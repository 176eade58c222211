import { createHmac, randomBytes } from 'node:crypto';
import type { Transaction } from '../store/store.ts';

/** The UTC day of a time, `2026-11-21`. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/**
 * What makes the pseudonym of a network in the database for one day: an HMAC-SHA256 with a key that all nodes share and that
 * is deleted when the day is over. No address is ever stored (docs/trust.md section 5).
 */
export async function openNetworkKeys(tx: Transaction, day: string): Promise<(network: string) => string> {
  const known = await tx.limits.dailyKey(day);
  const text = known ?? (await tx.limits.addDailyKey(day, randomBytes(32).toString('base64')));
  const secret = Buffer.from(text, 'base64');
  return (network) => createHmac('sha256', secret).update(network).digest('base64url').slice(0, 22);
}
