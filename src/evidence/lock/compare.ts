import type { LockedListing } from './lock-file.ts';

/** One fact that is not as it was locked. */
export interface LockDifference {
  readonly handle: string;
  readonly fact: string;
  /** Undefined where the fact was not locked, or is gone. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Since when it is so, RFC 3339, where that is known; else the date up to which it was compared. */
  readonly when: string;
}

/** The facts of one listing that differ from what was locked, in the order of their names. */
export function compareLocked(handle: string, locked: LockedListing, now: LockedListing): LockDifference[] {
  const names = [...new Set([...Object.keys(locked.facts), ...Object.keys(now.facts)])].sort();
  return names.flatMap((fact): LockDifference[] => {
    const [before, after] = [locked.facts[fact], now.facts[fact]];
    if (before?.value === after?.value) return [];
    return [{ handle, fact, from: before?.value, to: after?.value, when: after?.since ?? now.as_of }];
  });
}

/** A listing that can no longer be read: withdrawn, or unknown where it is looked for. */
export const toGone = (handle: string, why: string, when: string): LockDifference => ({
  ...{ handle, fact: 'listing' },
  from: 'listed',
  to: why,
  when,
});

const shown = (value: string | undefined) => value ?? 'nothing';

/** A difference as one sentence. */
export const differenceText = ({ handle, fact, from, to, when }: LockDifference): string =>
  `${handle}: ${fact} changed from ${shown(from)} to ${shown(to)}, known since ${when.slice(0, 10)}`;
