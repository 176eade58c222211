import { isStrong, type SearchedRow, toSearchDocument, toTermsOfText } from './document.ts';
import type { Db } from './schema.ts';
import type { EngineIndex } from './search-index.ts';

interface IndexedRow extends SearchedRow {
  readonly namespace: string;
  readonly withdrawn: string | null;
  readonly hidden: number | null;
}

function toCountChanges(removed: readonly string[], added: readonly { readonly text: string }[]) {
  const changes = new Map<string, { listings: number; strong: number }>();
  const count = (text: string, by: number) => {
    for (const [term, weight] of toTermsOfText(text)) {
      const change = changes.get(term) ?? { listings: 0, strong: 0 };
      changes.set(term, change);
      change.listings += by;
      if (isStrong(weight)) change.strong += by;
    }
  };
  for (const text of removed) count(text, -1);
  for (const { text } of added) count(text, 1);
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
