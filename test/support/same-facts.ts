import { expect } from 'vitest';

/** Every text and number in a value, at any depth; names of members are not among them. */
function leavesOf(value: unknown): (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

/** The questions of a buyer by their names in JSON, as texts ask them. */
const asked: Readonly<Record<string, string>> = {
  price: 'What does it cost',
  reach: 'how is it reached',
  tools: 'What can it do',
  access: 'What does it ask for',
  publisher: 'Who stands behind it',
  code: 'Is the package built from the public code',
  upkeep: 'Is it kept up',
  ratings: 'What happened to others',
  terms: 'On what terms',
};
/** Kinds and states that texts name in other words than with spaces for dots and underscores. */
const named: Readonly<Record<string, string>> = {
  'endpoint.answers': 'whether it answers',
  'tools.surface': 'tools',
  auth: 'credentials',
  'repository.contents': 'whether the repository holds the code',
  'repository.last_commit': 'last commit',
  'terms.url': 'terms',
  'price.challenge': 'price that the endpoint quotes',
  'price.tool': 'tools that state a price',
  'price.capability': 'payment methods it names',
  'price.openapi': 'prices in its openapi document',
  'repository.agent_files': 'files that agents and editors act on',
  'security.contact': 'security contact',
  'card.a2a': 'agent card (a2a)',
  no_price_seen: 'looked for, none stated',
};

/** That a Markdown text says everything that stands in the structured content beside it. */
export function expectSameFacts(text: string, structured: object): void {
  const plain = text.replaceAll(/[\\`]/g, '');
  const words = (leaf: string | number) =>
    asked[leaf] ?? named[leaf] ?? (/^[a-z_]+$/.test(String(leaf)) ? String(leaf).replaceAll('_', ' ') : leaf);
  const said = (leaf: string | number) => {
    const unmarked = String(leaf).replaceAll(/[\\`]/g, '');
    // A quote inside a quoted text is a single one.
    return [unmarked, unmarked.replaceAll('"', "'"), String(words(leaf))].some((one) => plain.includes(one));
  };
  expect(leavesOf(structured).filter((leaf) => !said(leaf))).toEqual([]);
}
