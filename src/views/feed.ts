import { html } from 'hono/html';
import type { Config } from '../config/config.ts';
import { dayText } from '../core/text.ts';
import { toText } from '../core/words.ts';
import { changeWithVersion, changeWords } from '../document/changes.ts';
import type { Change } from '../log/change.ts';
import { toHtml } from './html.ts';

const note =
  'Changes in what is recorded, observed, claimed or rated. A change is evidence. It is not verification and not a recommendation.';

const titleOf = (change: Change) => `${change.handle}: ${toText(changeWords(change))}`;

/** Escaped, because readers show HTML and publishers name their versions. */
function contentOf(change: Change, publicUrl: string): string {
  const { log_index } = change.data;
  const entry =
    typeof log_index === 'number' &&
    html` <a href="${publicUrl}/log/entry/${log_index}">Entry ${log_index} of the log</a>.`;
  return String(
    html`<p>${dayText(change.at)}, ${change.handle}: ${toHtml(changeWithVersion(change))}. <a href="${publicUrl}/agents/${change.handle}/history">Before and after</a>.${entry}</p>`,
  );
}

interface ChangeFeed {
  readonly title: string;
  /** Of the page. */
  readonly path: string;
  readonly now: Date;
  readonly changes: readonly Change[];
}

type Site = Pick<Config, 'publicUrl' | 'serviceName'>;

/** The package `feed` sends titles as HTML, and JSON Feed 1. */
function toFeed({ publicUrl, serviceName }: Site, { title, path, changes }: ChangeFeed) {
  const page = `${publicUrl}${path}`;
  const entries = changes.map((change) => ({
    id: `${publicUrl}/changes#${change.id}`,
    url: `${publicUrl}/agents/${change.handle}`,
    title: titleOf(change),
    content_html: contentOf(change, publicUrl),
    date_modified: new Date(change.at).toISOString(),
  }));
  return { page, base: page.replace(/\/$/, ''), title: `${title} – ${serviceName}`, entries };
}

/** JSON Feed 1.1. */
export function toJsonFeed(site: Site, shown: ChangeFeed): string {
  const { page, base, title, entries } = toFeed(site, shown);
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: `${base}/feed.json`,
    description: note,
    authors: [{ name: site.serviceName }],
    items: entries,
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has none of these, not even escaped.
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** RFC 4287. Without changes, the feed has the date of `now`. */
export function toAtomFeed(site: Site, shown: ChangeFeed): string {
  const { page, base, title, entries } = toFeed(site, shown);
  const updated = entries[0]?.date_modified ?? `${dayText(shown.now)}T00:00:00.000Z`;
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${page}</id>
<title>${title}</title>
<subtitle>${note}</subtitle>
<updated>${updated}</updated>
<author><name>${site.serviceName}</name></author>
<link rel="alternate" href="${page}"/>
<link rel="self" href="${base}/feed.atom"/>${entries.map(
    (one) => html`
<entry>
<id>${one.id}</id>
<title>${one.title}</title>
<link rel="alternate" href="${one.url}"/>
<updated>${one.date_modified}</updated>
<content type="html">${one.content_html}</content>
</entry>`,
  )}
</feed>
`;
  return String(feed).toWellFormed().replaceAll(notInXml, '\ufffd');
}
