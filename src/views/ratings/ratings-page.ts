import { html } from 'hono/html';
import type { z } from 'zod';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { RatingFilter } from '../../evidence/rating/rating-facets.ts';
import type { listRatings } from '../../tools/list-ratings.ts';
import { type Html, pagePath } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import { originNote } from '../layout/origin-note.ts';
import type { Site } from '../layout/site.ts';
import { nativeCounts } from './native-block.ts';
import { ratingFilters, ratingsPath } from './rating-filters.ts';
import { ratingItem } from './rating-item.ts';

type Answer = z.output<typeof listRatings.output>;

const isFiltered = (filter: RatingFilter) => Object.values(filter).some((value) => value !== undefined);

function records({ handle, ratings, next_cursor }: Answer, filter: RatingFilter) {
  const what = isFiltered(filter)
    ? 'Counted ratings that match, newest first'
    : 'All records, newest first; amended and withdrawn ones are listed and not counted';
  const none = isFiltered(filter)
    ? html`<p>No counted rating matches. <a href="${ratingsPath(handle, {})}">All records</a></p>`
    : '';
  return html`
<h2 id="records">Records</h2>
<p class="note">${what}.</p>
${ratings.length > 0 ? html`<ol class="records">${ratings.map(ratingItem)}</ol>` : none}
${next_cursor && html`<p class="more"><a class="button" rel="next" href="${ratingsPath(handle, filter, next_cursor)}">Older ratings</a></p>`}`;
}

/** The ratings page of a listing, newest first; without a filter it includes amended and withdrawn records. */
export const toRatingsPage = (
  site: Site,
  listing: ListingDocument,
  { answer, filter }: { readonly answer: Answer; readonly filter: RatingFilter },
): Html => {
  const {
    handle,
    signals: { native },
  } = listing;
  return toPage(site, {
    title: `Native ratings of ${handle}`,
    description: `Every native rating of ${handle} with its source and date, amended and withdrawn ones included. There is no average.`,
    path: `${pagePath(handle)}/ratings`,
    indexed: false,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(handle)}">${handle}</a></p>
<h1>Native ratings</h1>
${originNote(listing)}
<p class="statement">${answer.statement}</p>
<p>Each rating is one sourced signal by a claimed listing. Comments are the source's own words, responses those of the rated listing. There is no average.</p>
${native.ratings > 0 ? html`<h2>Counts</h2>${nativeCounts(native)}${ratingFilters(listing, answer.counts, filter)}` : ''}
${native.ratings > 0 || answer.ratings.length > 0 ? records(answer, filter) : ''}`,
  });
};
