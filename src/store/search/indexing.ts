import { type SearchableListing, toSearchDocument } from '../../evidence/search/document.ts';
import { toTermsOfText } from '../../evidence/search/document-text.ts';
import type { Db, SearchIndex } from '../engine.ts';

/** Takes listings out of the search index, puts others in, and brings the counts of terms up to date. */
export async function replaceInIndex(
  db: Db,
  index: SearchIndex,
  change: { readonly removedIds: readonly number[]; readonly listings: readonly SearchableListing[] },
): Promise<void> {
  const changes = new Map<string, number>();
  const add = (terms: Iterable<string>, by: number) => {
    for (const term of terms) changes.set(term, (changes.get(term) ?? 0) + by);
  };
  if (change.removedIds.length > 0)
    for (const text of await index.remove(db, change.removedIds)) add(toTermsOfText(text), -1);
  const documents = change.listings.map(toSearchDocument);
  if (documents.length > 0) await index.put(db, documents);
  for (const { terms } of documents) add(terms, 1);
  const changed = new Map([...changes].filter(([, by]) => by !== 0));
  if (changed.size > 0) await index.addTermCounts(db, changed);
}
