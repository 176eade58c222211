import { html } from 'hono/html';
import type { z } from 'zod';
import type { listRatings } from '../tools/list-ratings.ts';
import { type Html, pagePath } from './html.ts';
import { toPage } from './layout.ts';
import { ratingItem } from './native-block.ts';
import type { Site } from './site.ts';

/** The native ratings of a listing, newest first; amended and withdrawn ones stay. */
export const toRatingsPage = (site: Site, answer: z.output<(typeof listRatings)['output']>): Html =>
  toPage(site, {
    title: `Native ratings of ${answer.handle}`,
    path: `${pagePath(answer.handle)}/ratings`,
    indexed: false,
    body: html`
<p class="eyebrow"><a href="${pagePath(answer.handle)}">${answer.handle}</a></p>
<h1>Native ratings</h1>
<p class="statement">${answer.statement}</p>
<p>Each rating is one sourced signal by a claimed listing. Comments are the source's own words, responses those of the rated listing. Amended and withdrawn ratings stay listed and are not counted. There is no average.</p>
${answer.ratings.length > 0 ? html`<ol class="records">${answer.ratings.map(ratingItem)}</ol>` : ''}
${answer.next_cursor && html`<p class="more"><a class="button" rel="next" href="${pagePath(answer.handle)}/ratings?cursor=${encodeURIComponent(answer.next_cursor)}">Older ratings</a></p>`}`,
  });
