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

/** What the two indexes and the table of documents take of each document, as JSON. */
export function toIndexRows(documents: readonly SearchDocument[]): string {
  const toFacetText = createFacetTokens();
  return JSON.stringify(
    documents.map(({ id, position, terms, strong, facets, text }) => {
      const facetText = toFacetText(facets);
      const termText = `${terms.length > 0 ? `w${terms.join(' w')}` : ''}${strong.length > 0 ? ` h${strong.join(' h')}` : ''}`;
      return [position, id, `${termText}${facetText}`, facetText, text];
    }),
  );
}

const toAtomExpression = ({ terms, strong }: Atom) =>
  terms.length === 1
    ? `"${strong ? 'h' : 'w'}${terms[0]}"`
    : `(${terms.map((term) => `"${strong ? 'h' : 'w'}${term}"`).join(' AND ')})`;

/** The FTS5 expression of a look into the index. */
export function toExpression({ groups, facets, excluded }: Probe): string {
  const all = [
    ...groups.map((group) => `(${group.map(toAtomExpression).join(' OR ')})`),
    ...facets.map((facet) => `"${toFacetToken(facet)}"`),
  ].join(' AND ');
  return excluded.length > 0 ? `(${all}) NOT (${excluded.map((term) => `"w${term}"`).join(' OR ')})` : all;
}
