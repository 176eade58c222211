/**
 * The text of a search document, all that ranking and counting read: `!` for a placeholder, the facets, a line end, and in
 * their order each term as ` term:` and a letter for its weight; ` |` divides fields.
 */
export interface DocumentText {
  readonly isPlaceholder: boolean;
  readonly facets: string;
  /** In their order, with weights from 0 to 1; fields one after the other. */
  readonly fields: readonly (readonly (readonly [term: string, weight: number])[])[];
}

/** A weight is stored as one of so many letters. */
const steps = 64;
const firstLetter = 63;

const toLetter = (weight: number) => String.fromCharCode(firstLetter + Math.round(weight * (steps - 1)));

/** The weight that a letter stands for. */
export const toWeight = (letterCode: number): number => (letterCode - firstLetter) / (steps - 1);

/** Writes the text of a document. */
export function toDocumentText({ isPlaceholder, facets, fields }: DocumentText): string {
  const written = fields
    .filter((terms) => terms.length > 0)
    .map((terms) => terms.map(([term, weight]) => ` ${term}:${toLetter(weight)}`).join(''));
  return `${isPlaceholder ? '!' : ''}${facets}\n${written.join(' |')} `;
}

/** The part of a document's text that has its terms: facets (`state:unclaimed`) look like terms and are none. */
export const toTermText = (text: string): string => text.slice(text.indexOf('\n') + 1);

/** A term has this weight where it is one of those that say most about the listing, mostly words of its name. */
const strongStep = 39;

/** Whether a term with a weight is one of those that say most about the listing. */
export const isStrong = (weight: number): boolean => Math.round(weight * (steps - 1)) >= strongStep;

/** The terms of a document by its text, each once, with their weights. */
export function toTermsOfText(text: string): Map<string, number> {
  const terms = toTermText(text).split(' ');
  return new Map(
    terms
      .filter((term) => term.length > 2)
      .map((term) => [term.slice(0, -2), toWeight(term.charCodeAt(term.length - 1))]),
  );
}
