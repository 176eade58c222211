import { html } from 'hono/html';
import { ageText, splitForeign } from '../../core/text.ts';
import { type ListedFact, toAllFacts } from '../../document/answers/all-facts.ts';
import { gapNames, gapTitles, toAnswer, toTexts } from '../../document/answers/answers.ts';
import { lineNames, lineTitles } from '../../document/answers/lines.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { foreignLink, type Html, pagePath } from '../html.ts';

/** Younger dates speak for themselves. */
const agedFrom_days = 56;

/** Dates as such, and beside those of more than eight weeks ago how long that is, seen from a day; not beside those of sources and spans. */
const aged = (text: string, today: string): Html =>
  html`${text.split(/(\d{4}-\d\d-\d\d)/).map((part, at, parts) => {
    if (at % 2 === 0) return part;
    const isOld =
      !/(?: of |Dossier, |between | and )$/.test(parts[at - 1] ?? '') &&
      Date.parse(today) - Date.parse(part) > agedFrom_days * 86_400_000;
    return html`<time>${part}</time>${isOld && `, ${ageText(part, today)}`}`;
  })}`;

/** A sentence of ours on a day, with the texts of others marked, and their addresses as links. */
export const marked = (text: string, today: string): Html =>
  html`${splitForeign(text).map((part, at) => {
    if (at % 2 === 0) return aged(part, today);
    if (part.startsWith('“')) return html`<span class="foreign">${part}</span>`;
    const name = part.slice(1, -1);
    return /^https?:\/\//i.test(name) ? foreignLink(name) : html`<code class="foreign">${name}</code>`;
  })}`;

const line = (title: string, text: string | undefined, today: string) =>
  text && html`<div><dt>${title}</dt><dd>${marked(text, today)}</dd></div>`;

/** What is said of a listing first: what stands out, a line a question, and what is not known. */
export function answerBlock(listing: ListingDocument): Html {
  const answer = toAnswer(listing);
  const texts = toTexts(answer);
  const today = listing.evidence_snapshot_date;
  const items = answer.standsOut.map(
    ({ text, anchor }) =>
      html`<li>${marked(text, today)}${anchor && html` <a href="${pagePath(listing.handle)}/${anchor}">${anchor === 'history' ? 'What changed' : 'All ratings'}</a>`}</li>`,
  );
  return html`
<section class="answer" aria-labelledby="answer"><h2 id="answer" class="unseen">In short</h2>
${items.length > 0 && html`<ul class="stands-out">${items}</ul>`}
<dl class="lines">${lineNames.map((name) => line(lineTitles[name], texts.lines[name], today))}${gapNames.map((name) => line(gapTitles[name], texts[name], today))}</dl>
</section>`;
}

const factClasses = { known: 'known', not_there: 'gap absent', not_known: 'gap' } as const;

const fact = ({ title, text, state, means }: ListedFact, today: string) => html`
<li class="${factClasses[state]}">${title && html`<b>${title}:</b> `}${marked(text, today)}${means && html`<small class="means">${means}</small>`}</li>`;

/** Every fact about a listing with its source and date: a fold a question. */
export const allFactsBlock = (listing: ListingDocument): Html => html`
<section class="asked" aria-labelledby="asked">
<h2 id="asked">All facts and sources</h2>
<p class="explain"><label><input type="checkbox"> Explain each fact</label></p>
${toAllFacts(listing).map(
  ({ question, title, facts }) => html`
<details id="ask-${question}"><summary>${title}</summary><ul class="facts-of">${facts.map((one) => fact(one, listing.evidence_snapshot_date))}</ul></details>`,
)}
</section>`;
