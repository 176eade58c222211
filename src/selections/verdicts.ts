import type { Selection } from '../config/files.ts';
import { createEpoch } from '../core/epoch.ts';
import type { Store } from '../store/store.ts';

export interface SelectionVerdict {
  readonly handle: string;
  /** Listed by a registry, now or once. */
  readonly hasPage: boolean;
  readonly isIn: boolean;
  /** Why it is not in. */
  readonly failed: readonly string[];
  /** A changed file makes a new one. */
  readonly entry: object | undefined;
  /** In ms since 1970. */
  readonly judgeAgain_ms: number;
}

type BySelection = Map<Selection, Map<string, SelectionVerdict>>;

function createMemory(store: Store) {
  const bySelection: BySelection = new Map();
  const { begin, change } = createEpoch({
    drop(handles) {
      for (const known of bySelection.values()) for (const handle of handles) known.delete(handle);
    },
    clear() {
      for (const known of bySelection.values()) known.clear();
    },
  });
  store.onChange(change);
  return { bySelection, begin };
}

const memories = new WeakMap<Store, ReturnType<typeof createMemory>>();

/** Dropped when their listings change. */
export function verdictsOf(selection: Selection, store: Store) {
  const memory = memories.get(store) ?? createMemory(store);
  memories.set(store, memory);
  const known = memory.bySelection.get(selection) ?? new Map<string, SelectionVerdict>();
  memory.bySelection.set(selection, known);
  return {
    find: (handle: string) => known.get(handle),
    /** Not if a listing changed meanwhile. */
    async keep<T extends { readonly verdict: SelectionVerdict }>(judge: () => Promise<readonly T[]>) {
      const mayStore = memory.begin();
      const judged = await judge();
      if (mayStore()) for (const { verdict } of judged) known.set(verdict.handle, verdict);
      return judged;
    },
    forgetOthers(handles: readonly string[]) {
      if (known.size <= handles.length) return;
      const asked = new Set(handles);
      for (const handle of known.keys()) if (!asked.has(handle)) known.delete(handle);
    },
  };
}
