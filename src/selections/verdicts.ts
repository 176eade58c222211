import type { Selection } from '../config/files.ts';
import type { Store } from '../store/store.ts';

/** The last result of judging a name by a selection. */
export interface Verdict {
  readonly handle: string;
  /** Whether a registry lists or listed it. */
  readonly hasPage: boolean;
  readonly isIn: boolean;
  /** The reasons why it is not in the selection. */
  readonly failed: readonly string[];
  /** The private entry that was judged; a changed file makes a new one. */
  readonly entry: object | undefined;
  /** When it may change with time alone, ms since 1970. */
  readonly judgeAgain_ms: number;
}

type BySelection = Map<Selection, Map<string, Verdict>>;

const memories = new WeakMap<Store, { changes: number; readonly bySelection: BySelection }>();

function memoryOf(store: Store) {
  const found = memories.get(store);
  if (found) return found;
  const memory = { changes: 0, bySelection: new Map() as BySelection };
  memories.set(store, memory);
  store.onChange((changed) => {
    memory.changes += 1;
    for (const known of memory.bySelection.values())
      if (changed === 'all') known.clear();
      else for (const handle of changed) known.delete(handle);
  });
  return memory;
}

/**
 * The verdicts of a selection on names, until their listings change. There are at most as many as the
 * operator approved or has private entries.
 */
export function verdictsOf(selection: Selection, store: Store) {
  const memory = memoryOf(store);
  const known = memory.bySelection.get(selection) ?? new Map<string, Verdict>();
  memory.bySelection.set(selection, known);
  return {
    find: (handle: string) => known.get(handle),
    /** Stores the verdicts that `judge` returns, unless a listing changed meanwhile. */
    async keep<T extends { readonly verdict: Verdict }>(judge: () => Promise<readonly T[]>) {
      const { changes } = memory;
      const judged = await judge();
      if (memory.changes === changes) for (const { verdict } of judged) known.set(verdict.handle, verdict);
      return judged;
    },
    /** Forgets all names but these. */
    forgetOthers(handles: readonly string[]) {
      if (known.size <= handles.length) return;
      const asked = new Set(handles);
      for (const handle of known.keys()) if (!asked.has(handle)) known.delete(handle);
    },
  };
}
