/** Kinds of character that are removed from foreign text (docs/trust.md section 6). */
export type TextFlag = 'control' | 'bidi' | 'zero_width' | 'tag_block' | 'lone_surrogate';

/** A text without characters that can hide or reorder other text, and the kinds that were removed. */
export interface CleanedText {
  readonly text: string;
  readonly flags: readonly TextFlag[];
}

const plain = /^[\n\x20-\x7e]*$/;

/**
 * What is removed, in this order: a later removal must not join the halves of something removed earlier. A variation
 * selector stays after a character, because emoji need it.
 */
const hidden: readonly (readonly [TextFlag, RegExp])[] = [
  ['lone_surrogate', /\p{Cs}/gu],
  ['control', /(?![\t\n\r\u0085])\p{Cc}/gu],
  ['bidi', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu],
  ['tag_block', /[\u{e0000}-\u{e0fff}]/gu],
  [
    'zero_width',
    /[\u034f\u17b4\u17b5\u00ad\u115f\u1160\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0]/gu,
  ],
  ['zero_width', /(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu],
];

/**
 * Foreign text as it is stored: without C0 and C1 controls, bidi controls, zero-width characters, the tag block and
 * lone surrogates, then NFC. Line ends become `\n`, tabs a space. Also returns which kinds were found.
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

const codePoint = (character: string) =>
  `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/** Foreign text on one line with the characters that `cleanText` removes named instead, as ‹U+202E›: for differences. */
export const nameHidden = (foreign: string): string =>
  hidden
    .reduce((text, [, characters]) => text.replace(characters, codePoint), foreign)
    .replace(/\s+/g, ' ')
    .trim();
