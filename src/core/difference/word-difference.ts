import { diffWordsWithSpace } from 'diff/lib/diff/word.js';
import { nameHidden } from '../text.ts';

export interface TextPart {
  readonly text: string;
  readonly change?: 'removed' | 'added';
}

/** Beyond these, without the common beginning and end, all of it counts as changed. */
const mostCompared = 20_000;
const mostEdits = 120;

const mostSame = 80;
const mostChanged = 500;

/** Cuts no surrogate pair in half. */
const cut = (text: string, most: number) => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');

function shortenSame(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const before = isFirst ? '' : cut(text, mostSame);
  const after = isLast ? '' : text.slice(Math.max(0, text.lastIndexOf(' ', text.length - mostSame)));
  return before.length + after.length + 3 < text.length ? `${before} … ${after.trimStart()}` : text;
}

/** So many characters both begin with. */
export function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** From a space on. */
function commonEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
  const from = a.indexOf(' ', a.length - length);
  return from < 0 || from < a.length - length ? 0 : a.length - from;
}

function compareWords(before: string, after: string): TextPart[] {
  const isLong = Math.max(before.length, after.length) > mostCompared;
  const found = isLong ? undefined : diffWordsWithSpace(before, after, { maxEditLength: mostEdits });
  if (!found)
    return [
      { text: before, change: 'removed' },
      { text: after, change: 'added' },
    ];
  return found.map(({ value: text, added, removed }) =>
    added || removed ? { text, change: added ? 'added' : 'removed' } : { text },
  );
}

function joined(parts: readonly TextPart[]): TextPart[] {
  const found: TextPart[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last && last.change === undefined && part.change === undefined)
      found[found.length - 1] = { text: last.text + part.text };
    else found.push(part);
  }
  return found;
}

/** Shortens long parts and names hidden characters. */
export function wordDifference(before: string, after: string): TextPart[] {
  const was = nameHidden(before);
  const is = nameHidden(after);
  const start = was.lastIndexOf(' ', commonStart(was, is) - 1) + 1;
  const oldRest = was.slice(start);
  const newRest = is.slice(start);
  const end = commonEnd(oldRest, newRest);
  const compared = compareWords(
    oldRest.slice(0, oldRest.length - end),
    newRest.slice(0, newRest.length - end),
  );
  const whole = [{ text: was.slice(0, start) }, ...compared, { text: was.slice(was.length - end) }];
  const parts = joined(whole.filter(({ text }) => text !== ''));
  return parts.map(({ text, change }, at) =>
    change
      ? { text: text.length > mostChanged ? `${cut(text, mostChanged)} …` : text, change }
      : { text: shortenSame(text, { isFirst: at === 0, isLast: at === parts.length - 1 }) },
  );
}

/** In characters, for one answer. */
export interface ComparisonBudget {
  left: number;
}

export const toComparisonBudget = (): ComparisonBudget => ({ left: 100_000 });

/** Undefined, and free, if too little is left. */
export function differenceWithin(budget: ComparisonBudget, before: string, after: string) {
  const size = before.length + after.length;
  if (size > budget.left) return undefined;
  budget.left -= size;
  return wordDifference(before, after);
}

const escapeMarks = (text: string) => text.replace(/[[{](?=[-+]|$)|(?<=^|[-+])[\]}]/g, '\\$&');

/** `Sends [-a mail-]{+mail to everyone+}.` */
export const differenceText = (parts: readonly TextPart[]): string =>
  parts
    .map(({ text, change }) => ({ text: escapeMarks(text), change }))
    .map(({ text, change }) => (change === 'removed' ? `[-${text}-]` : change ? `{+${text}+}` : text))
    .join('');
