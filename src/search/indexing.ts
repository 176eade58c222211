import type { Db, Schema } from '../store/store.ts';
import { isStrong, type SearchDocument, toSearchDocument, toTermsOfText } from './document.ts';
import type { SearchIndex, TermCount } from './search-index.ts';

export type ListingRow = Schema['listing'];

/** How the counts of terms change. */
class TermChanges {
  readonly #changes = new Map<string, { listings: number; strong: number }>();

  add(term: string, listings: number, strong: number): void {
    const change = this.#changes.get(term);
    if (!change) {
      this.#changes.set(term, { listings, strong });
      return;
    }
    change.listings += listings;
    change.strong += strong;
  }

  addDocument({ terms, strong }: SearchDocument): void {
    for (const term of terms) this.add(term, 1, 0);
    for (const term of strong) this.add(term, 0, 1);
  }

  removeDocument(text: string): void {
    for (const [term, weight] of toTermsOfText(text)) this.add(term, -1, isStrong(weight) ? -1 : 0);
  }

  /** Without terms of which nothing changes. */
  toCounts(): Map<string, TermCount> {
    return new Map([...this.#changes].filter(([, { listings, strong }]) => listings !== 0 || strong !== 0));
  }
}

/** A row as the index may know it, without the texts that the operator has hidden. */
const toIndexed = (row: ListingRow): ListingRow =>
  row.hidden === 1 ? { ...row, title: null, description: '', status_message: null } : row;

/**
 * Takes listings out of the search index, puts others in, and brings the counts of terms up to date. Listings that are
 * withdrawn, and texts that are hidden, are never put in.
 */
export async function replaceInIndex(
  db: Db,
  index: SearchIndex,
  change: {
    readonly removedIds: readonly number[];
    readonly listings: readonly ListingRow[];
    /** What a listing can be found by besides its words and facets, each as a facet. */
    readonly toKeys: (row: ListingRow) => readonly string[];
  },
): Promise<void> {
  const changes = new TermChanges();
  if (change.removedIds.length > 0)
    for (const text of await index.remove(db, change.removedIds)) changes.removeDocument(text);
  const visible = change.listings.filter(({ withdrawn }) => !withdrawn);
  const documents = visible.map((row) => toSearchDocument({ ...toIndexed(row), keys: change.toKeys(row) }));
  if (documents.length > 0) await index.put(db, documents);
  for (const document of documents) changes.addDocument(document);
  const counts = changes.toCounts();
  if (counts.size > 0) await index.addTermCounts(db, counts);
}
