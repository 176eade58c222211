import { html } from 'hono/html';
import { claimMethods } from '../../evidence/claim/methods/index.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { Html } from '../layout/html.ts';
import type { Site } from '../layout/site.ts';
import { type ClaimStep, otherStepForm, stepForm } from './claim-form.ts';

const way =
  ({ handle }: ClaimStep, { config }: Site, isRotating: boolean) =>
  (place: ProofPlace, at: number) => {
    const { title, whereToPut } = claimMethods[place.kind];
    const form = at === 0 && !isRotating ? stepForm : otherStepForm;
    const fields = { method: place.kind, ...(isRotating && { rotate: 'true' }) };
    const name = at === 0 ? 'Get a challenge' : html`Get a challenge<span class="unseen">: ${title}</span>`;
    return html`
<li><h3>${title}</h3>
<p class="foreign">${whereToPut(place, config.claimFile)}</p>
${form(handle, name, fields)}</li>`;
  };

/** The ways that can work for a listing, the easiest first, each with the button that begins it. */
export const claimWays = (step: ClaimStep, site: Site): Html => html`
<h2>${step.ways.length > 1 ? 'Ways that can work for this listing, the easiest first' : 'The way that can work for this listing'}</h2>
<ol class="steps">${step.ways.map(way(step, site, false))}</ol>`;

/** The ways to which a claim can move. */
export function otherWays(step: ClaimStep, site: Site): Html | '' {
  const ways = step.ways.filter(({ kind }) => kind !== step.claim?.kind);
  if (ways.length === 0) return '';
  return html`
<h2>Another way</h2>
<p>The claim can move to another way and keep its history. Put the new line there, and while the claim stands by a repository or an account and moves to a domain, or the other way round, put the same line into both places. Check the new way, then take the old line away.</p>
<ol class="steps">${ways.map(way(step, site, true))}</ol>`;
}
