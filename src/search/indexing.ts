import {
  isStrong,
  type SearchDocument,
  type SearchedRow,
  toSearchDocument,
  toTermsOfText,
} from './document.ts';
import type { Db } from './schema.ts';
import type { EngineIndex } from './search-index.ts';

interface IndexedRow extends SearchedRow {
  readonly namespace: string;
  readonly withdrawn: string | null;
  readonly hidden: number | null;
}

function toCountChanges(removed: readonly string[], added: readonly SearchDocument[]) {
  const changes = new Map<string, { listings: number; strong: number }>();
  const add = (term: string, listings: number, strong: number) => {
    const change = changes.get(term) ?? { listings: 0, strong: 0 };
    changes.set(term, change);
    change.listings += listings;
    change.strong += strong;
  };
  for (const text of removed)
    for (const [term, weight] of toTermsOfText(text)) add(term, -1, isStrong(weight) ? -1 : 0);
  for (const { terms, strong } of added) {
    for (const term of terms) add(term, 1, 0);
    for (const term of strong) add(term, 0, 1);
  }
  return new Map([...changes].filter(([, { listings, strong }]) => listings !== 0 || strong !== 0));
}

const toIndexed = (row: IndexedRow): IndexedRow =>
  row.hidden === 1 ? { ...row, title: null, description: '' } : row;

/** Without withdrawn listings and hidden texts. */
export async function replaceInIndex(
  db: Db,
  index: EngineIndex,
  change: {
    readonly removedIds: readonly number[];
    readonly listings: readonly IndexedRow[];
    readonly toKeys: (row: IndexedRow) => readonly string[];
  },
): Promise<void> {
  const removed = change.removedIds.length > 0 ? await index.remove(db, change.removedIds) : [];
  const visible = change.listings.filter(({ withdrawn }) => !withdrawn);
  const documents = visible.map((row) => toSearchDocument({ ...toIndexed(row), keys: change.toKeys(row) }));
  if (documents.length > 0) await index.put(db, documents);
  const counts = toCountChanges(removed, documents);
  if (counts.size > 0) await index.addTermCounts(db, counts);
}
