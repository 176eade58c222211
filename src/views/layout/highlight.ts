import { html } from 'hono/html';
import { stem } from '../../evidence/search/stem.ts';
import { stopWords } from '../../evidence/search/stop-words.ts';
import { toWords } from '../../evidence/search/words.ts';
import type { Html } from './html.ts';

const minPrefixLength = 3;

/** The words of a query to highlight. */
export interface SearchWords {
  readonly stems: ReadonlySet<string>;
  /** The last word, from three letters on; it is highlighted as a prefix too. */
  readonly prefix: string | undefined;
}

/** The words of a query to highlight: by their stems, without stop words. */
export function toSearchWords(query: string): SearchWords {
  const words = toWords(query).map(({ text }) => text);
  const informative = words.filter((word) => !stopWords.has(word));
  const last = words.at(-1) ?? '';
  return {
    stems: new Set((informative.length > 0 ? informative : words).map(stem)),
    prefix: [...last].length >= minPrefixLength && !stopWords.has(last) ? last : undefined,
  };
}

/** Third-party text with the words of a search highlighted. */
export function highlight(text: string, { stems, prefix }: SearchWords): Html {
  if (stems.size === 0) return html`${text}`;
  const isMatch = (word: string) =>
    stems.has(stem(word)) || (prefix !== undefined && word.startsWith(prefix));
  const parts = text.split(/([\p{L}\p{M}\p{N}]+)/u);
  return html`${parts.map((part, at) =>
    at % 2 === 1 && toWords(part).some((word) => [word.text, ...word.parts].some(isMatch))
      ? html`<mark>${part}</mark>`
      : part,
  )}`;
}
