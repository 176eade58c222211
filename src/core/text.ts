import { lazy } from './lazy.ts';

const thousands = lazy(() => new Intl.NumberFormat('en'));

/** A count as people read it, thousands separated: `1,250`. */
export const amount = (count: number): string => (count < 1000 ? String(count) : thousands().format(count));

/** A count with its noun: `1 listing`, `1,250 listings`, `2 advisories`. */
export const counted = (count: number, noun: string): string =>
  `${amount(count)} ${count === 1 ? noun : `${noun.replace(/(?<![aeiou])y$/, 'ie')}s`}`;

const isOneLine = (text: string) => !/[^\S ]|\p{Cc}| {2}/u.test(text);

const oneLine = (text: string) => (isOneLine(text) ? text : text.replace(/[\s\p{Cc}]+/gu, ' ')).trim();

/** A text within a line of Markdown, without any markup. */
export const escapeMarks = (text: string): string =>
  text.replace(/[\\`*_{}[\]<>|~&$@]/g, '\\$&').replace(/:(?=\/\/)|(?<=www)\./gi, '\\$&');

/** Besides the one of ASCII. */
export const quotationMarks = /[“”„‟«»＂〝〞〟❝❞❠⹂″‶ˮ״🙶🙷🙸]/gu;

/**
 * A third party's text inside our own: on one line and in “ ”, with the quotes inside it replaced, so that it
 * cannot end them and go on in our voice. Whoever wrote it is named before it.
 */
export const quoted = (text: string): string =>
  `“${oneLine(text).replace(quotationMarks, "'").replaceAll('"', "'")}”`;

/**
 * A third party's name, address or version inside our own text: one word, or several behind commas, cannot
 * speak for us; else quoted.
 */
export const named = (text: string): string =>
  /^[\w@./:+~%#?&=!*[\]{}<>$-]+(, [\w@./:+~%#?&=!*[\]{}<>$-]+)*$/.test(text) ? text : quoted(text);

/**
 * The same within a sentence of ours that `toInlineText` or a page shows: one word in a code span, which
 * cannot hold a backtick; else quoted.
 */
export const coded = (text: string): string =>
  /^[\w@./:+~%#?&=!*[\]{}<>$-]+$/.test(text) ? `\`${text}\`` : quoted(text);

/** A quoted text in Markdown, escaped. */
export const toQuote = (text: string): string => escapeMarks(quoted(text));

/**
 * An address or a name as a code span; in quotes if it has spaces or quotation marks, as no such value is
 * copied.
 */
export const code = (text: string): string =>
  /\s/.test(text.trim()) || text.search(quotationMarks) >= 0
    ? toQuote(text)
    : `\`${oneLine(text).replaceAll('`', "'")}\``;

/** A phrase as a sentence: a capital at its beginning, a full stop at its end. */
export const toSentence = (phrase: string): string =>
  `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${/[.!?]$/.test(phrase) ? '' : '.'}`;

/** Joins lines, without absent and empty ones. */
export const lines = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join('\n');

/** Joins paragraphs, without absent and empty ones. */
export const paragraphs = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join('\n\n');

/** A list, one item a line. */
export const list = <T>(items: readonly T[], show: (item: T) => string): string =>
  items.map((item) => `* ${show(item)}`).join('\n');

export const day_ms = 86_400_000;

/** The day of an RFC 3339 time. */
export const day = (time: string): string => time.slice(0, 10);

const plain = /^[\n\x20-\x7e]*$/;

/**
 * What is removed, in this order: a later removal must not join the halves of something removed earlier. Of
 * what is invisible by default (Unicode, Default_Ignorable_Code_Point) and of format characters only those
 * stay that show something: marks of Arabic, Syriac and Kaithi, and the two selectors that make a character
 * text or emoji.
 */
const hidden = [
  ['lone_surrogate', /\p{Cs}/gu],
  ['control', /(?![\t\n\r\u0085])\p{Cc}/gu],
  ['bidi', /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu],
  ['tag_block', /[\u{e0000}-\u{e0fff}]/gu],
  ['zero_width', /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb\u{13430}-\u{1343f}]/gu],
  ['zero_width', /(?<!\p{Emoji})[\ufe0e\ufe0f]/gu],
  ['stacked_marks', /(?<=\p{M}{4})\p{M}+/gu],
] as const;

/**
 * Foreign text as it is stored: without C0 and C1 controls, bidi controls, invisible characters, the tag
 * block, lone surrogates, and more than four marks on one character, then NFC. Line ends become `\n`, tabs a
 * space. Also returns which kinds were found.
 */
export function cleanText(foreign: string) {
  if (plain.test(foreign)) return { text: foreign, flags: [] };
  const flags: (typeof hidden)[number][0][] = [];
  let text = foreign.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll('\t', ' ');
  for (const [flag, characters] of hidden) {
    const without = text.replace(characters, '');
    if (without !== text && !flags.includes(flag)) flags.push(flag);
    text = without;
  }
  return { text: text.normalize('NFC'), flags };
}

const toCodePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const unseen = lazy(
  () =>
    new RegExp(
      [
        ...hidden.flatMap(([kind, { source }]) => (/surrogate|marks/.test(kind) ? [] : [source])),
        '(?<=[0-9#*])[\\ufe0e\\ufe0f](?!\\u20e3)',
      ].join('|'),
      'gu',
    ),
);

const scripts = (...names: string[]) => names.map((name) => `\\p{Script=${name}}`).join('');
const rightToLeft = scripts('Arabic', 'Hebrew', 'Syriac', 'Thaana', 'Nko', 'Adlam');
const joining = `${scripts('Arabic', 'Syriac', 'Mongolian', 'Nko', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan')}\\u0900-\\u0d7f`;
const withoutSpaces = scripts('Khmer', 'Thai', 'Lao', 'Myanmar');
const marks = '[\\u061c\\u200e\\u200f\\u2066-\\u2069]';

/**
 * What writing needs of them: three flags, joiners of emoji and of letters that join, breaks between words
 * that are written without spaces, variants of Han and Mongolian characters, one mark of direction beside
 * letters that run from right to left, soft hyphens.
 */
const needed = lazy(
  () =>
    new RegExp(
      [
        '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
        '(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})',
        `(?<=[${joining}])[\\u200c\\u200d](?![\\u200c\\u200d])`,
        `(?<=[${withoutSpaces}])\\u200b(?=[${withoutSpaces}])`,
        '(?<=\\p{Script=Mongolian})[\\u180b-\\u180f]',
        '(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
        `(?<=[${rightToLeft}][\\s\\p{P}\\d]{0,3})${marks}(?!${marks})|(?<!${marks})${marks}(?=[\\s\\p{P}\\d]{0,3}[${rightToLeft}])`,
        '(?<=\\p{L})\\u00ad(?=\\p{L})',
      ].join('|'),
      'gu',
    ),
);

/**
 * Characters of a text that cannot be seen and that its writing does not need: how many, and up to `most`
 * different ones, as U+200B.
 */
export function hiddenCharacters(foreign: string, most: number) {
  const characters = new Set<string>();
  let count = 0;
  if (!plain.test(foreign))
    for (const [found] of foreign.replace(needed(), '').matchAll(unseen())) {
      count += 1;
      if (characters.size < most) characters.add(toCodePoint(found));
    }
  return { count, characters: [...characters] };
}

/** Cleaned foreign text on one line: runs of white space become one space, none at the ends. */
export const toLine = (foreign: string): string => cleanText(foreign).text.replace(/\s+/g, ' ').trim();

const codePoint = (characters: string) => Array.from(characters, (one) => `‹${toCodePoint(one)}›`).join('');

/**
 * Foreign text on one line with the characters that `cleanText` removes named instead, as ‹U+202E›: for
 * differences.
 */
export const nameHidden = (foreign: string): string =>
  hidden
    .reduce((text, [, characters]) => text.replace(characters, codePoint), foreign)
    .replace(/\s+/g, ' ')
    .trim();

const ascii = /^[ -~]*$/;

/**
 * The words of a text, the same for search on every engine: compatibility-decomposed, without marks,
 * lower-cased (a final sigma as any other), runs of letters and digits.
 */
export function tokenize(text: string): string[] {
  if (ascii.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * How long ago a day is, seen from another (both YYYY-MM-DD): `today`, `5 days ago`, `8 weeks ago`, `13
 * months ago`, `3 years ago`.
 */
export function ageText(date: string, today: string): string {
  const days = Math.round((Date.parse(today) - Date.parse(date)) / day_ms);
  if (days <= 0) return 'today';
  const ago = (count: number, noun: string) => `${counted(Math.floor(count), noun)} ago`;
  if (days < 28) return ago(days, 'day');
  if (days < 84) return ago(days / 7, 'week');
  return days < 730 ? ago(days / 30.44, 'month') : ago(days / 365.25, 'year');
}
