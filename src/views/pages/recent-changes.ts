import { html } from 'hono/html';
import { type Change, changeText } from '../../evidence/change.ts';
import { kindOf } from '../../evidence/kinds/recorded/kind-of.ts';
import { day, type Html, handleLink } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';

const mostListings = 8;
const mostOfListing = 3;

const toName = (name: string) => (kindOf(name)?.title ?? toLabel(name)).toLowerCase();

/** What changed about one listing on its newest day, each thing once. */
const textsOf = (changes: readonly Change[]) => [...new Set(changes.map((one) => changeText(one, toName)))];

function item(handle: string, [newest, ...older]: readonly Change[]) {
  if (!newest) return '';
  const date = newest.at.slice(0, 10);
  const texts = textsOf([newest, ...older.filter(({ at }) => at.slice(0, 10) === date)]);
  const more = texts.length - mostOfListing;
  return html`
<li>${day(newest.at)} <span>${handleLink(handle)}: ${texts.slice(0, mostOfListing).join('; ')}${more > 0 && `; ${more} more`}</span></li>`;
}

/** The newest changes by listing, the newest first, and since when they were read; nothing before the first change. */
export function recentChanges(changes: readonly Change[]): Html | '' {
  const byListing = [...Map.groupBy(changes, ({ handle }) => handle)].slice(0, mostListings);
  const oldest = byListing.at(-1)?.[1][0];
  if (!oldest) return '';
  return html`
<section aria-labelledby="changes"><h2 id="changes">New and changed since ${day(oldest.at)}</h2>
<ul class="recent">${byListing.map(([handle, found]) => item(handle, found))}</ul>
<p>All changes as <a href="/feed.atom">Atom</a> or <a href="/feed.json">JSON</a> feed; every listing, publisher and tag has its own.</p></section>`;
}
