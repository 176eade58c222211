import { lazy } from './lazy.ts';

const thousands = lazy(() => new Intl.NumberFormat('en'));

/** `1,250` */
export const amount = (count: number): string => (count < 1000 ? String(count) : thousands().format(count));

/** `1 listing`, `1,250 listings`, `2 advisories`. */
export const counted = (count: number, noun: string): string =>
  `${amount(count)} ${count === 1 ? noun : `${noun.replace(/(?<![aeiou])y$/, 'ie')}s`}`;

const isOneLine = (text: string) => !/[^\S ]|\p{Cc}| {2}/u.test(text);

const oneLine = (text: string) => (isOneLine(text) ? text : text.replace(/[\s\p{Cc}]+/gu, ' ')).trim();

/** Within a line of Markdown. */
export const escapeMarks = (text: string): string =>
  text.replace(/[\\`*_{}[\]<>|~&$@]/g, '\\$&').replace(/:(?=\/\/)|(?<=www)\./gi, '\\$&');

export const quotationMarks = /[“”„‟«»＂〝〞〟❝❞❠⹂″‶ˮ״🙶🙷🙸]/gu;

/** Other quotation marks are replaced, because the text after one would be read as ours. */
export const toQuotable = (text: string): string =>
  oneLine(text).replace(quotationMarks, "'").replaceAll('"', "'");

/** The caller names the author before it. */
export const quoted = (text: string): string => `“${toQuotable(text)}”`;

/** Cannot end a code span. */
export const isWord = (text: string): boolean => /^[\w@./:+~%#?&=!*[\]{}<>$-]+$/.test(text);

/** A third party's, quoted unless it is one word or several with commas. */
export const named = (text: string): string => (text.split(', ').every(isWord) ? text : quoted(text));

/** A third party's: one word is a code span, anything else quoted. */
export const coded = (text: string): string => (isWord(text) ? `\`${text}\`` : quoted(text));

export const toQuote = (text: string): string => escapeMarks(quoted(text));

/** Quoted if it has inner spaces or typographic quotation marks. */
export const code = (text: string): string =>
  /\s/.test(text.trim()) || text.search(quotationMarks) >= 0
    ? toQuote(text)
    : `\`${oneLine(text).replaceAll('`', "'")}\``;

export const isWebAddress = (text: string): boolean => /^https?:/i.test(text);

export const toSentence = (phrase: string): string =>
  `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${/[.!?]$/.test(phrase) ? '' : '.'}`;

export const lines = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join('\n');

export const paragraphs = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join('\n\n');

export const list = <T>(items: readonly T[], show: (item: T) => string): string =>
  items.map((item) => `* ${show(item)}`).join('\n');

export const day_s = 86_400;
export const day_ms = 86_400_000;

export const nextDay_ms = (now: Date): number => (Math.floor(now.getTime() / day_ms) + 1) * day_ms;

/** Of times in one form, the newest. */
export const lastOf = (times: readonly string[]): string | undefined => times.toSorted().at(-1);

/** YYYY-MM-DD of a time in UTC. */
export const dayText = (time: string | Date): string =>
  (typeof time === 'string' ? time : time.toISOString()).slice(0, 10);

/** With its hour if it is a time of today, because what failed a minute ago may be news. */
export const dayOrTime = (time: string, today: string): string =>
  dayText(time) === today ? `${time.slice(0, 16).replace('T', ' ')} UTC` : dayText(time);

const plain = /^[\n\x20-\x7e]*$/;

/**
 * In an order in which no step leaves work for an earlier one. Of Default_Ignorable_Code_Point only the
 * selectors of text and emoji style stay, after an emoji; of other format characters the visible marks of
 * Arabic, Syriac and Kaithi.
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

/** Applies NFC too, and makes line endings line feeds and tabs spaces. `flags`: what was removed. */
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
 * Invisible but of use: tags of three flags, joiners of emoji and letters, breaks between words without
 * spaces, variants of Han and Mongolian characters, one direction mark beside letters from right to left,
 * soft hyphens.
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

/** Without `needed` ones. Names `most` different ones, like U+200B. */
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

export const toLine = (foreign: string): string => cleanText(foreign).text.replace(/\s+/g, ' ').trim();

const codePoint = (characters: string) => Array.from(characters, (one) => `‹${toCodePoint(one)}›`).join('');

/** On one line; what `cleanText` removes is named like ‹U+202E›. */
export const nameHidden = (foreign: string): string =>
  hidden
    .reduce((text, [, characters]) => text.replace(characters, codePoint), foreign)
    .replace(/\s+/g, ' ')
    .trim();

const ascii = /^[ -~]*$/;

/** For search, the same on every engine. */
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

/** `5 days ago`, `13 months ago`, or `today`, also for a later date. YYYY-MM-DD. */
export function ageText(date: string, today: string): string {
  const days = Math.round((Date.parse(today) - Date.parse(date)) / day_ms);
  if (days <= 0) return 'today';
  const ago = (count: number, noun: string) => `${counted(Math.floor(count), noun)} ago`;
  if (days < 28) return ago(days, 'day');
  if (days < 84) return ago(days / 7, 'week');
  const monthOf = (day: string) => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));
  const months = monthOf(today) - monthOf(date) - (today.slice(8) < date.slice(8) ? 1 : 0);
  return months < 24 ? ago(months, 'month') : ago(months / 12, 'year');
}

/** Texts that differ only in hidden characters stay different. */
export const toShownName = (text: string) => toLine(nameHidden(text));

/** `{x}`, `[X]`, `<x>`, `YOUR_X`. The others stay: `?filter[x]=`, and an IPv6 host. */
const placeholder =
  /\{([^{}"'%]+)\}|<([a-z][^<>]*)>|\[([a-z][\w .-]*)\](?![=[])|(?<![a-z0-9])(your[_-][a-z0-9_-]+)/gi;

/** As `{x}`. Only capitals make `YOUR_X`. */
export const toBraced = (text: string): string =>
  text.replace(placeholder, (whole, braced?: string, angled?: string, bracketed?: string, bare?: string) => {
    const name = braced ?? angled ?? bracketed ?? (bare === bare?.toUpperCase() ? bare : undefined);
    return name === undefined ? whole : `{${name}}`;
  });

/** As `toBraced`, also if percent-encoded. */
export const bracedIn = (text: string): string =>
  toBraced(text.replace(/%(?:[57][BD]|3[CE])/gi, decodeURIComponent));

/** In a text of `toBraced`. */
export const openPart = /\{([^{}"'%]+)\}/g;

/** What the caller fills in. */
export const placeholdersIn = (text: string): string[] => [
  ...new Set([...bracedIn(text).matchAll(openPart)].map(([, name = '']) => name)),
];

/** Nothing beside it. */
export function isPlaceholderOnly(text: string): boolean {
  const [name, ...others] = placeholdersIn(text);
  return others.length === 0 && [name, `{${name}}`, `[${name}]`, `<${name}>`].includes(text);
}

/** Never asked and never given to paste as it is. */
export const isTemplate = (address: string): boolean =>
  /[{}]/.test(address) || placeholdersIn(address).length > 0;

export const hasTemplateHost = (address: string): boolean =>
  isTemplate(/^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)/i.exec(address)?.[1] ?? '');
