import { html } from 'hono/html';
import type { ShortListing } from '../../evidence/listing/short-listing.ts';
import { tokenize } from '../../evidence/text/tokenize.ts';
import type { Html } from './html.ts';

const shortestStart = 3;

/** Foreign text with the words of a search marked, as search matches them: the last one from three letters on as a beginning. */
export function marked(text: string, words: readonly string[]): Html {
  const last = words.at(-1);
  if (last === undefined) return html`${text}`;
  const isMeant = (word: string) =>
    words.includes(word) || ([...last].length >= shortestStart && word.startsWith(last));
  const parts = text.split(/([\p{L}\p{M}\p{N}]+)/u);
  return html`${parts.map((part, at) => (at % 2 === 1 && tokenize(part).some(isMeant) ? html`<mark>${part}</mark>` : part))}`;
}

const texts = {
  name: ['in its name', 'in its name'],
  tags: ['in its tags', 'in its name and tags'],
  text: ['in its description or handle', 'across handle, tags and description'],
} as const;

/** Where the words of a search were found, for the order; nothing without words. */
export const foundText = ({ found_in }: ShortListing, words: readonly string[]): string | undefined =>
  found_in && `found ${texts[found_in][words.length > 1 ? 1 : 0]}`;
