import { html } from 'hono/html';
import { dayText } from '../../core/text.ts';
import { count, isEmpty, say, source, Words } from '../../core/words.ts';
import { type ListedFact, toAllFacts } from '../../document/answers/all-facts.ts';
import { gapNames, gapTitles, toAnswer, toAnswerWords } from '../../document/answers/answers.ts';
import { lineNames, lineTitles } from '../../document/answers/lines.ts';
import { type FactTable, inputHeads, offersTable, packagesTable } from '../../document/answers/tables.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { isKnown, isSaidFirst } from '../../document/seen.ts';
import { isDated } from '../../observations/known/observation.ts';
import { type Html, pagePath, toHtml } from '../html.ts';
import { rowTable } from '../tables.ts';

const answerRow = (
  title: string,
  words: Words | undefined,
  today: string,
  tables: readonly FactTable[] = [],
) =>
  words &&
  !isEmpty(words) &&
  html`<div><dt>${title}</dt><dd>${toHtml(words, today)}${tables.map(factTable)}</dd></div>`;

/** Strangers chose the handles; the facts below name them. */
const withoutHandles = ({ parts }: Words) =>
  new Words(
    parts.map((part, at) => {
      if (part.is !== 'code') return part;
      const isFirst = parts.findIndex(({ is, text }) => is === 'code' && text === part.text) === at;
      return { ...part, text: isFirst ? 'Another listing' : 'The linked listing' };
    }),
  );

/** What a report of malicious code says is first, and apart. */
export function standsOutBlock(listing: ListingDocument, { standsOut }: ReturnType<typeof toAnswer>): Html {
  const item = ({ key, text, anchor }: (typeof standsOut)[number]) =>
    html`<li>${toHtml(key === 'shared' ? withoutHandles(text) : text, listing.evidence_snapshot_date)}${anchor && html` <a href="${pagePath(listing.handle)}/${anchor}">${anchor === 'history' ? 'What changed' : 'All ratings'}</a>`}</li>`;
  const list = (items: typeof standsOut, classes: string) =>
    items.length > 0 && html`<ul class="${classes}">${items.map(item)}</ul>`;
  const alarms = standsOut.filter(({ key }) => key === 'malware');
  const others = standsOut.filter(({ key }) => key !== 'malware');
  return html`${list(alarms, 'stands-out alarm')}${list(others, 'stands-out')}`;
}

export function answerBlock(listing: ListingDocument): Html {
  const offers = listing.observations.filter(isKnown).flatMap((one) => offersTable(one) ?? []);
  const answer = toAnswer(listing, 'table');
  const said = toAnswerWords(answer);
  const today = listing.evidence_snapshot_date;
  const isUnchecked = isSaidFirst({ listing, detail: 'table' });
  const gaps = gapNames.filter((name) => !(isUnchecked && name === 'unchecked'));
  return html`
<section class="answer" aria-labelledby="answer"><h2 id="answer" class="unseen">In short</h2>
${standsOutBlock(listing, answer)}
<dl class="lines${isUnchecked && ' unchecked'}">${isUnchecked && answerRow(gapTitles.unchecked, said.unchecked, today)}${lineNames.map((name) => answerRow(lineTitles[name], said.lines[name], today, name === 'costs' ? offers : []))}${gaps.map((name) => answerRow(gapTitles[name], said[name], today))}</dl>
</section>`;
}

const factTable = ({ caption, heads, rows }: FactTable): Html =>
  rowTable(
    heads,
    rows.map((row) => row.map((cell) => toHtml(cell))),
    toHtml(caption),
  );

const factClasses = { known: 'known', not_there: 'gap absent', not_known: 'gap' } as const;

const fact = ({ title, text, state, means, table }: ListedFact, today: string) => html`
<li class="${factClasses[state]}">${title && html`<b>${title}:</b> `}${toHtml(text, today)}${means && html`<small class="means">${means}</small>`}${table && factTable(table)}</li>`;

/** Several inputs are one table. */
function factList(facts: readonly ListedFact[], question: string, listing: ListingDocument): Html {
  const inputs = facts.flatMap(({ cells }) => (cells ? [cells] : []));
  const caption = say`${count(inputs.length, 'input')} that the record lists${source('record', dayText(listing.observed_at))}`;
  const isTable = inputs.length > 1;
  const packages = question === 'reach' && packagesTable(listing.packages);
  return html`${isTable && factTable({ caption, heads: inputHeads, rows: inputs })}${packages && factTable(packages)}<ul class="facts-of">${facts
    .filter(({ cells }) => !(isTable && cells))
    .map((one) => fact(one, listing.evidence_snapshot_date))}</ul>`;
}

export function allFactsBlock(listing: ListingDocument): Html {
  const vantages = [...new Set(listing.observations.filter(isDated).map(({ vantage }) => vantage))];
  return html`
<section class="asked" aria-labelledby="asked">
<h2 id="asked">All facts and sources</h2>
<p class="explain"><label><input type="checkbox"> Explain each fact</label></p>
${vantages.length > 0 && html`<p class="note">Checks of Dossier are made from ${vantages.join(' and ')}; requests from another place may get other answers.</p>`}
${toAllFacts(listing).map(
  ({ question, title, facts }) => html`
<details id="ask-${question}"><summary>${title}</summary><div id="facts-${question}">${factList(facts, question, listing)}</div></details>`,
)}
</section>`;
}
