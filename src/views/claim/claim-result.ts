import { html } from 'hono/html';
import { claimMethods } from '../../evidence/claim/methods/index.ts';
import { type ClaimKind, isInRepository } from '../../evidence/claim/proof-place.ts';
import { type Html, minute, pagePath, paste } from '../layout/html.ts';
import { type ClaimAnswer, type ClaimStep, hiddenFields, otherStepForm, stepForm } from './claim-form.ts';
import { claimSteps } from './claim-steps.ts';

const checkedNote = ({ check, repository, domain }: ClaimAnswer) => html`
<p class="note">Checked <span class="foreign">${repository ?? check.domain ?? domain}</span> at ${minute(check.at)}: <code>${check.result}</code>${check.commit ? html`, commit <code>${check.commit.slice(0, 12)}</code>` : ''}${check.branch ? html` of <code class="foreign">${check.branch}</code>` : ''}.</p>`;

const secret = ({ capability, capability_id, expires_at }: ClaimAnswer) =>
  capability
    ? html`
<h3>Keep the capability ${capability_id ? html`<code>${capability_id}</code>` : ''}</h3>
<div class="notice"><strong>Keep this now: it is shown once.</strong> The capability is a secret. It starts to work when its challenge is found${expires_at ? html`, until ${minute(expires_at)}` : ''}. Do not publish it: a published capability has leaked and ends for good.</div>
${paste(capability)}`
    : '';

const fileToCommit = (contents: string, claimFile: string) => html`
<h3>Commit this file</h3>
<p>At the root of the default branch, as <code>${claimFile}</code>, one line per listing. Push, then press the button below.</p>
${paste(contents)}`;

/** What to put where, with what can be copied. */
function toPut({ answer, ways }: ClaimStep, challenge: string, claimFile: string): Html {
  if (answer === undefined || answer.method === 'repository')
    return fileToCommit(answer?.file_contents ?? challenge, claimFile);
  const place = ways.find(({ kind }) => kind === answer.method);
  const { title, whereToPut, toCopy } = claimMethods[answer.method];
  return html`
<h3>${title}</h3>
${place && html`<p class="foreign">${whereToPut(place, claimFile)}</p>${paste(toCopy(place, challenge))}`}`;
}

const signatureForm = (handle: string, challenge: string) => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields({ method: 'registry_key', challenge })}
<label>Signature, base64 or hex <textarea name="signature" rows="3" maxlength="300" required></textarea></label>
<button type="submit">Check the signature</button></form>`;

const checkForm = (handle: string, method: ClaimKind, challenge: string) =>
  method === 'registry_key'
    ? signatureForm(handle, challenge)
    : stepForm(handle, `${isInRepository(method) ? 'I committed it' : 'It is there'}: check again`, {
        method,
        challenge,
      });

/** What is still to be proven: what to put where, and the button for the next check. */
function unproven(step: ClaimStep, claimFile: string): Html {
  const { handle, answer, checked } = step;
  const challenge = answer?.challenge ?? checked;
  const method = answer?.method ?? 'repository';
  return html`
${answer ? secret(answer) : ''}
${challenge ? toPut(step, challenge, claimFile) : ''}
${checked && !answer?.capability ? html`<p>The capability was shown once, on the page that first showed this challenge. If it is lost, start over.</p>` : ''}
${challenge ? checkForm(handle, method, challenge) : ''}
${checked ? otherStepForm(handle, 'Start over with another challenge', { method, rotate: 'true' }) : ''}`;
}

const whereItIs = (method: ClaimKind) =>
  method === 'registry_key' ? 'the challenge that was signed' : 'a challenge that was found';

const proven = ({ handle, answer, claim }: ClaimStep) => html`
${claim && html`<p>${claim.statement}</p>`}
<p>Active capabilities: ${answer?.capabilities?.map(({ id }) => html`<code>${id}</code> `)}. Yours is the one that was issued with ${whereItIs(answer?.method ?? 'repository')}. Send it as <code>Authorization: Bearer</code> or <code>X-Agent-Capability</code> to rate other listings as <code>${handle}</code>.</p>
<p><a href="${pagePath(handle)}">The listing</a> shows the claim and its history.</p>`;

const headings = {
  claimed: 'Claimed',
  not_proven: 'Not claimed yet',
  challenge_issued: 'Challenge issued',
} as const;

const pause_s = 30;

/**
 * Checks again by itself and replaces only the status, so that a secret on the page stays visible. After an answer that is
 * an error it asks again every minute.
 */
const watch = (handle: string, fields: Readonly<Record<string, string>>, wait_s: number) => html`
<form method="post" action="${pagePath(handle)}/claim" hidden hx-post="${pagePath(handle)}/claim" hx-trigger="load delay:${wait_s + 1}s, every 60s" hx-target="#claim-now" hx-select="#claim-now" hx-swap="outerHTML" hx-status:4xx="swap:none" hx-status:5xx="swap:none">${hiddenFields(fields)}<button type="submit">Check now</button></form>`;

/** When the next check runs: with script by itself, counted down; without, when the button is pressed. */
const nextCheck = ({ check }: ClaimAnswer) => {
  const wait_s = check.retry_after_s ?? pause_s;
  const next_at = new Date(Date.parse(check.at) + wait_s * 1000).toISOString();
  return html`
<p class="scripted">The next check runs by itself in <span data-countdown="${wait_s}" aria-live="off">${wait_s}</span> seconds.</p>
<p class="unscripted">Press the button once it is there. If the line is not found, check again after ${next_at.slice(11, 19)} UTC.</p>`;
};

/** The part that is updated; the live region around it stays, so that screen readers announce changes. */
function status(step: ClaimStep, answer: ClaimAnswer): Html {
  const { method } = answer;
  const challenge = answer.challenge ?? step.checked;
  const isWatched = challenge !== undefined && method !== 'registry_key';
  return html`
<div id="claim-status" role="status"><div id="claim-now">
<h2 id="result">${headings[answer.status]}</h2>
${claimSteps(answer, method, challenge !== undefined)}
${answer.message && html`<p>${answer.message}</p>`}
${checkedNote(answer)}
${answer.status === 'claimed' ? proven(step) : isWatched ? html`${nextCheck(answer)}${watch(step.handle, { method, challenge }, answer.check.retry_after_s ?? pause_s)}` : ''}
</div></div>`;
}

/** The result of the last step of a claim, and the next step. */
export const claimResult = (step: ClaimStep, answer: ClaimAnswer, claimFile: string): Html => html`
<section class="claim-result" aria-labelledby="result">
${status(step, answer)}
${answer.status === 'claimed' ? '' : unproven(step, claimFile)}
</section>`;
