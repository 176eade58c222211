import { html } from 'hono/html';
import { type Html, handleLink } from '../layout/html.ts';
import type { RowAction } from '../listing/listing-list.ts';
import type { SearchAddress } from './search-links.ts';

/** Listings ticked in a search, in the order of its address. */
const pickedIn = (address: SearchAddress): string[] => address.getAll('handle');

// Fields of the search form: a further search keeps what is ticked, with script and without.
const box = (handle: string, isPicked: boolean, text: Html | string) =>
  html`<label class="pick"><input type="checkbox" form="search" name="handle" value="${handle}"${isPicked && html` checked`}> ${text}</label>`;

/** A checkbox beside a listing of a search; `compareButton` compares the ticked ones. */
export const pickBox = (address: SearchAddress): RowAction => {
  const picked = new Set(pickedIn(address));
  return ({ handle }) => box(handle, picked.has(handle), html`Compare<span class="unseen"> ${handle}</span>`);
};

/** Listings that an earlier search ticked and this one does not show. */
export function earlierPicks(
  address: SearchAddress,
  shown: readonly { readonly handle: string }[],
): Html | '' {
  const here = new Set(shown.map(({ handle }) => handle));
  const elsewhere = pickedIn(address).filter((handle) => !here.has(handle));
  if (elsewhere.length === 0) return '';
  const items = elsewhere.map(
    (handle) =>
      html`<div>${box(handle, true, html`<span class="unseen">Compare ${handle}</span>`)}${handleLink(handle)}</div>`,
  );
  return html`<fieldset class="earlier"><legend>Ticked before</legend>${items}</fieldset>`;
}

/** Sends the search form to the comparison, which reads only the ticked listings of it. */
export const compareButton = html`<p class="picks"><button type="submit" form="search" formaction="/compare" name="ticked" value="true">Compare ticked listings</button></p>`;

/** The form of the ticks on a page that has no search form of its own: it only compares. */
export const pickForm = html`<form id="search" class="picks" action="/compare" method="get"><button type="submit" name="ticked" value="true">Compare ticked listings</button></form>`;
