import { html } from 'hono/html';
import { isRecordedTag } from '../../evidence/listing/record/recorded-kinds.ts';
import { vocabulary } from '../../evidence/tags/vocabulary.ts';
import { amount } from '../../evidence/text/plural.ts';
import { type Html, tagLink } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';

/** A tag with the number of listings that have it. */
export interface TagCount {
  readonly tag: string;
  readonly listings: number;
}

const subjects: ReadonlySet<string> = new Set(Object.keys(vocabulary));
const groups = [
  {
    id: 'subjects',
    title: 'Subjects',
    why: 'A word of our vocabulary appears in the title or the description.',
    includes: (tag: string) => subjects.has(tag),
  },
  {
    id: 'facts',
    title: 'Recorded facts',
    why: 'The record names a remote endpoint, a transport or a kind of package.',
    includes: isRecordedTag,
  },
  {
    id: 'keywords',
    title: 'Publishers’ keywords',
    why: 'Chosen by publishers for their listings; not checked by Dossier.',
    includes: (tag: string) => !isRecordedTag(tag) && !subjects.has(tag),
  },
] as const;

/** Tags as links, each with its count. */
export const tagCloud = (tags: readonly TagCount[]): Html =>
  html`<ul class="tag-list">${tags.map(({ tag, listings }) => html`<li>${tagLink(tag)} <span class="count">${amount(listings)}</span></li>`)}</ul>`;

function group({ id, title, why, includes }: (typeof groups)[number], tags: readonly TagCount[]) {
  const shown = tags.filter(({ tag }) => includes(tag));
  if (shown.length === 0) return '';
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="note">${why}</p>${tagCloud(shown)}</section>`;
}

/** All tags grouped by where they come from, most frequent first. */
export const toTagsPage = (site: Site, tags: readonly TagCount[]): Html =>
  toPage(site, {
    title: 'Tags',
    description:
      'Agent services by subject, recorded fact and publishers’ keyword, with how many listings carry each.',
    path: '/tags',
    body: html`
<h1>Tags</h1>
<p class="lead">The registry has no tags. These are derived from what each listing records; its page names the reason for each. The number is how many listings have the tag.</p>
${tags.length === 0 ? html`<p>No tags yet.</p>` : groups.map((one) => group(one, tags))}`,
  });
