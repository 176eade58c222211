import type { Unknown } from './answer.ts';

/** Words that sentences must share for their ends to be joined. */
const leastShared = 6;

const wordsOf = (text: string) => text.replace(/\.$/, '').split(' ');

/** How many words sentences share at their start. */
const sharedBy = (sentences: readonly (readonly string[])[]): number => {
  const [first = [], ...others] = sentences;
  const differs = first.findIndex((word, at) => others.some((other) => other[at] !== word));
  return differs === -1 ? first.length : differs;
};

const list = (parts: readonly string[]) => `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;

function join(gaps: readonly Unknown[]): Unknown[] {
  const sentences = gaps.map(({ text }) => wordsOf(text));
  const shared = sharedBy(sentences);
  const [first] = gaps;
  if (!first || gaps.length === 1 || shared < leastShared) return [...gaps];
  const start = sentences[0]?.slice(0, shared).join(' ');
  return [{ ...first, text: `${start} ${list(sentences.map((words) => words.slice(shared).join(' ')))}.` }];
}

/** Sentences of one state that begin alike become one: "... has no field that states a licence or support." */
export const joined = (gaps: readonly Unknown[]): Unknown[] =>
  [...Map.groupBy(gaps, ({ state }) => state).values()].flatMap(join);
