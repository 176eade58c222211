/** Kinds of character that are removed from foreign text (docs/trust.md section 6). */
export type TextFlag = 'control' | 'bidi' | 'zero_width' | 'tag_block' | 'lone_surrogate' | 'stacked_marks';

/** A text without characters that can hide or reorder other text, and the kinds that were removed. */
export interface CleanedText {
  readonly text: string;
  readonly flags: readonly TextFlag[];
}

const plain = /^[\n\x20-\x7e]*$/;

/**
 * What is removed, in this order: a later removal must not join the halves of something removed earlier. Of what is
 * invisible by default (Unicode, Default_Ignorable_Code_Point) and of format characters only those stay that show
 * something: marks of Arabic, Syriac and Kaithi, and the two selectors that make a character text or emoji.
 */
const hidden: readonly (readonly [TextFlag, RegExp])[] = [
  ['lone_surrogate', /\p{Cs}/gu],
  ['control', /(?![\t\n\r\u0085])\p{Cc}/gu],
  ['bidi', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu],
  ['tag_block', /[\u{e0000}-\u{e0fff}]/gu],
  ['zero_width', /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb\u{13430}-\u{1343f}]/gu],
  ['zero_width', /(?<!\p{Emoji})[\ufe0e\ufe0f]/gu],
  ['stacked_marks', /(?<=\p{M}{4})\p{M}+/gu],
];

/**
 * Foreign text as it is stored: without C0 and C1 controls, bidi controls, invisible characters, the tag block, lone
 * surrogates, and more than four marks on one character, then NFC. Line ends become `\n`, tabs a space. Also returns which kinds were found.
 */
export function cleanText(foreign: string): CleanedText {
  if (plain.test(foreign)) return { text: foreign, flags: [] };
  const flags: TextFlag[] = [];
  let text = foreign.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll('\t', ' ');
  for (const [flag, characters] of hidden) {
    const without = text.replace(characters, '');
    if (without !== text && !flags.includes(flag)) flags.push(flag);
    text = without;
  }
  return { text: text.normalize('NFC'), flags };
}

/** Cleaned foreign text on one line: runs of white space become one space, none at the ends. */
export const toLine = (foreign: string): string => cleanText(foreign).text.replace(/\s+/g, ' ').trim();

const codePoint = (characters: string) =>
  Array.from(
    characters,
    (character) => `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  ).join('');

/** Foreign text on one line with the characters that `cleanText` removes named instead, as ‹U+202E›: for differences. */
export const nameHidden = (foreign: string): string =>
  hidden
    .reduce((text, [, characters]) => text.replace(characters, codePoint), foreign)
    .replace(/\s+/g, ' ')
    .trim();
