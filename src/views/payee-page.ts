import { html } from 'hono/html';
import { payeePath } from '../core/payee.ts';
import { toText } from '../core/words.ts';
import type { PayeeDocument } from '../document/payee.ts';
import { networkWords } from '../observations/known/prices/assets.ts';
import { day, type Html, toHtml } from './html.ts';
import { type PageSite, toPage } from './layout.ts';

const rows = (asking: readonly PayeeDocument['asked_by'][number][], today: string): Html =>
  html`<ul class="plain asking">${asking.map(({ text, until }) => html`<li${until !== undefined && html` class="gap"`}>${toHtml(text, today)}</li>`)}</ul>`;

export function toPayeePage(site: PageSite, document: PayeeDocument): Html {
  const { payee, address, network, page, summary, asked_by, on_other_networks: others, more } = document;
  const { publicUrl } = site.config;
  const [json, markdown] = ['.json', '.md'].map((ending) => payeePath(document, ending));
  const today = document.evidence_snapshot_date;
  return toPage(site, {
    title: `Payee: ${payee}`,
    description: toText(summary),
    path: page.slice(publicUrl.length),
    head: html`
<link rel="alternate" type="application/json" title="${payee} as JSON" href="${publicUrl}${json}">
<link rel="alternate" type="text/markdown" title="${payee} as Markdown" href="${publicUrl}${markdown}">`,
    body: html`
<p class="eyebrow">Payee${network !== undefined && html` on ${toHtml(networkWords(network))} (<code>${network}</code>)`}</p>
<h1 class="handle address">${address}</h1>
<p class="lead">${toHtml(summary)}</p>
${
  asked_by.length > 0 &&
  html`<section aria-labelledby="asked-by"><h2 id="asked-by">${asked_by.some(({ until }) => until === undefined) ? 'Who asks to be paid there' : 'Who asked to be paid there'}</h2>
${rows(asked_by, today)}</section>`
}
${others && html`<section aria-labelledby="elsewhere"><h2 id="elsewhere">On other networks</h2>${rows(others, today)}</section>`}
${more && html`<p class="note">${more}</p>`}
<p class="note">${document.statement} As of ${day(today)}.</p>
<p class="twins">This page as <a href="${json}">JSON</a> or <a href="${markdown}">Markdown</a>.</p>`,
  });
}
