/** Kinds of character that are taken out of foreign text (docs/trust.md section 6). */
export type TextFlag = 'control' | 'bidi' | 'zero_width' | 'tag_block' | 'lone_surrogate';

/** A text without what can hide or turn other text, and which kinds of character were taken out. */
export interface CleanedText {
  readonly text: string;
  readonly flags: readonly TextFlag[];
}

const plain = /^[\n\x20-\x7e]*$/;

/**
 * What is taken out, in this order: what goes later must not join halves of what went before. Variation selectors
 * stay where one follows a character, as emoji need them.
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
 * Foreign text as we keep it: without C0 and C1 controls, bidi controls, zero-width characters, the tag block and
 * lone surrogates, then NFC. Line ends become `\n`, tabs a space. Says which kinds were found.
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

/** Cleaned foreign text on one line: every run of white space is one space, none at the ends. */
export const toLine = (foreign: string): string => cleanText(foreign).text.replace(/\s+/g, ' ').trim();
