import { html } from 'hono/html';
import type { ClaimResponse } from '../../claims/claim-response.ts';
import { claimStatement } from '../../evidence/claim/claim-statement.ts';
import { type Html, minute, pagePath, paste } from '../layout/html.ts';
import { type ClaimStep, hiddenFields, otherStepForm, stepForm } from './claim-form.ts';
import { claimSteps } from './claim-steps.ts';

const checkedNote = ({ check, repository }: ClaimResponse) => html`
<p class="note">Checked <span class="foreign">${repository}</span> at ${minute(check.at)}: <code>${check.result}</code>${check.commit ? html`, commit <code>${check.commit.slice(0, 12)}</code>` : ''}${check.branch ? html` of <code class="foreign">${check.branch}</code>` : ''}.</p>`;

const secret = ({ capability, capability_id, expires_at }: ClaimResponse) =>
  capability
    ? html`
<h3>Keep the capability ${capability_id ? html`<code>${capability_id}</code>` : ''}</h3>
<div class="notice"><strong>Keep this now: it is shown once.</strong> The capability is a secret. It starts to work when its challenge is found in the repository${expires_at ? html`, until ${minute(expires_at)}` : ''}. Do not commit it: a committed capability has leaked and ends for good.</div>
${paste(capability)}`
    : '';

const fileToCommit = (contents: string, claimFile: string) => html`
<h3>Commit this file</h3>
<p>At the root of the default branch, as <code>${claimFile}</code>, one line per listing. Push, then press the button below.</p>
${paste(contents)}`;

/** What is still to be proven: what to commit, and the button for the next check. */
function unproven({ handle, answer, checked }: ClaimStep, claimFile: string): Html {
  const challenge = answer?.challenge ?? checked;
  return html`
${answer ? secret(answer) : ''}
${challenge ? fileToCommit(answer?.file_contents ?? challenge, claimFile) : ''}
${checked && !answer?.capability ? html`<p>The capability was shown once, on the page that first showed this challenge. If it is lost, start over.</p>` : ''}
${challenge ? stepForm(handle, 'I committed it: check again', { challenge }) : ''}
${checked ? otherStepForm(handle, 'Start over with another challenge', { rotate: 'true' }) : ''}`;
}

const proven = ({ handle, answer }: ClaimStep) => html`
${answer?.claimed_at ? html`<p>${claimStatement({ kind: 'repository', claimed_at: answer.claimed_at, commit: answer.commit }, [])}</p>` : ''}
<p>Active capabilities: ${answer?.capabilities?.map(({ id }) => html`<code>${id}</code> `)}. Yours is the one that was issued with a challenge in the file. Send it as <code>Authorization: Bearer</code> or <code>X-Agent-Capability</code> to rate other listings as <code>${handle}</code>.</p>
<p><a href="${pagePath(handle)}">The listing</a> shows the claim and its history.</p>`;

const headings = {
  claimed: 'Claimed',
  not_proven: 'Not claimed yet',
  challenge_issued: 'Challenge issued',
} as const;

const pause_s = 30;

/** Checks again by itself and replaces only the status, so that a secret on the page stays visible. */
const watch = (handle: string, challenge: string, wait_s: number) => html`
<form method="post" action="${pagePath(handle)}/claim" hidden hx-post="${pagePath(handle)}/claim" hx-trigger="load delay:${wait_s + 1}s" hx-target="#claim-now" hx-select="#claim-now" hx-swap="outerHTML" hx-status:4xx="swap:none" hx-status:5xx="swap:none">${hiddenFields({ challenge })}<button type="submit">Check now</button></form>`;

/** When the next check runs: with script by itself, counted down; without, when the button is pressed. */
const nextCheck = ({ check }: ClaimResponse) => {
  const wait_s = check.retry_after_s ?? pause_s;
  const next_at = new Date(Date.parse(check.at) + wait_s * 1000).toISOString();
  return html`
<p class="scripted">The next check runs by itself in <span data-countdown="${wait_s}" aria-live="off">${wait_s}</span> seconds.</p>
<p class="unscripted">Press the button once you have pushed. If the line is not found, check again after ${next_at.slice(11, 19)} UTC.</p>`;
};

/** The part that is updated; the live region around it stays, so that screen readers announce changes. */
function status(step: ClaimStep, answer: ClaimResponse): Html {
  const challenge = answer.challenge ?? step.checked;
  return html`
<div id="claim-status" role="status"><div id="claim-now">
<h2 id="result">${headings[answer.status]}</h2>
${claimSteps(answer, challenge !== undefined)}
${answer.message && html`<p>${answer.message}</p>`}
${checkedNote(answer)}
${answer.status === 'claimed' ? proven(step) : challenge ? html`${nextCheck(answer)}${watch(step.handle, challenge, answer.check.retry_after_s ?? pause_s)}` : ''}
</div></div>`;
}

/** The result of the last step of a claim, and the next step. */
export const claimResult = (step: ClaimStep, answer: ClaimResponse, claimFile: string): Html => html`
<section class="claim-result" aria-labelledby="result">
${status(step, answer)}
${answer.status === 'claimed' ? '' : unproven(step, claimFile)}
</section>`;
