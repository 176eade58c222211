import { diffWordsWithSpace } from 'diff';
import { nameHidden } from './sanitize.ts';

/** A part of a text that both versions have, or one of them only. */
export interface TextPart {
  readonly text: string;
  readonly change?: 'removed' | 'added';
}

/** What is compared of each text once their common beginning and end are left out. */
const mostCompared = 1_200;
/** Words that differ beyond this many are one part before and one after. */
const mostEdits = 120;
/** How much of a part is shown. */
const mostSame = 80;
const mostChanged = 500;

/** A cut that halves no surrogate pair. */
const cut = (text: string, most: number) => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');

/** The end of a text of words, at least `most` characters if it has them, from the beginning of a word. */
const endOf = (text: string, most: number) =>
  text.slice(Math.max(0, text.lastIndexOf(' ', text.length - most)));

const shorten = (text: string, most: number) => (text.length > most ? `${cut(text, most)} …` : text);

/** A part that is the same in both, where only its ends are of use. */
function shortenSame(text: string, { isFirst, isLast }: { isFirst: boolean; isLast: boolean }): string {
  const before = isFirst ? '' : cut(text, mostSame);
  const after = isLast ? '' : endOf(text, mostSame);
  return before.length + after.length + 3 < text.length ? `${before} … ${after.trimStart()}` : text;
}

/** How many characters two texts have in common at their beginning, up to a space. */
function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a.lastIndexOf(' ', Math.min(at, a.length) - 1) + 1;
}

/** The texts in parts; as two whole parts where more differs than is worth following. */
function compareWords(before: string, after: string): { value: string; change?: 'removed' | 'added' }[] {
  const found = diffWordsWithSpace(before, after, { maxEditLength: mostEdits });
  if (!found)
    return [
      { value: before, change: 'removed' },
      { value: after, change: 'added' },
    ];
  return found.map(({ value, added, removed }) =>
    added || removed ? { value, change: added ? 'added' : 'removed' } : { value },
  );
}

/** Where two texts differ by words, as parts in order; only the surroundings of what differs, hidden characters named. */
export function wordDifference(before: string, after: string): TextPart[] {
  const [was, is] = [nameHidden(before), nameHidden(after)];
  const start = commonStart(was, is);
  const compared = compareWords(
    shorten(was.slice(start), mostCompared),
    shorten(is.slice(start), mostCompared),
  );
  const parts = [{ value: was.slice(0, start) }, ...compared].filter(({ value }) => value !== '');
  return parts.map(({ value, change }: (typeof compared)[number], at) =>
    change
      ? { text: shorten(value, mostChanged), change }
      : { text: shortenSame(value, { isFirst: at === 0, isLast: at === parts.length - 1 }) },
  );
}

/** The same on one line: `Sends [-a mail-]{+mail to everyone+}.` */
export const differenceText = (parts: readonly TextPart[]): string =>
  parts
    .map(({ text, change }) => (change === 'removed' ? `[-${text}-]` : change ? `{+${text}+}` : text))
    .join('');
