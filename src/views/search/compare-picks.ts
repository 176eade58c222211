import { html } from 'hono/html';
import type { RowAction } from '../listing/listing-list.ts';

/** A checkbox beside a listing; `pickForm` compares the ticked ones. */
export const pickBox: RowAction = ({ handle }) =>
  html`<label class="pick"><input type="checkbox" form="picks" name="handle" value="${handle}"> Compare<span class="unseen"> ${handle}</span></label>`;

/** The form that compares the ticked listings; at most one on a page. */
export const pickForm = html`<form id="picks" class="picks" action="/compare" method="get"><button type="submit">Compare ticked listings</button></form>`;
