import { html } from 'hono/html';
import { amount, counted } from '../core/text.ts';
import { untoldNews } from '../document/answers/for-publisher.ts';
import type { Hit } from '../document/resolved.ts';
import { mostRead, type PublisherFacts } from '../listings/publishers.ts';
import type { ObservedSum } from '../tools/find/publisher.ts';
import { day, type Html, publisherPath } from './html.ts';
import { type PageSite, toPage } from './layout.ts';
import { listingRows } from './listing-list.ts';
import { pickBox, pickForm } from './search/page.ts';

/** By handle; the next page begins after `next`. */
export interface Publisher {
  readonly namespace: string;
  readonly listings: readonly Hit[];
  readonly total: number;
  readonly next?: string | undefined;
  readonly facts: PublisherFacts;
  /** Of the listings of `facts`. */
  readonly sum: ObservedSum;
  /** What the copy of the registry lacks, in a sentence. */
  readonly lacking: Readonly<Partial<Record<'endpoint' | 'repository', string | undefined>>>;
}

const hostsShown = 5;

function repositoriesText(count: number, ofOthers: number | undefined): string {
  if (count === 0) return 'No repository is recorded.';
  const record = `${counted(count, 'listing')} ${count === 1 ? 'records' : 'record'} a repository`;
  if (!ofOthers) return `${record}.`;
  return count === 1
    ? `${record} of another account.`
    : `${record}, ${amount(ofOthers)} of them the repository of another account.`;
}

function factsBlock(
  { since, hosts, otherOwners, withRepository }: PublisherFacts,
  lacking: Publisher['lacking'],
): Html {
  const more = hosts.length - hostsShown;
  return html`
<ul class="plain">
<li>The oldest version that was read was published ${day(since)}.</li>
<li>${hosts.length === 0 ? (lacking.endpoint ?? 'No host of an endpoint is recorded.') : html`The records name as hosts of endpoints: ${hosts.slice(0, hostsShown).map((host, at) => html`${at > 0 && ', '}<span class="foreign">${host}</span>`)}${more > 0 && ` and ${counted(more, 'other host')}`}.`}</li>
<li>${withRepository === 0 && lacking.repository ? lacking.repository : repositoriesText(withRepository, otherOwners)}</li>
</ul>`;
}

/** Each text goes on with a day. */
const sumTexts: Readonly<Record<ObservedSum[number]['name'], string>> = {
  checked: 'checked, last on',
  answered: 'answered the last check, last on',
  payment: 'asked for payment or state prices, last seen on',
  changed: 'changed between checks, last on',
  malware: 'with a package reported as malicious code, last seen on',
  rated: 'rated here, last on',
};

function sumBlock(sum: ObservedSum, isOne: boolean): Html {
  const isUnchecked = sum.some(({ name, listings }) => name === 'checked' && listings === 0);
  const counts = sum.flatMap(({ name, listings, last }) =>
    last
      ? [html`<li><p>${!isOne && html`<b>${amount(listings)}</b> `}${sumTexts[name]} ${day(last)}</p></li>`]
      : [],
  );
  return html`
<section aria-labelledby="observed"><h2 id="observed">Known here</h2>
${isUnchecked && html`<p>Dossier has checked none of these listings.</p>`}${counts.length > 0 && html`<ul class="numbers">${counts}</ul>`}
</section>`;
}

export const toPublisherPage = (
  site: PageSite,
  { namespace, listings, total, next, facts, sum, lacking }: Publisher,
): Html =>
  toPage(site, {
    title: `Publisher: ${namespace}`,
    description: `Agent services listed under the namespace ${namespace}, with what is known about each.`,
    path: publisherPath(namespace),
    feeds: publisherPath(namespace),
    indexed: total > 0,
    body: html`
<p class="eyebrow">Publisher</p>
<h1 class="handle">${namespace}</h1>
${
  namespace.includes('.') &&
  html`<p class="lead">${
    /^io\.github\./i.test(namespace)
      ? 'The official registry lets a GitHub account publish under this namespace.'
      : 'In the official registry, only somebody who showed control of the domain can publish under this namespace.'
  } ${site.config.serviceName} has not checked who that is.</p>`
}
<p class="total">${counted(total, 'listing')}${listings.length < total ? `, ${listings.length} on this page` : ''}.</p>
${total > 0 ? html`${factsBlock(facts, lacking)}${sumBlock(sum, total === 1)}` : html`<p>No listing shown here is in this namespace; capitals count. One that is imported under it comes here and into these feeds. <a href="/agents">All listings</a>.</p>`}
${facts.handles.length === mostRead && html`<p class="note">Counted over the first ${amount(mostRead)} listings.</p>`}
<p class="note">Changes of these listings as <a href="${publisherPath(namespace)}/feed.atom">Atom</a> or <a href="${publisherPath(namespace)}/feed.json">JSON</a> feed, or by <a href="/api/webhooks">webhook</a>. ${untoldNews(site.config)}</p>
${
  total > 0 &&
  html`<section id="results" aria-label="Listings"><h2 class="unseen">Listings</h2>
<ul class="cards">${listingRows(listings, '', total > 1 ? pickBox(new URLSearchParams()) : undefined)}</ul>
${total > 1 && pickForm}
${next && html`<p class="more"><a class="button" rel="next" href="${publisherPath(namespace)}?after=${encodeURIComponent(next)}">More listings</a></p>`}
</section>`
}`,
  });
