import { Feed } from 'feed';
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

/** `path` is of the page. Without changes, the feed has the date of `now`. */
export function toFeed(
  site: Pick<Config, 'publicUrl' | 'serviceName'>,
  { title, path, now }: { readonly title: string; readonly path: string; readonly now: Date },
  changes: readonly Change[],
): Feed {
  const page = `${site.publicUrl}${path}`;
  const base = page.replace(/\/$/, '');
  const feed = new Feed({
    id: page,
    link: page,
    title: `${title} – ${site.serviceName}`,
    description: note,
    author: { name: site.serviceName },
    feedLinks: { atom: `${base}/feed.atom`, json: `${base}/feed.json` },
    updated: new Date(changes[0]?.at ?? `${dayText(now)}T00:00:00.000Z`),
  });
  for (const change of changes)
    feed.addItem({
      id: `${site.publicUrl}/changes#${change.id}`,
      title: titleOf(change),
      link: `${site.publicUrl}/agents/${change.handle}`,
      date: new Date(change.at),
      content: contentOf(change, site.publicUrl),
    });
  return feed;
}
