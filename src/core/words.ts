import { z } from 'zod';
import { amount, counted, escapeMarks, quotationMarks } from './text.ts';

/** Whose word a fact is: the record of the listing, or a check of Dossier. */
export type Source = 'record' | 'Dossier';

/** A part of a text: our own words, a day, a source, or what somebody else wrote, marked as such. */
export type Part =
  | { readonly is: 'own'; readonly text: string }
  /** A name of ours, as callers write it. */
  | { readonly is: 'name'; readonly text: string }
  /** YYYY-MM-DD; of one that is `aged`, pages say how long ago it was. */
  | { readonly is: 'day'; readonly text: string; readonly aged: boolean }
  /** Whose word the fact before it is, as of which day; `text` is ` (Dossier, 2026-11-20)`. */
  | { readonly is: 'source'; readonly text: string; readonly by: Source; readonly date: string | undefined }
  /**
   * A name, address or version that people copy: one word without spaces and quotation marks; `href` is where
   * it leads.
   */
  | { readonly is: 'code'; readonly text: string; readonly href?: string }
  /** Any other foreign text, on one line. */
  | { readonly is: 'quote'; readonly text: string };

/**
 * A text in which our own words and foreign values stay apart until a renderer writes it (`toText`,
 * `toMarkdown`, views/words.ts). It has no string methods and cannot be put into a template string, so that
 * nobody reads a fact back from its words. Its JSON is its text.
 */
export class Words {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  toJSON(): string {
    return toText(this);
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError('Words are written by a renderer, not by a template string.');
  }
}

/**
 * In answers of tools and documents, whose JSON has its text; of such an answer, the text as it was written,
 * with its marks.
 */
export const wordsSchema = z
  .union([z.instanceof(Words), z.string().transform((text) => ours(text))])
  .meta({ type: 'string' });

/** What JSON makes of an answer: a text of each of its words. */
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

/** Whether there is nothing to say. */
export const isEmpty = ({ parts }: Words): boolean => parts.length === 0;

/** Joins parts; own words that touch become one part. */
function toWords(parts: Iterable<Part>): Words {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.is !== 'own') joined.push(part);
    else if (last?.is === 'own') joined[joined.length - 1] = { is: 'own', text: last.text + part.text };
    else if (part.text !== '') joined.push(part);
  }
  return joined.length === 0 ? none : new Words(joined);
}

/** Literal strings and unions of them; never for `string` or a template with a hole. */
type Literal<T extends string> = Record<never, never> extends Record<T, 1> ? never : T;

/** Words of ours: literals only, so that no foreign value can speak for us. */
export const own = <const T extends string>(text: Literal<T>): Words => toWords([{ is: 'own', text }]);

/**
 * A text of ours that is known only at run time because it stands in a table, such as the title of a kind;
 * nothing foreign is in it.
 */
export const ours = (text: string): Words => toWords([{ is: 'own', text }]);

/**
 * A name of ours that callers send or that refers to something, such as that of a criterion: no renderer
 * escapes it.
 */
export const name = (text: string): Words => toWords([{ is: 'name', text }]);

/** `1 tool`, `1,250 tools`; the noun is a literal. */
export const count = <const T extends string>(number: number, noun: Literal<T>): Words =>
  toWords([{ is: 'own', text: counted(number, noun) }]);

/** A number as people read it: `1,250`. */
export const number = (value: number): Words => toWords([{ is: 'own', text: amount(value) }]);

/** The day of an RFC 3339 time; pages say how long ago it was. */
export const day = (time: string): Words => new Words([{ is: 'day', text: time.slice(0, 10), aged: true }]);

/** The same as one end of a span, or as the name of something: how long ago it was says nothing. */
export const dayOf = (time: string): Words =>
  new Words([{ is: 'day', text: time.slice(0, 10), aged: false }]);

/** Behind a fact: whose word it is, and as of which day, YYYY-MM-DD. */
export const source = (by: Source, date?: string): Words =>
  new Words([{ is: 'source', text: ` (${date === undefined ? by : `${by}, ${date}`})`, by, date }]);

/** Words without a source that their surroundings have said. */
export const withoutSource = ({ parts }: Words, by: Source, date: string | undefined): Words =>
  toWords(parts.filter((part) => part.is !== 'source' || part.by !== by || part.date !== date));

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** One word, which cannot speak for us, and holds no backtick. */
const isWord = (text: string): boolean => /^[\w@./:+~%#?&=!*[\]{}<>$-]+$/.test(text);

/** Somebody else's text, in “ ”. Whoever wrote it is named before it. */
export const quote = (text: string): Words =>
  new Words([{ is: 'quote', text: oneLine(text).replace(quotationMarks, "'").replaceAll('"', "'") }]);

/** A foreign name, address or version in a code span; in quotes if it is more than one word. */
export const code = (text: string, href?: string): Words =>
  isWord(text) ? new Words([{ is: 'code', text, ...(href !== undefined && { href }) }]) : quote(text);

/** Several values behind commas, each in a code span; all of them in quotes if one is more than one word. */
export function codes(values: readonly string[]): Words {
  const words = values.map((value) => code(value));
  return words.every(({ parts }) => parts[0]?.is === 'code') ? join(words, ', ') : quote(values.join(', '));
}

/** Words with others within them. A string does not compile: it is `own`, `code` or `quote`. */
export function say(texts: TemplateStringsArray, ...words: readonly (Words | number)[]): Words {
  const parts = texts.flatMap((text, at): readonly Part[] => {
    const before = at === 0 ? none : (words[at - 1] ?? none);
    const { parts } = typeof before === 'number' ? number(before) : before;
    return [...parts, { is: 'own', text }];
  });
  return toWords(parts);
}

/** Words one after the other, without empty ones, with a literal between them. */
export function join<const T extends string>(all: readonly Words[], between: Literal<T>): Words {
  const said = all.filter((words) => !isEmpty(words));
  const gap: Part = { is: 'own', text: between };
  return toWords(said.flatMap(({ parts }, at) => (at === 0 ? parts : [gap, ...parts])));
}

/** `a`, `a and b`, `a, b and 3 more`. */
export function listed(all: readonly Words[], most = all.length): Words {
  const shown = all.slice(0, most);
  const more = all.length - shown.length;
  const last = more > 0 ? number(more) : shown.at(-1);
  if (!last) return none;
  const before = more > 0 ? shown : shown.slice(0, -1);
  const end = more > 0 ? say`${last} more` : last;
  return before.length === 0 ? end : say`${join(before, ', ')} and ${end}`;
}

/** Words with a full stop at their end; a quote that ends with one needs no other. */
export function ended({ parts }: Words): Words {
  const last = parts.at(-1);
  if (!last) return none;
  const isEnded = (last.is === 'own' || last.is === 'quote') && /[.!?]$/.test(last.text);
  return isEnded ? new Words(parts) : toWords([...parts, { is: 'own', text: '.' }]);
}

/** The name of a registry that begins with a small letter in every place. */
const smallName = /^npm\b/;

/**
 * A phrase as a sentence: a capital letter where it begins with our own words, and a full stop at its end.
 */
export function sentence({ parts }: Words): Words {
  const [first, ...others] = parts;
  if (first?.is !== 'own' || smallName.test(first.text)) return ended(new Words(parts));
  const text = first.text.charAt(0).toUpperCase() + first.text.slice(1);
  return ended(new Words([{ is: 'own', text }, ...others]));
}

/** A sentence of ours as a part of another, behind a colon: with a small letter. */
export function within({ parts }: Words): Words {
  const [first, ...others] = parts;
  if (first?.is !== 'own' || !/^[A-Z][a-z ]/.test(first.text)) return new Words(parts);
  const text = first.text.charAt(0).toLowerCase() + first.text.slice(1);
  return new Words([{ is: 'own', text }, ...others]);
}

/** A sentence without the full stop at its end, so that more can follow. */
export function phrase({ parts }: Words): Words {
  const last = parts.at(-1);
  if (last?.is !== 'own' || !last.text.endsWith('.')) return new Words(parts);
  return toWords([...parts.slice(0, -1), { is: 'own', text: last.text.slice(0, -1) }]);
}

const isForeign = ({ is }: Part): boolean => is === 'code' || is === 'quote';

/** Whether others wrote a part of any words in a value. */
export function hasForeign(value: unknown): boolean {
  if (value instanceof Words) return value.parts.some(isForeign);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasForeign);
}

/** Within a word, as of a tool of ours, Markdown reads `_` as itself. */
export const escapeOwn = (text: string): string => escapeMarks(text).replaceAll(/(?<=\w)\\_(?=\w)/g, '_');

const writers = {
  text: { own: (text: string) => text, quote: (text: string) => `“${text}”` },
  markdown: { own: escapeOwn, quote: (text: string) => `“${escapeMarks(text)}”` },
} as const;

const write = ({ parts }: Words, { own, quote }: (typeof writers)[keyof typeof writers]): string =>
  parts
    .map(({ is, text }) => {
      if (is === 'quote') return quote(text);
      if (is === 'code') return `\`${text}\``;
      return is === 'own' ? own(text) : text;
    })
    .join('');

/** Plain text for models and JSON: what others wrote is in “ ” or between backticks. */
export const toText = (words: Words): string => write(words, writers.text);

/** Within a line of Markdown, with everything escaped that could be markup. */
export const toMarkdown = (words: Words): string => write(words, writers.markdown);
