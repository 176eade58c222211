import { domainToUnicode } from 'node:url';
import type { Reference } from './references.ts';

/** Each looks like the letter of ASCII before it. */
const alike =
  'aаαɑ bвƅь cсϲ dԁđ eеεҽ gɡ hһн iіιıӏ jј kкκ lⅼł mм nпηո oоοօøσ pрρ qԛ rг sѕ tтτ uυս vνѵ wԝω xхχ yуγү zʐ -‐‑‒–—−';
const letters = new Map(
  alike.split(' ').flatMap(([letter = '', ...others]) => others.map((one) => [one, letter] as const)),
);

/** Empty for what nobody sees. */
export const plainLetter = (letter: string): string =>
  [...letter.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')]
    .map((one) => letters.get(one) ?? letters.get(one.toLowerCase())?.toUpperCase() ?? one)
    .join('');
const toPlain = (text: string) => [...text.normalize('NFC')].map(plainLetter).join('');

/** With the letters that it seems to have; undefined for one that is what it seems. */
export function toPlainHost(host: string): string | undefined {
  const plain = toPlain(domainToUnicode(host));
  return plain !== host && /^[\w.-]+$/.test(plain) ? plain : undefined;
}

/** A word of a text that seems to be one of ASCII, and its letters that are others. */
interface AlikeWord {
  readonly plain: string;
  readonly others: readonly string[];
}

const words = /(?:[^\s"'`<>|,;()[\]{}]|\ufeff)+/g;

/** `isOfAll`: also words without a letter of ASCII, which a text in another script may have. */
export function toPlainWords(text: string, isOfAll: boolean) {
  const alikeWords: AlikeWord[] = [];
  const plain = text.replace(words, (word) => {
    const seeming = toPlain(word);
    const isMixed = isOfAll || /[a-z\d]/i.test(word.normalize('NFKC'));
    if (!isMixed || seeming === word || !/^[!-~]+$/.test(seeming)) return word;
    const others = [...word.normalize('NFC')].filter((one) => plainLetter(one) !== one);
    alikeWords.push({ plain: seeming, others });
    return seeming;
  });
  return { plain, alikeWords };
}

/** As in `é`, which a title may have. */
export const isAccented = (letter: string): boolean =>
  /^[a-z]\p{M}+$/iu.test(letter.normalize('NFD')) && letter.normalize('NFKD') === letter.normalize('NFD');

export const isAtHost = ({ kind, key }: Reference): boolean =>
  kind === 'endpoint' || kind === 'host' || (kind === 'owner' && !key.includes('/'));
