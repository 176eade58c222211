/** Below this many listings no run is held: a small directory may change as a whole. */
const fewest = 50;
const mostHarmedShare = 0.2;

/** The run would withdraw or move too much of what is known; nothing of it was written from there on. */
export class HeldError extends Error {
  constructor(harmed: number, known: number) {
    super(
      `held: more than 20 % of ${known} known listings would lose their shown version or change their repository (${harmed} so far); look at the registry, then run: dossier import --accept-changes`,
    );
    this.name = 'HeldError';
  }
}

/** Counts the listings that a run harms and says when that is too much. */
export interface HoldGuard {
  /** Whether harm has to be looked at before it is done: a big directory, and not yet looked ahead. */
  readonly mustLookAhead: boolean;
  /** Throws HeldError once more than 20 % of the known listings are harmed. */
  count(harmed: readonly string[]): void;
  /** The same run, looked at to its end: counting starts anew, nothing has to be looked at again. */
  clear(): void;
}

/** A guard over `known` visible listings; one that never holds where the operator accepts the changes. */
export function createHoldGuard(known: number, isAccepted: boolean): HoldGuard {
  const harmed = new Set<string>();
  const isActive = known >= fewest && !isAccepted;
  let isCleared = false;
  return {
    get mustLookAhead() {
      return isActive && !isCleared;
    },
    count(handles) {
      for (const handle of handles) harmed.add(handle);
      if (isActive && harmed.size > known * mostHarmedShare) throw new HeldError(harmed.size, known);
    },
    clear() {
      isCleared = true;
      harmed.clear();
    },
  };
}
