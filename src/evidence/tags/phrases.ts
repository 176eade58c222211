import { otherSenses } from './other-senses.ts';
import { vocabulary } from './vocabulary.ts';

/** A tag of the vocabulary; tags of a lower rank come first. */
interface Topic {
  readonly tag: string;
  readonly rank: number;
}

/** The words that may follow, and the tags of the phrase that ends here: none for one of another sense. */
interface Node {
  readonly next: Map<string, Node>;
  topics: Topic[] | undefined;
}

/** A phrase of the vocabulary in a text. */
export interface Match extends Topic {
  /** As the text has it, in lower case. */
  readonly phrase: string;
}

const newNode = (): Node => ({ next: new Map(), topics: undefined });

const toPlural = (phrase: string) =>
  /[^aeiou]y$/.test(phrase)
    ? `${phrase.slice(0, -1)}ies`
    : `${phrase}${/(s|x|ch|sh)$/.test(phrase) ? 'es' : 's'}`;

const toPhrases = (list: string) => list.split(', ').flatMap((phrase) => [phrase, toPlural(phrase)]);

function insert(root: Node, phrase: string, topic: Topic | undefined) {
  let node = root;
  for (const word of phrase.split(' ')) {
    const next = node.next.get(word) ?? newNode();
    node.next.set(word, next);
    node = next;
  }
  node.topics = [...(node.topics ?? []), ...(topic ? [topic] : [])];
}

const root = newNode();
for (const [rank, [tag, phrases]] of Object.entries(vocabulary).entries())
  for (const phrase of toPhrases(phrases)) insert(root, phrase, { tag, rank });
for (const phrase of toPhrases(otherSenses)) insert(root, phrase, undefined);

/** The longest phrase that starts at a word: where it ends and its tags. */
function longestAt(
  words: readonly string[],
  start: number,
): { end: number; topics: readonly Topic[] } | undefined {
  let longest: { end: number; topics: readonly Topic[] } | undefined;
  let node = root.next.get(words[start] ?? '');
  for (let end = start + 1; node; end += 1) {
    if (node.topics) longest = { end, topics: node.topics };
    node = node.next.get(words[end] ?? '');
  }
  return longest;
}

/**
 * The phrases of the vocabulary in a text, in its order. The longest phrase wins and its words produce nothing else, so
 * that "video games" is not about video.
 */
export function matchPhrases(words: readonly string[]): Match[] {
  const matches: Match[] = [];
  for (let at = 0; at < words.length; ) {
    const longest = longestAt(words, at);
    const phrase = longest?.topics.length ? words.slice(at, longest.end).join(' ') : '';
    for (const topic of longest?.topics ?? []) matches.push({ ...topic, phrase });
    at = longest?.end ?? at + 1;
  }
  return matches;
}
