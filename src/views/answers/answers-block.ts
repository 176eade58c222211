import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { day, type Html } from '../layout/html.ts';
import type { Answer, Known, Unknown } from './answer.ts';
import { otherFacts, toAnswers } from './answers.ts';

/** Facts of one source and day stand together, which is named once below them. */
const placed = (facts: readonly Known[]) =>
  Map.groupBy(facts, ({ source, at }) => `${source}\n${at.slice(0, 10)}`).values();

const places = ({ subjects }: Known) =>
  subjects.length === 0
    ? ''
    : html` <span class="at foreign">at ${subjects[0]}${subjects.length > 1 ? ` and ${subjects.length - 1} more` : ''}</span>`;

const fact = (known: Known) => html`
<li class="known"><b>${known.title}:</b> <span class="foreign">${known.text}</span>${places(known)}${known.since && html` <span class="at">the same since ${day(known.since)}</span>`}
${known.reason && html`<small>${known.reason}</small>`}${known.means && html`<small class="means">${known.means}</small>`}</li>`;

const sourced = (facts: readonly Known[]) => {
  const [first] = facts;
  return first
    ? html`<ul class="facts-of">${facts.map(fact)}</ul>
<p class="source"><span class="unseen">Source: </span><span class="foreign">${first.source}</span> · ${day(first.at)}</p>`
    : '';
};

const gap = ({ text }: Unknown) => html`<li class="gap">${text}</li>`;
const absent = ({ text, at }: Unknown) =>
  html`<li class="gap absent">${text}${at && html` <span class="at foreign">at ${at}</span>`}</li>`;

const row = ({ question, title, known, notSeen, unknown }: Answer) => html`
<tr><th scope="row" id="ask-${question}">${title}</th><td>${[...placed(known)].map(sourced)}${notSeen.length + unknown.length > 0 ? html`<ul class="facts-of">${notSeen.map(absent)}${unknown.map(gap)}</ul>` : ''}</td></tr>`;

/** What a buyer asks about a listing: a row a question, with the answers, their source and date, and what is not known. */
export const answersBlock = (listing: ListingDocument): Html => html`
<section class="asked" aria-labelledby="asked">
<h2 id="asked">What a buyer asks</h2>
<p class="explain"><label><input type="checkbox"> Explain each fact</label></p>
<table><thead class="unseen"><tr><th scope="col">Question</th><th scope="col">Answer, source and date</th></tr></thead>
<tbody>${toAnswers(listing).map(row)}${others(listing)}</tbody></table>
<p class="note marks">A filled mark is a fact with its source; a crossed one was looked for and not seen, on the date stated; an open one is not known: not looked at until ${day(listing.evidence_snapshot_date)}, or not stated in the record of ${day(listing.observed_at)}. None is good or bad.</p>
</section>`;

function others(listing: ListingDocument) {
  const facts = otherFacts(listing);
  return facts.length === 0
    ? ''
    : html`<tr><th scope="row">What else is recorded?</th><td>${[...placed(facts)].map(sourced)}</td></tr>`;
}
