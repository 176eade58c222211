import type { ListingRow } from '../../store/store.ts';
import { tokenize } from './tokenize.ts';

/** The words of a listing that a search looks in, tier by tier; the same for every engine. */
export interface SearchText {
  readonly name: readonly string[];
  readonly tags: readonly string[];
  readonly body: readonly string[];
}

/** Where a forge's accounts live: in the handles of half the registry, and part of nobody's own name. */
const forgePrefix = /^(io|com)\.(github|gitlab)\./i;

/** Own name (namespace without its forge, name, title), tags, and the rest. */
export function toSearchText(row: Pick<ListingRow, 'handle' | 'title' | 'tags' | 'description'>): SearchText {
  const [forge = ''] = forgePrefix.exec(row.handle) ?? [];
  return {
    name: tokenize(`${row.handle.slice(forge.length)} ${row.title ?? ''}`),
    tags: (JSON.parse(row.tags) as { tag: string }[]).flatMap(({ tag }) => tokenize(tag)),
    body: tokenize(`${row.description} ${forge}`),
  };
}
