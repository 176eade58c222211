import { html } from 'hono/html';
import type { Problem } from '../../core/problem.ts';
import { isCurrent, type ShownRating } from '../../ratings/rating.ts';
import { capabilityField } from '../claim/standing.ts';
import { type Html, pagePath } from '../html.ts';

/** What was sent, and why nothing was published. */
export interface RefusedResponse {
  readonly rating_id?: string | undefined;
  readonly text?: string | undefined;
  readonly problem: Problem;
}

export const refusal = ({ problem }: RefusedResponse): Html =>
  html`<div class="notice" role="alert"><strong>Nothing was published.</strong> ${problem.message}</div>`;

/** For the holder of a capability of the rated listing, once for each rating. */
export function respondForm(handle: string, rating: ShownRating, refused?: RefusedResponse): Html | '' {
  if (rating.response || rating.hidden_at || !isCurrent(rating)) return '';
  const { rating_id } = rating;
  const sent = refused?.rating_id === rating_id ? refused : undefined;
  return html`
<details${sent ? html` open` : ''}><summary>Respond as ${handle}</summary>
<form class="stacked" method="post" action="${pagePath(handle)}/ratings"><input type="hidden" name="rating_id" value="${rating_id}">
<div class="row"><label for="text-${rating_id}">Your one public response</label><span class="note" id="text-${rating_id}-hint">Up to 1,000 characters. It is final, and recorded in the log. No count changes.</span>
<textarea id="text-${rating_id}" name="text" rows="4" required maxlength="1000" aria-describedby="text-${rating_id}-hint">${sent?.text}</textarea></div>
${capabilityField(`key-${rating_id}`, { hint: 'It is used for this response only, as if it were sent in the Authorization header.', isRequired: true })}
<p><button type="submit">Publish the response</button></p></form></details>`;
}
