import { html } from 'hono/html';
import type { OptOut, ProofPlace } from '../../claims/claim.ts';
import type { StandingClaim } from '../../claims/foretell/foretell.ts';
import { foretellOptOut, optOutEnd, optOutRules, optOutText } from '../../claims/foretell/opt-out.ts';
import { claimMethods } from '../../claims/methods.ts';
import type { ClaimResponse } from '../../claims/response.ts';
import type { Problem } from '../../core/problem.ts';
import { type Html, pagePath, paste } from '../html.ts';
import { type PageSite, toPage } from '../layout.ts';
import { capabilityField, hiddenFields, pause_s } from './forms.ts';

export interface AskedOptOut {
  readonly answer?: Pick<ClaimResponse, 'check' | 'message'>;
  readonly problem?: Problem;
}

interface OptOutStep {
  readonly ways: readonly ProofPlace[];
  readonly standing: StandingClaim;
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
function answerOf({ standing: { handle, claim }, optOuts, asked }: OptOutStep): Html {
  const { problem, answer } = asked ?? {};
  return html`<div id="opt-out-answer">${
    problem && html`<div class="notice"><strong>Nothing was done.</strong> ${problem.message}</div>`
  }${optOuts.map((row) => html`<div class="notice">${optOutText(row, claim)}</div>`)}${
    answer && optOuts.length === 0 && absence(handle, answer)
  }</div>`;
}

const waysToOptOut = ({ ways, standing }: OptOutStep) =>
  ways
    .filter(({ kind }) => kind !== 'registry_key')
    .filter((place) => foretellOptOut(standing, { place, isHolder: false }) !== 'never');

function placeField(places: readonly ProofPlace[], claimFile: string): Html | Html[] {
  const [only] = places;
  if (only && places.length === 1) return hiddenFields({ method: only.kind });
  return html`
<div class="row"><label for="opt-out-method">Where the line is</label>
<select id="opt-out-method" name="method">${places.map(({ kind }) => html`<option value="${kind}">${claimMethods[kind].lineAt(claimFile)}</option>`)}</select></div>`;
}

/** Empty if no location can hold the line. */
export function optOutSection(step: OptOutStep, claimFile: string): Html | '' {
  const { handle, claim } = step.standing;
  const places = waysToOptOut(step);
  if (places.length === 0) return '';
  const isClaimed = claim?.state === 'claimed';
  const target = html` hx-post="${pagePath(handle)}/claim" hx-target="#opt-out-answer" hx-select="#opt-out-answer" hx-swap="outerHTML" hx-status:5xx="swap:none"`;
  return html`
<section id="withdraw" aria-labelledby="withdraw-title">
<h2 id="withdraw-title">Withdraw the listing</h2>
<p>Put this line ${places.map(({ kind }) => claimMethods[kind].lineAt(claimFile)).join(', or ')}, then have it checked here.</p>
${paste(`optout ${handle}`)}
<ul>${optOutRules(step.standing, places).map((rule) => html`<li>${rule}</li>`)}</ul>
<form class="stacked" method="post" action="${pagePath(handle)}/claim#withdraw"${target}>${hiddenFields({ optout: 'true' })}${placeField(places, claimFile)}
${isClaimed ? capabilityField('opt-out-key', { hint: 'Optional. With this key, a check that finds the line withdraws the listing at once. The key is used for this check only, as if it were sent in the Authorization header.' }) : ''}
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
<div id="opt-out-answer" class="is-withdrawn"><div class="notice">${optOutText(optOut, undefined)}</div>
<p>${optOutEnd}</p>
<form method="post" action="${pagePath(optOut.handle)}/claim">${hiddenFields({ optout: 'true', method: optOut.kind })}<button type="submit" class="quiet">Check whether the line is gone</button></form></div>`,
  });
