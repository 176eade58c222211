import { z } from 'zod';

/** One fact as it was locked: what it said, and since when that was so, where that is known. */
export const lockedFact = z.object({ value: z.string(), since: z.string().optional() });
export type LockedFact = z.infer<typeof lockedFact>;

/** What was known about one listing when it was locked. */
export const lockedListing = z.object({
  as_of: z.string(),
  facts: z.record(z.string(), lockedFact),
  log_index: z.int().optional(),
});
export type LockedListing = z.infer<typeof lockedListing>;

/** The content of dossier.lock.json: facts that a later check compares, by listing (docs/lock.md). */
export const lockFile = z.object({
  lockfile_version: z.literal(1),
  from: z.string(),
  locked_at: z.string(),
  listings: z.record(z.string(), lockedListing),
});
export type LockFile = z.infer<typeof lockFile>;

/** Parses a lock file; undefined for any other text. */
export function readLockFile(text: string): LockFile | undefined {
  try {
    return lockFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
