/** The guard ignores smaller directories, which may change as a whole. */
const smallestGuarded = 50;
const maxAffectedShare = 0.2;

/** The run would withdraw or move too many known listings. Nothing is written from the page that affects the first one. */
export class MassChangeError extends Error {
  constructor(affected: number, known: number) {
    super(
      `held: more than 20 % of ${known} known listings would lose their shown version, or change their repository or the host of their endpoint (${affected} so far); look at the registry, then run: dossier import --accept-changes`,
    );
    this.name = 'MassChangeError';
  }
}

/** Counts the listings that a run affects (withdraws, or changes the repository or the host of the endpoint of) and stops a run that affects too many. */
export interface MassChangeGuard {
  /** Whether the rest of the run must be checked before a page that affects listings is written. */
  readonly mustReview: boolean;
  /** Throws MassChangeError once more than 20 % of the known listings are affected. */
  count(affected: readonly string[]): void;
  /** The whole run was checked: counting starts again, and no further check is needed. */
  clear(): void;
}

/** A guard for `known` visible listings; inactive if the operator accepts the changes. */
export function createMassChangeGuard(known: number, isAccepted: boolean): MassChangeGuard {
  const affected = new Set<string>();
  const isActive = known >= smallestGuarded && !isAccepted;
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
