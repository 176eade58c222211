import { number, say, toText, type Words } from '../../core/words.ts';

export interface Notice {
  readonly key: string;
  readonly text: Words;
}

export const isOfMalware = ({ key }: Pick<Notice, 'key'>): boolean => /malware$/.test(key);

/** Notices that JSON has in `version_asked` too, and a text once. JSON omits members with a symbol. */
export const saidBefore = Symbol('said before');

/** What a command asked for may be told of the newest version too, in the same words. */
export function unnoticed<One extends Pick<Notice, 'text'>>(all: readonly One[], noticed: readonly Words[]) {
  const texts = new Set(noticed.map(toText));
  return all.filter(({ text }) => !texts.has(toText(text)));
}

/** Those about another version than the recorded one. */
export const textsBefore = (notices: readonly { readonly text: Words; readonly version?: string }[]) =>
  notices.filter(({ version }) => version !== undefined).map(({ text }) => text);

export const unsaidOf = (answer: {
  readonly stands_out?: readonly Words[] | undefined;
  readonly [saidBefore]?: readonly Words[];
}): Words[] => (answer.stands_out ?? []).filter((one) => !answer[saidBefore]?.includes(one));

/** What a door shows of what stands out: malicious code is never left out, and nothing without a word. */
export function firstNotices<One extends Notice>(
  all: readonly One[],
  isShown: (one: One, place: number) => boolean,
  where: Words,
): Words[] {
  const shown = all.filter((one, place) => isOfMalware(one) || isShown(one, place));
  const more = all.length - shown.length;
  const rest = more > 0 ? [say`And ${number(more)} more: ${where}.`] : [];
  return [...shown.map(({ text }) => text), ...rest];
}
