import { html } from 'hono/html';
import type { RowAction } from '../listing/listing-list.ts';

/** A box beside a listing of a list: what is ticked is what `pickForm` compares. */
export const pickBox: RowAction = ({ handle }) =>
  html`<label class="pick"><input type="checkbox" form="picks" name="handle" value="${handle}"> Compare<span class="unseen"> ${handle}</span></label>`;

/** Leads from the ticked listings of a list to their comparison; one a page. */
export const pickForm = html`<form id="picks" class="picks" action="/compare" method="get"><button>Compare ticked listings</button></form>`;
