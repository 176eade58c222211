import { html } from 'hono/html';
import type { ClaimResponse } from '../../claims/answer.ts';
import type { OptOut, ProofPlace } from '../../claims/claim.ts';
import { claimMethods } from '../../claims/methods.ts';
import { optOutEnd, optOutRules, optOutText } from '../../claims/rules.ts';
import type { Problem } from '../../core/problem.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { type Html, pagePath, paste } from '../html.ts';
import { type PageSite, toPage } from '../layout.ts';
import { capabilityField, hiddenFields, pause_s } from './forms.ts';

export interface AskedOptOut {
  readonly answer?: Pick<ClaimResponse, 'check' | 'message'>;
  readonly problem?: Problem;
}

interface OptOutStep {
  readonly handle: string;
  readonly state: ListingDocument['state'];
  readonly ways: readonly ProofPlace[];
  readonly optOuts: readonly OptOut[];
  readonly asked?: AskedOptOut | undefined;
}

/** These say nothing about the line, because no text could be read. */
const unread = /^(host_|redirect_|repository_|dns_no_answer|dns_disagree|not_text|html_page|too_large|lfs_)/;

function absence(handle: string, { check, message }: NonNullable<AskedOptOut['answer']>): Html {
  if (unread.test(check.result)) return html`<p>${message}</p>`;
  const next_at = new Date(Date.parse(check.at) + (check.retry_after_s ?? pause_s) * 1000).toISOString();
  return html`
<p>The check at ${check.at.slice(11, 19)} UTC found no line <code>optout ${handle}</code> there. If you have put it there since then, check again after ${next_at.slice(11, 19)} UTC.</p>`;
}

/** With script, this part alone is replaced. */
function answerOf({ handle, state, optOuts, asked }: OptOutStep): Html {
  const { problem, answer } = asked ?? {};
  return html`<div id="opt-out-answer">${
    problem && html`<div class="notice"><strong>Nothing was done.</strong> ${problem.message}</div>`
  }${optOuts.map((row) => html`<div class="notice">${optOutText(row, state)}</div>`)}${
    answer && optOuts.length === 0 && absence(handle, answer)
  }</div>`;
}

function placeField(places: readonly ProofPlace[], claimFile: string): Html | Html[] {
  const [only] = places;
  if (only && places.length === 1) return hiddenFields({ method: only.kind });
  return html`
<div class="row"><label for="opt-out-method">Where the line is</label>
<select id="opt-out-method" name="method">${places.map(({ kind }) => html`<option value="${kind}">${claimMethods[kind].lineAt(claimFile)}</option>`)}</select></div>`;
}

/** Empty if no location can hold the line. */
export function optOutSection(step: OptOutStep, claimFile: string): Html | '' {
  const { handle, state, ways } = step;
  const places = ways.filter(({ kind }) => kind !== 'registry_key');
  if (places.length === 0) return '';
  const target = html` hx-post="${pagePath(handle)}/claim" hx-target="#opt-out-answer" hx-select="#opt-out-answer" hx-swap="outerHTML" hx-status:5xx="swap:none"`;
  return html`
<section id="withdraw" aria-labelledby="withdraw-title">
<h2 id="withdraw-title">Withdraw the listing</h2>
<p>Put this line ${places.map(({ kind }) => claimMethods[kind].lineAt(claimFile)).join(', or ')}, then have it checked here.</p>
${paste(`optout ${handle}`)}
<ul>${optOutRules.map((rule) => html`<li>${rule}</li>`)}</ul>
<form class="stacked" method="post" action="${pagePath(handle)}/claim#withdraw"${target}>${hiddenFields({ optout: 'true' })}${placeField(places, claimFile)}
${state === 'claimed' ? capabilityField('opt-out-key', { hint: 'Optional. With this key, a check that finds the line withdraws the listing at once. The key is used for this check only, as if it were sent in the Authorization header.' }) : ''}
<button type="submit" class="quiet">Check for the opt-out line</button></form>
<div role="status">${answerOf(step)}</div>
</section>`;
}

export const toWithdrawnPage = (site: PageSite, optOut: OptOut): Html =>
  toPage(site, {
    title: `${optOut.handle} is withdrawn`,
    path: `${pagePath(optOut.handle)}/claim`,
    indexed: false,
    body: html`
<p class="eyebrow handle">${optOut.handle}</p>
<h1>The listing is withdrawn</h1>
<div id="opt-out-answer" class="is-withdrawn"><div class="notice">${optOutText(optOut)}</div>
<p>${optOutEnd}</p>
<form method="post" action="${pagePath(optOut.handle)}/claim">${hiddenFields({ optout: 'true', method: optOut.kind })}<button type="submit" class="quiet">Check whether the line is gone</button></form></div>`,
  });
