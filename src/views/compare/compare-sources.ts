import { html } from 'hono/html';
import { day, type Html } from '../layout/html.ts';

/** Where a fact is from, and as of when (RFC 3339). */
export interface SourceOfFact {
  readonly source: string;
  readonly as_of: string;
}

/** The sources of a page: each is named once, below, and marked where it is used. */
export interface Footnotes {
  /** The mark of a source, a link to its note. */
  mark(of: SourceOfFact): Html;
  /** The notes, in the order of their first mark. */
  list(): Html;
}

/** Collects sources; two of the same name and day share a note. */
export function createFootnotes(): Footnotes {
  const notes = new Map<string, SourceOfFact>();
  return {
    mark(of) {
      const key = `${of.source} ${of.as_of.slice(0, 10)}`;
      notes.set(key, notes.get(key) ?? of);
      const number = [...notes.keys()].indexOf(key) + 1;
      return html`<sup><a href="#source-${number}" aria-label="Source ${number}">${number}</a></sup>`;
    },
    list: () => html`
<h2 id="sources">Sources</h2>
<ol class="sources">${[...notes.values()].map(({ source, as_of }, at) => html`<li id="source-${at + 1}">${source}, as of ${day(as_of)}</li>`)}</ol>`,
  };
}
