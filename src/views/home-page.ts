import { html } from 'hono/html';
import { amount, dayText } from '../core/text.ts';
import { dayOf, isEmpty, join, say, type Words } from '../core/words.ts';
import { toAnswer, toAnswerWords } from '../document/answers/answers.ts';
import { lineTitles } from '../document/answers/lines.ts';
import { changeWords } from '../document/changes.ts';
import type { ListingDocument, StatusDocument } from '../document/listing-document.ts';
import { isRecordedTag } from '../document/record.ts';
import { unique } from '../document/words.ts';
import { type Change, changeTypes } from '../log/change.ts';
import type { News } from '../tools/find/news.ts';
import { day, type Html, handleLink, toHtml } from './html.ts';
import { importState } from './import-state.ts';
import { type PageSite, toPage } from './layout.ts';
import { connectDossier } from './listing/page.ts';
import { type TagCount, tagCloud } from './pages.ts';
import { plainSearchForm } from './search/form.ts';

const mostNotices = 2;
const mostChangesOfListing = 3;

/** Each day after the first is said, and the first if nothing before the words says it. */
function changesText(changes: readonly Change[], isDayBefore = true): Words {
  const said = [...Map.groupBy(changes, ({ at }) => dayText(at))].flatMap(([date, ofDay], place) => {
    const sorted = ofDay.toSorted((a, b) => changeTypes.indexOf(a.type) - changeTypes.indexOf(b.type));
    const [first = say``, ...others] = unique(sorted.map(changeWords));
    return [isDayBefore && place === 0 ? first : say`on ${dayOf(date)}: ${first}`, ...others];
  });
  const more = said.length - mostChangesOfListing;
  return say`${join(said.slice(0, mostChangesOfListing), '; ')}${more > 0 ? say`; ${more} more` : say``}`;
}

const toldByNotices: ReadonlySet<string> = new Set(['malware', 'other_malware', 'moved', 'changed']);

/** What the log says; before it, with values, what the page of the listing says of changes. */
function newsOf({ changes, listing }: News['changed'][number]): Html {
  const told = listing ? toAnswer(listing).standsOut.filter(({ key }) => toldByNotices.has(key)) : [];
  if (told.length === 0) return toHtml(changesText(changes));
  const logged = say`Logged ${changesText(changes, false)}.`;
  return html`${told.slice(0, mostNotices).map(({ text }) => html`${toHtml(text)} `)}${toHtml(logged)}`;
}

const newsItem = (handle: string, changes: readonly Change[], words: Html) => html`
<li>${day(changes[0]?.at ?? '')} <span>${handleLink(handle)}: ${words}</span></li>`;

function newsBlock({ changed, others }: News): Html {
  return html`
${
  changed.length > 0 &&
  html`<section aria-labelledby="changes"><h2 id="changes">What changed</h2>
<ul class="recent">${changed.map((one) => newsItem(one.handle, one.changes, newsOf(one)))}</ul></section>`
}
${
  others.length > 0 &&
  html`<section aria-labelledby="claims"><h2 id="claims">Claims and ratings</h2>
<ul class="recent">${others.map(([handle, changes]) => newsItem(handle, changes, toHtml(changesText(changes))))}</ul></section>`
}`;
}

/** A record that changed since the check may name the package no more. */
function malwareBlock({ withMalware }: News) {
  const items = withMalware.flatMap((listing) => {
    const told = toAnswer(listing).standsOut.filter(({ key }) => key === 'malware');
    return told.map(({ text }) => html`<li>${handleLink(listing.handle)}: ${toHtml(text)}</li>`);
  });
  return (
    items.length > 0 &&
    html`<section aria-labelledby="malware"><h2 id="malware">Reported as malicious code</h2>
<ul class="stands-out alarm">${items}</ul></section>`
  );
}

const linesShown = ['whose', 'where', 'costs'] as const;

/** What a reader gets, by one listing that has something to tell. */
function exampleCard(listing: ListingDocument): Html {
  const answer = toAnswer(listing);
  const said = toAnswerWords(answer);
  const rows = linesShown.flatMap((name) => {
    const words = said.lines[name];
    return words && !isEmpty(words)
      ? [
          html`<div><dt>${lineTitles[name]}</dt><dd>${toHtml(words, listing.evidence_snapshot_date)}</dd></div>`,
        ]
      : [];
  });
  const notices = answer.standsOut.slice(0, mostNotices);
  return html`
<aside class="box example" aria-labelledby="example"><h2 id="example">${handleLink(listing.handle)}</h2>
${listing.description && html`<p class="foreign">${listing.description}</p>`}
${notices.length > 0 && html`<ul class="stands-out">${notices.map(({ text }) => html`<li>${toHtml(text)}</li>`)}</ul>`}
<dl class="lines">${rows}</dl>
</aside>`;
}

function originText({ origin, import: { last_completed: done } }: StatusDocument) {
  if (done?.newest_change)
    return html`in a saved copy of a registry (made on ${day(done.newest_change)} or later)`;
  if (origin === undefined) return 'listed here';
  return html`of ${origin.startsWith('registry.modelcontextprotocol.io') ? 'the official registry' : origin}`;
}

function figures({ listings }: StatusDocument, tags: readonly TagCount[], { counts }: News): Html {
  const { count, by_state, copy_lacks = [] } = listings;
  const remote = tags.find(({ tag }) => tag === 'remote')?.listings ?? 0;
  const hasRemote = !copy_lacks.includes('endpoint');
  const all = [
    { number: counts.checked, text: 'checked in the last 24 hours' },
    { number: counts.payment, text: 'asked for payment or state prices' },
    { number: counts.changed, more: counts.hasMoreChanged, text: 'changed in the last 7 days' },
    { number: counts.malware, text: 'with a package reported as malicious code' },
    { number: count, href: '/agents', text: count === 1 ? 'listing' : 'listings' },
    { number: hasRemote ? remote : 0, href: '/tags/remote', text: 'with a remote endpoint' },
    { number: by_state.claimed, href: '/agents?state=claimed', text: 'claimed' },
  ];
  return html`
<ul class="numbers">${all
    .filter(({ number, href }) => number > 0 || href === '/agents')
    .map(({ number, more, href, text }) => {
      const shown = html`<b>${amount(number)}${more && '+'}</b> ${text}`;
      return html`<li>${href === undefined ? html`<p>${shown}</p>` : html`<a href="${href}">${shown}</a>`}</li>`;
    })}</ul>`;
}

const examplesShown = 3;
const tagsShown = 16;

export function toHomePage(
  site: PageSite,
  tags: readonly TagCount[],
  status: StatusDocument,
  news: News,
): Html {
  const subjects = tags.filter(({ tag }) => !isRecordedTag(tag));
  const examples = subjects.slice(0, examplesShown);
  return toPage(site, {
    title: site.config.serviceName,
    description: 'Check an MCP server before your agent uses or pays for it: evidence with source and date.',
    path: '/',
    feeds: '',
    body: html`
<div class="first"><section class="hero">
<h1>Check an MCP server before your agent uses or pays for it</h1>
<p class="lead">For each server ${originText(status)}, see who published it, where it runs, what it asks for, what it costs and what changed. Every fact has a source and a date; the facts of a record share one date. ${site.config.serviceName} does not score or recommend services.</p>
${plainSearchForm()}
${examples.length > 0 && html`<p class="examples">Try ${examples.map(({ tag }) => html`<a class="tag" href="/agents?q=${encodeURIComponent(tag)}">${tag}</a> `)}</p>`}
</section>
${news.shown && exampleCard(news.shown)}</div>
${figures(status, tags, news)}
${malwareBlock(news)}
${newsBlock(news)}
${subjects.length > 0 && html`<section aria-labelledby="tags"><h2 id="tags">Subjects</h2>${tagCloud(subjects.slice(0, tagsShown))}<p><a href="/tags">All tags</a></p></section>`}
${importState(status)}
<p><a href="/about#import">Import report</a></p>
<section aria-labelledby="connect"><h2 id="connect">Ask through your agent</h2>
<p>Connect over MCP. Reading needs no account and no key.</p>
${connectDossier(site.config.publicUrl)}
</section>`,
  });
}
