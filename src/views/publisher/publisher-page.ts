import { html } from 'hono/html';
import type { ShortListing } from '../../evidence/listing/short-listing.ts';
import { counted } from '../../evidence/text/plural.ts';
import { type Html, publisherPath } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { listingRows } from '../listing/listing-list.ts';
import { pickBox, pickForm } from '../search/compare-picks.ts';

/** The listings under one namespace, in the order of their handles; `next`: the handle that the next page begins after. */
export interface Publisher {
  readonly namespace: string;
  readonly listings: readonly ShortListing[];
  /** Of all pages. */
  readonly total: number;
  readonly next?: string | undefined;
}

/** What the registry checks before somebody may publish under a namespace. */
const proof = (namespace: string) =>
  /^io\.github\./i.test(namespace)
    ? 'The official registry lets an account of GitHub publish under this namespace.'
    : 'The official registry lets those publish under this namespace who showed control of the domain.';

/** The page of a publisher: every listing under its namespace. */
export const toPublisherPage = (site: Site, { namespace, listings, total, next }: Publisher): Html =>
  toPage(site, {
    title: `Publisher: ${namespace}`,
    description: `Agent services listed under the namespace ${namespace}, with what is known about each.`,
    path: publisherPath(namespace),
    feeds: publisherPath(namespace),
    body: html`
<p class="eyebrow">Publisher</p>
<h1 class="handle">${namespace}</h1>
<p class="lead">${proof(namespace)} ${site.config.serviceName} has not checked who that is.</p>
<p class="total">${counted(total, 'listing')}${listings.length < total ? `, ${listings.length} on this page` : ''}.</p>
<p class="note">Changes of these listings as <a href="${publisherPath(namespace)}/feed.atom">Atom</a> or <a href="${publisherPath(namespace)}/feed.json">JSON</a> feed, or <a href="/api/webhooks">posted to you</a>.</p>
<section id="results" aria-label="Listings"><h2 class="unseen">Listings</h2>
<ul class="cards">${listingRows(listings, '', pickBox(new URLSearchParams()))}</ul>
${pickForm}
${next && html`<p class="more"><a class="button" rel="next" href="${publisherPath(namespace)}?after=${encodeURIComponent(next)}">More listings</a></p>`}
</section>`,
  });
