import { html } from 'hono/html';
import { amount, type Html, tagLink } from './html.ts';
import { toPage } from './layout.ts';
import type { Site } from './site.ts';

/** A tag with the number of listings that have it. */
export interface TagCount {
  readonly tag: string;
  readonly listings: number;
}

/** Tags as links, each with its count. */
export const tagCloud = (tags: readonly TagCount[]): Html =>
  html`<ul class="tag-list">${tags.map(({ tag, listings }) => html`<li>${tagLink(tag)} <span class="count">${amount(listings)}</span></li>`)}</ul>`;

/** All tags, the most frequent first. */
export const toTagsPage = (site: Site, tags: readonly TagCount[]): Html =>
  toPage(site, {
    title: 'Tags',
    path: '/tags',
    body: html`
<h1>Tags</h1>
<p class="lead">The registry has no tags. These are derived from what each listing records; its page names the reason for each.</p>
${tags.length === 0 ? html`<p>No tags yet.</p>` : tagCloud(tags)}`,
  });
