import type { SavedView } from '../../config/files.ts';
import type { Store } from '../../store/store.ts';

/** What a view made of a name when it was last judged. */
export interface Verdict {
  readonly handle: string;
  /** Whether a registry listed it. */
  readonly hasPage: boolean;
  readonly isIn: boolean;
  /** Why it is not in the view. */
  readonly failed: readonly string[];
  /** The private entry that was judged: a file that changes makes another one. */
  readonly entry: object | undefined;
  /** When time alone may change it, ms since 1970. */
  readonly judgeAgain_ms: number;
}

type ByView = Map<SavedView, Map<string, Verdict>>;

const memories = new WeakMap<Store, { changes: number; readonly byView: ByView }>();

function memoryOf(store: Store) {
  const found = memories.get(store);
  if (found) return found;
  const memory = { changes: 0, byView: new Map() as ByView };
  memories.set(store, memory);
  store.onChange((changed) => {
    memory.changes += 1;
    for (const known of memory.byView.values())
      if (changed === 'all') known.clear();
      else for (const handle of changed) known.delete(handle);
  });
  return memory;
}

/**
 * What a view made of the names that it was asked about, as long as their listings are the same: at most as
 * many as the operator approved, or has private entries.
 */
export function verdictsOf(view: SavedView, store: Store) {
  const memory = memoryOf(store);
  const known = memory.byView.get(view) ?? new Map<string, Verdict>();
  memory.byView.set(view, known);
  return {
    find: (handle: string) => known.get(handle),
    /** Stores what `judge` makes of some names, unless a listing changed meanwhile. */
    async keep<T extends { readonly verdict: Verdict }>(judge: () => Promise<readonly T[]>) {
      const { changes } = memory;
      const judged = await judge();
      if (memory.changes === changes) for (const { verdict } of judged) known.set(verdict.handle, verdict);
      return judged;
    },
    /** Forgets the names that are not asked about any more. */
    forgetOthers(handles: readonly string[]) {
      if (known.size <= handles.length) return;
      const asked = new Set(handles);
      for (const handle of known.keys()) if (!asked.has(handle)) known.delete(handle);
    },
  };
}
