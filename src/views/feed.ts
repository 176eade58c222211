import { html } from 'hono/html';
import type { Config } from '../config/config.ts';
import { dayText, lastOf } from '../core/text.ts';
import { toText } from '../core/words.ts';
import { untoldNews } from '../document/answers/for-publisher.ts';
import { changedOf, titleWords, toldWords } from '../document/answers/history.ts';
import type { FollowedChange } from '../document/answers/history-events.ts';
import { toHtml } from './html.ts';
import { eventId } from './pictures/axis.ts';

const note =
  'Changes in what is recorded, observed, claimed or rated. A change is evidence. It is not verification and not a recommendation.';

/** An empty feed says that it is in use. */
const noneYet =
  'It has no entry now; the next change that Dossier records will be one. What was published before Dossier first read a listing is in its history alone.';

/** Later changes that are no entries bring their last one to readers anew. */
const toldAt = ({ change, event }: FollowedChange): string =>
  lastOf([change.at, ...changedOf(event).flatMap(({ later }) => later?.at ?? [])]) ?? change.at;

/** Escaped, because readers show HTML and publishers name their versions. */
function contentOf(told: FollowedChange, publicUrl: string): string {
  const { change, event } = told;
  const { at, handle, data } = change;
  const { log_index } = data;
  const last = toldAt(told);
  const entry =
    typeof log_index === 'number' &&
    html` <a href="/log/entry/${log_index}">Entry ${log_index} of the log</a>.`;
  const from = event.type === 'check' && html` Seen by a check from ${event.vantage}.`;
  const content = html`${toldWords(event).map((words) => html`<p>${dayText(at)}, ${handle}: ${toHtml(words)}.</p>`)}<p><a href="/agents/${handle}/history?until=${dayText(last)}#${eventId(last)}">Before and after</a>.${from}${entry}</p>`;
  // Readers of feeds know no address that a path begins at.
  return String(content).replaceAll('href="/', () => `href="${publicUrl}/`);
}

interface ChangeFeed {
  readonly title: string;
  /** Of the page. */
  readonly path: string;
  readonly now: Date;
  readonly changes: readonly FollowedChange[];
}

type Site = Pick<Config, 'publicUrl' | 'registryUrl' | 'serviceName'>;

/** The package `feed` sends titles as HTML, and JSON Feed 1. */
function toFeed(site: Site, { title, path, changes }: ChangeFeed) {
  const { publicUrl, serviceName } = site;
  const page = `${publicUrl}${path}`;
  const newest = changes.toSorted((a, b) => toldAt(b).localeCompare(toldAt(a)));
  const entries = newest.map((told) => ({
    id: `${publicUrl}/changes#${told.change.id}`,
    url: `${publicUrl}/agents/${told.change.handle}`,
    title: `${told.change.handle}: ${toText(titleWords(told))}`,
    content_html: contentOf(told, publicUrl),
    date_modified: new Date(toldAt(told)).toISOString(),
  }));
  const said = [note, entries.length === 0 && noneYet, ...untoldNews(site)];
  const description = said.filter(Boolean).join(' ');
  return { page, base: page.replace(/\/$/, ''), title: `${title} – ${serviceName}`, description, entries };
}

/** JSON Feed 1.1. */
export function toJsonFeed(site: Site, shown: ChangeFeed): string {
  const { page, base, title, description, entries } = toFeed(site, shown);
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: page,
    feed_url: `${base}/feed.json`,
    description,
    authors: [{ name: site.serviceName }],
    items: entries,
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has none of these, not even escaped.
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** RFC 4287. Without changes, the feed has the date of `now`. */
export function toAtomFeed(site: Site, shown: ChangeFeed): string {
  const { page, base, title, description, entries } = toFeed(site, shown);
  const updated = entries[0]?.date_modified ?? `${dayText(shown.now)}T00:00:00.000Z`;
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${page}</id>
<title>${title}</title>
<subtitle>${description}</subtitle>
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
