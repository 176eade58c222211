const ascii = /^[ -~\n]*$/;
const asciiRun = /[A-Za-z0-9]+/g;
const run = /[\p{L}\p{N}]+/gu;
/** Scripts that are written without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]+/gu;
const camelHump = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
/** Both of its parts are stop words. */
const toDo = /\bto-do(?=s?\b)/gi;
const shortestPart = 3;
/** PostgreSQL stores no lexeme longer than 2,046 bytes. */
const longestWord = 100;

/** A word as written, lower-cased; `parts` are the words of a camel-case one. */
export interface Word {
  readonly text: string;
  readonly parts: readonly string[];
}

/** Compatibility-decomposed, without marks; a final sigma as any other. */
const toPlain = (text: string) =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').normalize('NFC').replaceAll('ς', 'σ');

/** Pairs of characters: where no spaces divide words, they stand for them. */
function toPairs(text: string): string[] {
  const characters = [...text];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function toWord(text: string): Word {
  const lower = text.toLowerCase();
  const parts = lower !== text && camelHump.test(text) ? text.split(camelHump) : [];
  return {
    text: lower.slice(0, longestWord),
    parts: parts.filter(({ length }) => length >= shortestPart).map((part) => part.toLowerCase()),
  };
}

function toForeignWords(text: string): Word[] {
  const words: Word[] = [];
  for (const [found] of toPlain(text).matchAll(run)) {
    let at = 0;
    for (const { 0: piece, index } of found.matchAll(unspaced)) {
      if (index > at) words.push(toWord(found.slice(at, index)));
      words.push(...toPairs(piece).map((pair) => ({ text: pair, parts: [] })));
      at = index + piece.length;
    }
    if (at < found.length) words.push(toWord(found.slice(at)));
  }
  return words;
}

/** The words of a text in their order, the same at index and at query: runs of letters and digits, without `'s`. */
export function toWords(text: string): Word[] {
  const spoken = (text.includes('s') ? text.replace(/['’]s\b/g, '') : text).replace(toDo, 'todo');
  if (ascii.test(spoken)) return (spoken.match(asciiRun) ?? []).map(toWord);
  return toForeignWords(spoken);
}
