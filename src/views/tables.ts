import { html } from 'hono/html';
import type { Html } from './html.ts';

/** A narrow screen shows each row apart, each cell with its head; roles keep it a table for all. */
export const rowTable = (
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
  caption?: Html,
): Html => html`
<table class="of-rows" role="table">${caption && html`<caption>${caption}</caption>`}<thead role="rowgroup"><tr role="row">${heads.map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(([first, ...others]) => html`<tr role="row"><th scope="row" role="rowheader">${first}</th>${others.map((cell, at) => html`<td role="cell" data-head="${heads[at + 1]}">${cell}</td>`)}</tr>`)}</tbody></table>`;
