import type { RankedTool } from './decoys.ts';

const wordsOf = (text: string): string[] =>
  (
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  ).map((word) => (word.length > 3 ? word.replace(/(ings?|ed|es|s)$/, '') : word));

const k1 = 1.2;
const b = 0.75;

/** Ranks tools by BM25 over name and description, as a host's tool search does. */
export function createBm25(tools: readonly RankedTool[]): (query: string) => RankedTool[] {
  const documents = tools.map((tool) => ({
    tool,
    words: wordsOf(`${tool.name} ${tool.name} ${tool.description}`),
  }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const frequency = new Map<string, number>();
  for (const { words } of documents)
    for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const weight = (word: string) => {
    const having = frequency.get(word) ?? 0;
    return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
  };
  const score = (words: readonly string[], query: readonly string[]) =>
    query.reduce((sum, word) => {
      const times = words.filter((other) => other === word).length;
      const length = 1 - b + (b * words.length) / average;
      return sum + (weight(word) * times * (k1 + 1)) / (times + k1 * length);
    }, 0);
  return (query) => {
    const asked = [...new Set(wordsOf(query))];
    return documents
      .map(({ tool, words }) => ({ tool, points: score(words, asked) }))
      .filter(({ points }) => points > 0)
      .sort((a, c) => c.points - a.points)
      .map(({ tool }) => tool);
  };
}
