import { html } from 'hono/html';
import { amount, dayText } from '../core/text.ts';
import { join } from '../core/words.ts';
import { changeWords } from '../document/changes.ts';
import type { StatusDocument } from '../document/listing-document.ts';
import { isRecordedTag } from '../document/record.ts';
import { unique } from '../document/words.ts';
import { type Change, changeTypes } from '../log/change.ts';
import { day, type Html, handleLink, toHtml } from './html.ts';
import { importState } from './import-state.ts';
import { type PageSite, toPage } from './layout.ts';
import { connectDossier } from './listing/page.ts';
import { type TagCount, tagCloud } from './pages.ts';
import { plainSearchForm } from './search/form.ts';

const mostListings = 8;
const mostChangesOfListing = 3;

function changedItem(handle: string, [newest, ...older]: readonly Change[]) {
  if (!newest) return '';
  const date = dayText(newest.at);
  const ofDay = [newest, ...older].filter(({ at }) => dayText(at) === date);
  const sorted = ofDay.toSorted((a, b) => changeTypes.indexOf(a.type) - changeTypes.indexOf(b.type));
  const said = unique(sorted.map(changeWords));
  const more = said.length - mostChangesOfListing;
  return html`
<li>${day(newest.at)} <span>${handleLink(handle)}: ${toHtml(join(said.slice(0, mostChangesOfListing), '; '))}${more > 0 && `; ${more} more`}</span></li>`;
}

function recentChanges(changes: readonly Change[]): Html | '' {
  if (changes.length === 0) return '';
  const byListing = [...Map.groupBy(changes, ({ handle }) => handle)].slice(0, mostListings);
  return html`
<section aria-labelledby="changes"><h2 id="changes">What changed</h2>
<ul class="recent">${byListing.map(([handle, found]) => changedItem(handle, found))}</ul></section>`;
}

function originText({ origin, import: { last_completed: done } }: StatusDocument) {
  if (done?.newest_change)
    return html`in a saved copy of a registry (made on ${day(done.newest_change)} or later)`;
  if (origin === undefined) return 'listed here';
  return html`of ${origin.startsWith('registry.modelcontextprotocol.io') ? 'the official registry' : origin}`;
}

function figures({ listings }: StatusDocument, tags: readonly TagCount[]): Html {
  const { count, by_state, copy_lacks = [] } = listings;
  const remote = tags.find(({ tag }) => tag === 'remote')?.listings ?? 0;
  const figure = (number: number, href: string, text: string) =>
    html`<li><a href="${href}"><b>${amount(number)}</b> ${text}</a></li>`;
  return html`
<ul class="numbers">${figure(count, '/agents', count === 1 ? 'listing' : 'listings')}${!copy_lacks.includes('endpoint') && figure(remote, '/tags/remote', 'with a remote endpoint')}${figure(by_state.claimed, '/agents?state=claimed', 'claimed')}</ul>`;
}

const examplesShown = 3;
const tagsShown = 16;

export function toHomePage(
  site: PageSite,
  tags: readonly TagCount[],
  status: StatusDocument,
  changes: readonly Change[],
): Html {
  const subjects = tags.filter(({ tag }) => !isRecordedTag(tag));
  const examples = subjects.slice(0, examplesShown);
  return toPage(site, {
    title: site.config.serviceName,
    description: 'Check an MCP server before your agent uses or pays for it: evidence with source and date.',
    path: '/',
    feeds: '',
    body: html`
<section class="hero">
<h1>Check an MCP server before your agent uses or pays for it</h1>
<p class="lead">For each server ${originText(status)}, see who published it, where it runs, what it asks for, what it costs and what changed. Every fact has a source and a date; the facts of a record share one date. ${site.config.serviceName} does not score or recommend services.</p>
${plainSearchForm()}
${examples.length > 0 && html`<p class="examples">Try ${examples.map(({ tag }) => html`<a class="tag" href="/agents?q=${encodeURIComponent(tag)}">${tag}</a> `)}</p>`}
</section>
${recentChanges(changes)}
${figures(status, tags)}
${subjects.length > 0 && html`<section aria-labelledby="tags"><h2 id="tags">Subjects</h2>${tagCloud(subjects.slice(0, tagsShown))}<p><a href="/tags">All tags</a></p></section>`}
${importState(status)}
<p><a href="/about#import">Import report</a></p>
<section aria-labelledby="connect"><h2 id="connect">Ask through your agent</h2>
<p>Connect over MCP. Reading needs no account and no key.</p>
${connectDossier(site.config.publicUrl)}
</section>`,
  });
}
