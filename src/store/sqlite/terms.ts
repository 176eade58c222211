import type { SearchDocument } from '../../evidence/search/document.ts';
import type { Atom, Probe } from '../../evidence/search/plan.ts';

/** Letters and digits only, as the tokenizer of the index takes them. */
export const toFacetToken = (facet: string): string => `f${Buffer.from(facet).toString('hex')}`;

/** Few facets are on many listings: each is encoded once. */
function createFacetTokens(): (facets: readonly string[]) => string {
  const tokens = new Map<string, string>();
  return (facets) => {
    let text = '';
    for (const facet of facets) {
      const token = tokens.get(facet) ?? toFacetToken(facet);
      tokens.set(facet, token);
      text += ` ${token}`;
    }
    return text;
  };
}

const join = (prefix: string, terms: readonly string[]) =>
  terms.length > 0 ? `${prefix}${terms.join(` ${prefix}`)} ` : '';

/** Rows of the two indexes and of the table of documents, each as JSON of pairs, because SQLite reads all of what it is given. */
export interface IndexRows {
  readonly terms: string;
  readonly facets: string;
  readonly texts: string;
}

const toPairs = (documents: readonly SearchDocument[], toPair: (document: SearchDocument) => unknown) =>
  JSON.stringify(documents.map(toPair));

/** The rows of documents in the order of their keys: FTS5 begins a new segment wherever one is smaller than the one before. */
export function toIndexRows(documents: readonly SearchDocument[]): IndexRows {
  const toFacetText = createFacetTokens();
  const byPosition = documents.toSorted((a, b) => a.position - b.position);
  const byId = documents.toSorted((a, b) => a.id - b.id);
  return {
    terms: toPairs(byPosition, ({ position, terms, strong, facets }) => [
      position,
      `${join('w', terms)}${join('h', strong)}${toFacetText(facets)}`,
    ]),
    facets: toPairs(byId, ({ id, facets }) => [id, toFacetText(facets)]),
    texts: toPairs(byPosition, ({ position, text }) => [position, text]),
  };
}

const toAtomExpression = ({ terms, strong }: Atom) =>
  terms.length === 1
    ? `"${strong ? 'h' : 'w'}${terms[0]}"`
    : `(${terms.map((term) => `"${strong ? 'h' : 'w'}${term}"`).join(' AND ')})`;

/** The FTS5 expressions of what a probe wants and of what it excludes; empty without. */
export const toExpression = ({ groups, facets, excluded }: Probe) => ({
  wanted: [
    ...groups.map((group) => `(${group.map(toAtomExpression).join(' OR ')})`),
    ...facets.map((facet) => `"${toFacetToken(facet)}"`),
  ].join(' AND '),
  excluded: excluded.map((term) => `"w${term}"`).join(' OR '),
});
