import { html } from 'hono/html';
import type { ShortListing } from '../../evidence/listing/short-listing.ts';
import { tokenize } from '../../evidence/text/tokenize.ts';
import type { Html } from './html.ts';

const minPrefixLength = 3;

/** Third-party text with the words of a search highlighted, matched as the search does: the last one as a prefix from three letters on. */
export function highlight(text: string, words: readonly string[]): Html {
  const last = words.at(-1);
  if (last === undefined) return html`${text}`;
  const isMatch = (word: string) =>
    words.includes(word) || ([...last].length >= minPrefixLength && word.startsWith(last));
  const parts = text.split(/([\p{L}\p{M}\p{N}]+)/u);
  return html`${parts.map((part, at) => (at % 2 === 1 && tokenize(part).some(isMatch) ? html`<mark>${part}</mark>` : part))}`;
}

const texts = {
  name: ['in its name', 'in its name'],
  tags: ['in its tags', 'in its name and tags'],
  text: ['in its description or handle', 'across handle, tags and description'],
} as const;

/** Where the words of a search were found; undefined without words. */
export const foundInText = ({ found_in }: ShortListing, words: readonly string[]): string | undefined =>
  found_in && `found ${texts[found_in][words.length > 1 ? 1 : 0]}`;
