import type { Facet } from '../../search/query.ts';

interface MeantFilter {
  readonly facet: Facet;
  /** As `search_agents` takes it. */
  readonly filter: string;
  readonly words: RegExp;
  readonly text: string;
}

const secrets = 'keys?|secrets?|credentials?|passwords?|tokens?|logins?';

/** Words of a search that texts of listings seldom say, or say of something else, and a filter knows. */
const meantFilters: readonly MeantFilter[] = [
  {
    facet: 'is:without_secret',
    filter: 'needs_secret:false',
    words: new RegExp(
      `\\b(?:(?:need|requir|want|work|ask)\\w*\\s+)?(?:without|no|zero|free of)\\s+(?:(?:an?|any|the)\\s+)?(?:api[\\s-]*)?(?:${secrets})\\b|(?:\\bnot?|n't)\\s+(?:need|require|want)\\w*\\s+(?:(?:an?|any)\\s+)?(?:api[\\s-]*)?(?:${secrets})\\b|\\bkey(?:less|[\\s-]free)\\b`,
      'i',
    ),
    text: 'the record asks for no secret',
  },
  {
    facet: 'has:endpoint',
    filter: 'has_endpoint:true',
    words: /(?<!self[\s-]?)\bhosted\b|\bremote\b(?!\s+(?:jobs?|work|control|desktop|sens|team))/i,
    text: 'a remote endpoint is recorded',
  },
  {
    facet: 'transport:stdio',
    filter: 'transport:stdio',
    words:
      /\bself[\s-]?host\w*|\blocally\b|\blocal\s+(?:mcp|servers?|install)\w*|\bon[\s-]prem\w*|\bon my (?:own )?(?:machine|computer|laptop|pc)\b|\boffline\b/i,
    text: 'a recorded package runs where you start it',
  },
];

export const findMeant = (text: string, facets: readonly Facet[]) =>
  meantFilters.filter(({ facet, words }) => !facets.includes(facet) && words.test(text));

const isOfficial = /\bofficial(?:ly)?\b/i;
const hasPublisher = (facet: Facet) => /^(?:owner|publisher):/.test(facet);

/** Undefined if the search has no such word, or its filter. */
export function meantText(text: string, facets: readonly Facet[]): string | undefined {
  const meant = findMeant(text, facets).map((one) => `${one.filter.replace(':', ': ')} (${one.text})`);
  const official = isOfficial.test(text) && !facets.some(hasPublisher);
  const all = [...meant, ...(official ? ['publisher: example.com (the namespace of a domain)'] : [])];
  return all.length > 0 ? `Words find no such facts; these filters do: ${all.join(', ')}.` : undefined;
}
