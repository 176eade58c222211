import { z } from 'zod';
import { amount, counted, dayOrTime, dayText, escapeMarks, isWord, toQuotable } from './text.ts';

export type Source = 'record' | 'Dossier';

export type WordsPart =
  | { readonly is: 'own'; readonly text: string }
  | { readonly is: 'name'; readonly text: string }
  /** YYYY-MM-DD. Pages add the age of an `aged` day. */
  | { readonly is: 'day'; readonly text: string; readonly aged: boolean }
  /** Of the fact before it: ` (Dossier, 2026-11-20)`. */
  | { readonly is: 'source'; readonly text: string; readonly by: Source; readonly date: string | undefined }
  /** Foreign: one word without quotation marks and backticks. */
  | { readonly is: 'code'; readonly text: string; readonly href?: string }
  /** Foreign, on one line. */
  | { readonly is: 'quote'; readonly text: string };

/**
 * Keeps our words apart from foreign values. Throws in a template string, because only a renderer may write
 * them.
 */
export class Words {
  readonly parts: readonly WordsPart[];

  constructor(parts: readonly WordsPart[]) {
    this.parts = parts;
  }

  toJSON(): string {
    return toText(this);
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError('Words are written by a renderer, not by a template string.');
  }
}

/** A string from JSON becomes our own words as it is. */
export const wordsSchema = z
  .union([z.instanceof(Words), z.string().transform((text) => ours(text))])
  .meta({ type: 'string' });

/** As read from JSON. */
export type Written<T> = T extends Words
  ? string
  : T extends (infer One)[]
    ? Written<One>[]
    : T extends readonly (infer One)[]
      ? readonly Written<One>[]
      : T extends object
        ? { [Name in keyof T]: Written<T[Name]> }
        : T;

const none = new Words([]);

export const isEmpty = ({ parts }: Words): boolean => parts.length === 0;

function toWords(parts: Iterable<WordsPart>): Words {
  const joined: WordsPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.is !== 'own') joined.push(part);
    else if (last?.is === 'own') joined[joined.length - 1] = { is: 'own', text: last.text + part.text };
    else if (part.text !== '') joined.push(part);
  }
  return joined.length === 0 ? none : new Words(joined);
}

/** `never` for `string`, for a template with a placeholder, and for code, which would be escaped. */
type Literal<T extends string> =
  Record<never, never> extends Record<T, 1> ? never : T extends `${string}\`${string}` ? never : T;

/** A foreign value would be read as ours, so only literals compile. */
export const own = <const T extends string>(text: Literal<T>): Words => toWords([{ is: 'own', text }]);

/** From a table of ours, such as the title of a kind; nothing foreign. */
export const ours = (text: string): Words => toWords([{ is: 'own', text }]);

/** Ours, but not escaped, such as the name of a criterion. */
export const name = (text: string): Words => toWords([{ is: 'name', text }]);

export const count = <const T extends string>(number: number, noun: Literal<T>): Words =>
  toWords([{ is: 'own', text: counted(number, noun) }]);

export const number = (value: number): Words => toWords([{ is: 'own', text: amount(value) }]);

/** Of an RFC 3339 time. Pages add its age. */
export const day = (time: string): Words => new Words([{ is: 'day', text: dayText(time), aged: true }]);

/** As `day`, but without the age. */
export const dayOf = (time: string): Words => new Words([{ is: 'day', text: dayText(time), aged: false }]);

/** As `dayOf`; a time of `today` has its hour. */
export const dayOrTimeOf = (time: string, today: string): Words =>
  dayText(time) === today ? ours(dayOrTime(time, today)) : dayOf(time);

const isSameDay = (from: string, to: string): boolean => dayText(from) === dayText(to);

/** `on D`, after words that name the day of a later time. */
export const onDayBefore = (time: string, later: string): Words =>
  isSameDay(time, later) ? own('earlier that day') : say`on ${day(time)}`;

/** `on D`, after words that name the day of an earlier time. */
export const onDayAfter = (time: string, earlier: string): Words =>
  isSameDay(time, earlier) ? own('later that day') : say`on ${dayOf(time)}`;

/** `since D`, after words that name the day of an earlier time. */
export const sinceDayOf = (time: string, earlier: string): Words =>
  isSameDay(time, earlier) ? own('since later that day') : say`since ${dayOf(time)}`;

/** `between D and D`, or `on D`. */
export const betweenDays = (from: string, to: string): Words =>
  isSameDay(from, to) ? say`on ${dayOf(to)}` : say`between ${dayOf(from)} and ${dayOf(to)}`;

/** `from D to D`, or `on D`. */
export const fromDayToDay = (from: string, to: string): Words =>
  isSameDay(from, to) ? say`on ${dayOf(to)}` : say`from ${dayOf(from)} to ${dayOf(to)}`;

export const source = (by: Source, date?: string): Words =>
  new Words([{ is: 'source', text: ` (${date === undefined ? by : `${by}, ${date}`})`, by, date }]);

export const withoutSource = ({ parts }: Words, by: Source, date: string | undefined): Words =>
  toWords(parts.filter((part) => part.is !== 'source' || part.by !== by || part.date !== date));

/** The caller names the author before it. */
export const quote = (text: string): Words => new Words([{ is: 'quote', text: toQuotable(text) }]);

/** Foreign; quoted unless `isWord`. */
export const code = (text: string, href?: string): Words =>
  isWord(text) ? new Words([{ is: 'code', text, ...(href !== undefined && { href }) }]) : quote(text);

export const eachCode = (texts: readonly string[]): Words[] => texts.map((text) => code(text));

/** In code spans, or all in one quote if any is not `isWord`. */
export function codes(values: readonly string[], most = values.length, total = values.length): Words {
  const shown = values.slice(0, most);
  const words = eachCode(shown);
  const isEach = words.every(({ parts }) => parts[0]?.is === 'code');
  const said = isEach ? join(words, ', ') : quote(shown.join(', '));
  return total > shown.length ? say`${said} and ${total - shown.length} more` : said;
}

/** Words that may be left out of a sentence or a list. */
type Maybe = Words | false | undefined;

/** A string in a placeholder does not compile: use `own`, `code` or `quote`. */
export function say(texts: TemplateStringsArray, ...words: readonly (Maybe | number)[]): Words {
  const parts = texts.flatMap((text, at): readonly WordsPart[] => {
    const before = at > 0 && words[at - 1];
    const { parts } = typeof before === 'number' ? number(before) : before || none;
    return [...parts, { is: 'own', text }];
  });
  return toWords(parts);
}

/** Without empty words. */
export function join<const T extends string>(all: readonly Maybe[], between: Literal<T>): Words {
  const said = all.flatMap((words) => (words && !isEmpty(words) ? [words] : []));
  const gap: WordsPart = { is: 'own', text: between };
  return toWords(said.flatMap(({ parts }, at) => (at === 0 ? parts : [gap, ...parts])));
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function listed(all: readonly Words[], most = all.length, total = all.length): Words {
  const shown = all.slice(0, most);
  const more = total - shown.length;
  const last = more > 0 ? number(more) : shown.at(-1);
  if (!last) return none;
  const before = more > 0 ? shown : shown.slice(0, -1);
  const end = more > 0 ? say`${last} more` : last;
  return before.length === 0 ? end : say`${join(before, ', ')} and ${end}`;
}

/** Adds a full stop. Only our own words and quotes can already have one. */
export function ended({ parts }: Words): Words {
  const last = parts.at(-1);
  if (!last) return none;
  const isEnded = (last.is === 'own' || last.is === 'quote') && /[.!?]$/.test(last.text);
  return isEnded ? new Words(parts) : toWords([...parts, { is: 'own', text: '.' }]);
}

/** npm keeps its small letter at the beginning of a sentence. */
const smallName = /^npm\b/;

/** Our words get a capital, the end a full stop. */
export function sentence({ parts }: Words): Words {
  const [first, ...others] = parts;
  if (first?.is !== 'own' || smallName.test(first.text)) return ended(new Words(parts));
  const text = first.text.charAt(0).toUpperCase() + first.text.slice(1);
  return ended(new Words([{ is: 'own', text }, ...others]));
}

/** After a colon. Abbreviations, Dossier and names with a capital in them keep their capital. */
export function within({ parts }: Words): Words {
  const [first, ...others] = parts;
  if (first?.is !== 'own' || !/^(?!Dossier\b)[A-Z][a-z]*\b/.test(first.text)) return new Words(parts);
  const text = first.text.charAt(0).toLowerCase() + first.text.slice(1);
  return new Words([{ is: 'own', text }, ...others]);
}

export function phrase({ parts }: Words): Words {
  const last = parts.at(-1);
  if (last?.is !== 'own' || !last.text.endsWith('.')) return new Words(parts);
  return toWords([...parts.slice(0, -1), { is: 'own', text: last.text.slice(0, -1) }]);
}

const isForeign = ({ is }: WordsPart): boolean => is === 'code' || is === 'quote';

export function hasForeign(value: unknown): boolean {
  if (value instanceof Words) return value.parts.some(isForeign);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasForeign);
}

/** Within a word, such as a tool's name, Markdown reads `_` literally. */
export const escapeOwn = (text: string): string => escapeMarks(text).replaceAll(/(?<=\w)\\_(?=\w)/g, '_');

/** The marks of changed words cannot begin a link. */
const escapeQuote = (text: string): string =>
  escapeMarks(text).replaceAll(/\\(?=\[-|\{\+)|(?<=-)\\(?=\](?![([:]))|(?<=\+)\\(?=\})/g, '');

const writers = {
  text: { own: (text: string) => text, quote: (text: string) => `“${text}”` },
  title: { own: (text: string) => text, quote: (text: string) => `\u2068“${text}”\u2069` },
  markdown: { own: escapeOwn, quote: (text: string) => `“${escapeQuote(text)}”` },
} as const;

const writeWords = ({ parts }: Words, { own, quote }: (typeof writers)[keyof typeof writers]): string =>
  parts
    .map(({ is, text }) => {
      if (is === 'quote') return quote(text);
      if (is === 'code') return `\`${text}\``;
      return is === 'own' ? own(text) : text;
    })
    .join('');

/** For models and JSON, with foreign text in “ ” or backticks. */
export const toText = (words: Words): string => writeWords(words, writers.text);

/** For a title or a label, which has no elements: a quote cannot reorder what stands beside it. */
export const toTitle = (words: Words): string => writeWords(words, writers.title);

/** Within a line. Code spans and names are not escaped. */
export const toMarkdown = (words: Words): string => writeWords(words, writers.markdown);
