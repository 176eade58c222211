import { html } from 'hono/html';
import { type HistoryKind, historyKinds } from '../../document/answers/history-events.ts';
import { type Html, pagePath } from '../html.ts';

const kindTexts: Readonly<Record<HistoryKind, string>> = {
  price: 'price and payees',
  reach: 'whether it answers',
  tools: 'tools',
  access: 'what it asks for',
  publisher: 'who stands behind it',
  code: 'package and code',
  upkeep: 'upkeep',
  terms: 'terms and data',
  record: 'record and versions',
  claim: 'claim',
  ratings: 'ratings',
  operator: 'actions of the operator',
  views: 'views',
};

const dayField = (name: 'since' | 'until', label: string, value: string | undefined) => html`
<label>${label} <input type="date" name="${name}" value="${value?.slice(0, 'YYYY-MM-DD'.length)}"></label>`;

/** With both days, the page says what differs between them. */
export const historyFilter = (
  handle: string,
  { kind = '', since, until }: Readonly<Record<string, string>>,
): Html => html`
<form class="filter" method="get" action="${pagePath(handle)}/history">
<label>About <select name="kind"><option value="">everything</option>${historyKinds.map((one) => html`<option value="${one}"${one === kind ? html` selected` : ''}>${kindTexts[one]}</option>`)}</select></label>${dayField('since', 'From', since)}${dayField('until', 'to the end of', until)}
<button type="submit" class="quiet">Show</button></form>`;
