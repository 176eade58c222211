import type { SearchDocument } from '../../evidence/search/document.ts';
import type { Atom, Probe } from '../../evidence/search/plan.ts';
import { windowsOf } from '../../evidence/search/position.ts';

const toFacetLexeme = (facet: string) => `f${facet}`;
const toWindowLexeme = (window: number) => `z${window}`;

/** The lexemes of a document: terms, strong terms, facets, and the windows its position is in. */
export const toLexemes = ({ terms, strong, facets, position }: SearchDocument): string[] => [
  ...terms.map((term) => `w${term}`),
  ...strong.map((term) => `h${term}`),
  ...facets.map(toFacetLexeme),
  ...Array.from({ length: windowsOf(position) }, (_, at) => toWindowLexeme(at + 1)),
];

const quote = (text: string) => `'${text.replaceAll(/['\\]/g, '$&$&')}'`;

const toAtomExpression = ({ terms, strong }: Atom) =>
  `(${terms.map((term) => quote(`${strong ? 'h' : 'w'}${term}`)).join(' & ')})`;

/** The tsquery of some facets that all must be there. */
export const toFacetExpression = (facets: readonly string[]): string =>
  facets.map((facet) => quote(toFacetLexeme(facet))).join(' & ');

/** The tsquery of a look into the index; 0 is the window that holds everything. */
export const toExpression = ({ groups, facets, excluded }: Probe, window: number): string =>
  [
    ...groups.map((group) => `(${group.map(toAtomExpression).join(' | ')})`),
    ...facets.map((facet) => quote(toFacetLexeme(facet))),
    ...excluded.map((term) => `!${quote(`w${term}`)}`),
    ...(window > 0 ? [quote(toWindowLexeme(window))] : []),
  ].join(' & ');
