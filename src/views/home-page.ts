import { html } from 'hono/html';
import { amount, dayText } from '../core/text.ts';
import { dayOf, isEmpty, join, say, type Words } from '../core/words.ts';
import { toAnswer, toAnswerWords } from '../document/answers/answers.ts';
import { titleWords } from '../document/answers/history.ts';
import { lineTitles } from '../document/answers/lines.ts';
import type { ListingDocument, StatusDocument } from '../document/listing-document.ts';
import { isRecordedTag } from '../document/record.ts';
import { unique } from '../document/words.ts';
import type { News, NewsOf } from '../tools/find/news.ts';
import { day, type Html, handleLink, toHtml } from './html.ts';
import { importState } from './import-state.ts';
import { type PageSite, toPage } from './layout.ts';
import { connectDossier } from './listing/page.ts';
import { type TagCount, tagCloud } from './pages.ts';
import { plainSearchForm } from './search/form.ts';

const mostNotices = 2;

/** Each day after the first is said. */
function changesText({ told, more }: NewsOf): Words {
  const said = [...Map.groupBy(told, ({ change }) => dayText(change.at))].flatMap(([date, ofDay], place) => {
    const [first = say``, ...others] = unique(ofDay.map(titleWords));
    return [place === 0 ? first : say`on ${dayOf(date)}: ${first}`, ...others];
  });
  return say`${join(said, '; ')}${more > 0 ? say`; ${more} more` : say``}`;
}

const newsItem = (news: NewsOf) => html`
<li>${day(news.told[0]?.change.at ?? '')} <span>${handleLink(news.handle)}: ${toHtml(changesText(news))}</span></li>`;

function newsBlock({ changed, others }: News): Html {
  return html`
${
  changed.length > 0 &&
  html`<section aria-labelledby="changes"><h2 id="changes">What changed</h2>
<ul class="recent">${changed.map(newsItem)}</ul></section>`
}
${
  others.length > 0 &&
  html`<section aria-labelledby="claims"><h2 id="claims">Claims and ratings</h2>
<ul class="recent">${others.map(newsItem)}</ul></section>`
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
<p class="lead">For each server ${originText(status)}, see what is known: who published it, where it runs, what it asks for, what it costs and what changed. Every fact has a source and a date; the facts of a record share one date. ${site.config.serviceName} does not score or recommend services.</p>
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
