/** Below this many listings no run is held: a small directory may change as a whole. */
const fewest = 50;
const maxAffectedShare = 0.2;

/** The run would withdraw or move too much of what is known; nothing of it was written from there on. */
export class MassChangeError extends Error {
  constructor(affected: number, known: number) {
    super(
      `held: more than 20 % of ${known} known listings would lose their shown version or change their repository (${affected} so far); look at the registry, then run: dossier import --accept-changes`,
    );
    this.name = 'MassChangeError';
  }
}

/** Counts the listings that a run harms and says when that is too much. */
export interface MassChangeGuard {
  /** Whether harm has to be looked at before it is done: a big directory, and not yet looked ahead. */
  readonly mustReview: boolean;
  /** Throws MassChangeError once more than 20 % of the known listings are affected. */
  count(affected: readonly string[]): void;
  /** The same run, looked at to its end: counting starts anew, nothing has to be looked at again. */
  clear(): void;
}

/** A guard over `known` visible listings; one that never holds where the operator accepts the changes. */
export function createMassChangeGuard(known: number, isAccepted: boolean): MassChangeGuard {
  const affected = new Set<string>();
  const isActive = known >= fewest && !isAccepted;
  let isCleared = false;
  return {
    get mustReview() {
      return isActive && !isCleared;
    },
    count(handles) {
      for (const handle of handles) affected.add(handle);
      if (isActive && affected.size > known * maxAffectedShare)
        throw new MassChangeError(affected.size, known);
    },
    clear() {
      isCleared = true;
      affected.clear();
    },
  };
}
