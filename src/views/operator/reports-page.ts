import { html } from 'hono/html';
import type { Feedback } from '../../evidence/feedback.ts';
import { counted } from '../../evidence/text/plural.ts';

const fact = (name: string, value: string | undefined) =>
  value === undefined ? '' : html`<dt>${name}</dt><dd>${value}</dd>`;

const item = ({ id, received_at, handle, rating_id, message, contact }: Feedback) => html`
<li><dl>${fact('Received', received_at)}${fact('Listing', handle)}${fact('Rating', rating_id)}${fact('Contact', contact)}${fact('Id', id)}</dl>
<p style="white-space: pre-wrap">${message}</p></li>`;

/** The operator's page of open reports: everything that was sent, nothing that acts on it. */
export const toReportsPage = (reports: readonly Feedback[], total: number): string =>
  String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Open reports</title></head>
<body><h1>Open reports</h1>
<p>${counted(total, 'open report')}${total > reports.length ? `, of which the newest ${reports.length} are shown` : ''}. A report changes nothing by itself: act with <code>dossier moderate</code>, then <code>dossier reports close ID</code>.</p>
<ol>${reports.map(item)}</ol></body></html>`);
