import type { NotKnownItem } from '../listing-document.ts';

const words: Readonly<Record<string, string>> = {
  price: 'price',
  'endpoint.answers': 'whether it answers',
  'tools.surface': 'tools',
  auth: 'credentials',
  operator: 'operator',
  repository: 'source code',
  'repository.contents': 'whether the repository holds the code',
  'repository.last_commit': 'last commit',
  'ratings.native': 'what others met',
  'terms.url': 'terms',
  data_handling: 'data handling',
  region: 'region',
  licence: 'licence',
  support: 'support',
};

/** What is not known, in a few words, as after `Not known:`. */
export function notKnownWords({ kind, state }: Pick<NotKnownItem, 'kind' | 'state'>): string {
  if (kind === 'endpoint.answers' && state === 'not_stated') return 'a remote endpoint';
  return words[kind] ?? kind.replaceAll(/[._]/g, ' ');
}
