import { html } from 'hono/html';
import type { ClaimAnswer } from '../claim/answer.ts';
import { claimStatement, whatAClaimShows } from '../evidence/claim-statement.ts';
import type { ListingDocument } from '../evidence/listing-document.ts';
import { type Html, minute, pagePath, paste } from './html.ts';
import { toPage } from './layout.ts';
import type { Site } from './site.ts';

/** What the page of a claim is about; `answer` once the form was sent, `checked` the challenge it was sent with. */
export interface ClaimStep {
  readonly handle: string;
  readonly repository?: string;
  /** How the listing stands before anything is asked. */
  readonly state?: ListingDocument['state'];
  readonly claim?: ListingDocument['claim'];
  readonly checked?: string;
  readonly answer?: ClaimAnswer;
}

const form = (handle: string, button: string, fields: Readonly<Record<string, string>> = {}) => html`
<form method="post" action="${pagePath(handle)}/claim">${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>${button}</button></form>`;

const looked = ({ check, repository }: ClaimAnswer) => html`
<p class="note">Looked at <span class="foreign">${repository}</span> at ${minute(check.at)}: <code>${check.result}</code>${check.commit ? html`, commit <code>${check.commit.slice(0, 12)}</code>` : ''}${check.branch ? html` of <code>${check.branch}</code>` : ''}.</p>`;

const secret = ({ capability, capability_id, expires_at }: ClaimAnswer) =>
  capability
    ? html`
<div class="notice" role="alert"><strong>Keep this now: it is shown once.</strong> The capability below is a secret. It starts to work when its challenge is found in the repository${expires_at ? html`, until ${minute(expires_at)}` : ''}. Do not commit it; a committed capability is burnt for good.</div>
<h3>Capability ${capability_id ? html`<code>${capability_id}</code>` : ''}</h3>
${paste(capability)}`
    : '';

const fileToCommit = (contents: string, claimFile: string) => html`
<h3>Commit this file</h3>
<p>At the root of the default branch, as <code>${claimFile}</code>, one line per listing. Push, then let us look again; a repository is looked at once in 30 seconds.</p>
${paste(contents)}`;

/** What was not shown yet, what to commit for it, and the button for the next look. */
function unproven({ handle, answer, checked }: ClaimStep, claimFile: string): Html {
  const challenge = answer?.challenge ?? checked;
  return html`
${answer ? secret(answer) : ''}
${challenge ? fileToCommit(answer?.file_contents ?? challenge, claimFile) : ''}
${checked && !answer?.capability ? html`<p>The capability was shown once, on the page that first showed this challenge. If it is lost, begin anew.</p>` : ''}
${challenge ? form(handle, 'I committed it: look again', { challenge }) : ''}
${checked ? form(handle, 'Begin anew with another challenge', { rotate: 'true' }) : ''}`;
}

const proven = ({ handle, answer }: ClaimStep) => html`
${answer?.claimed_at ? html`<p>${claimStatement({ claimed_at: answer.claimed_at, commit: answer.commit })}</p>` : ''}
<p>Active capabilities: ${answer?.capabilities?.map(({ id }) => html`<code>${id}</code> `)}. Yours is among them if you kept the one that came with a challenge in the file. Send it as <code>Authorization: Bearer</code> or <code>X-Agent-Capability</code> to rate other listings as <code>${handle}</code>.</p>
<p><a href="${pagePath(handle)}">The listing</a> shows the claim and its history.</p>`;

const headings = {
  claimed: 'Claimed',
  not_proven: 'Not shown yet',
  challenge_issued: 'Challenge issued',
} as const;

/** Looks again by itself and swaps the status alone, so that a secret on the page stays in view. */
const watch = (handle: string, challenge: string) => html`
<form method="post" action="${pagePath(handle)}/claim" hidden hx-post="${pagePath(handle)}/claim" hx-trigger="every 35s" hx-target="#claim-status" hx-select="#claim-status" hx-swap="outerHTML" hx-status:4xx="swap:none" hx-status:5xx="swap:none"><input type="hidden" name="challenge" value="${challenge}"></form>`;

function status(step: ClaimStep, answer: ClaimAnswer): Html {
  const challenge = answer.challenge ?? step.checked;
  return html`
<div id="claim-status" role="status">
<h2 id="result">${headings[answer.status]}</h2>
${answer.message && html`<p>${answer.message}</p>`}
${looked(answer)}
${answer.status === 'claimed' ? proven(step) : challenge ? watch(step.handle, challenge) : ''}
</div>`;
}

const result = (step: ClaimStep, answer: ClaimAnswer, claimFile: string): Html => html`
<section class="claim-result" aria-labelledby="result">
${status(step, answer)}
${answer.status === 'claimed' ? '' : unproven(step, claimFile)}
</section>`;

const steps = ({ handle, repository }: ClaimStep, { config }: Site) => html`
<ol class="steps">
<li>Get a challenge, with the button below or with <code>POST /api/claim-github</code>.</li>
<li>Keep the capability that comes with it.</li>
<li>Commit the challenge to <span class="foreign">${repository}</span> as <code>${config.claimFile}</code>, at the root of the default branch.</li>
<li>Ask for another look. From then on the capability rates other listings as <code>${handle}</code>.</li>
</ol>
<p>No account, no token of the repository host, no private credential is asked for.</p>`;

const standing = ({ state, claim }: ClaimStep) =>
  claim &&
  html`
<h2>${state === 'suspended' ? 'The claim is suspended' : 'The listing is claimed'}</h2>
<p>${claim.statement}</p>
<p class="note">Last looked at ${minute(claim.checked_at)}${claim.suspended_reason ? html`; suspended: <code>${claim.suspended_reason}</code>` : ''}.</p>`;

/** What can be done about a claim that stands or is suspended. */
const upkeep = (step: ClaimStep) => html`
${standing(step)}
${form(step.handle, 'Look again')}
<h3>Another capability</h3>
<p>A new challenge adds a capability, for another deployment or after a loss; taking an old line out of the file ends the old one.</p>
${form(step.handle, 'Get another challenge', { rotate: 'true' })}`;

const noRepository = html`<div class="notice">The listing records no repository, so it cannot be claimed. Add a repository to its server.json in the registry; it can be claimed after the next import.</div>`;

function toBody(site: Site, step: ClaimStep): Html {
  if (step.answer) return result(step, step.answer, site.config.claimFile);
  if (!step.repository) return noRepository;
  if (step.claim) return upkeep(step);
  return html`${steps(step, site)}${form(step.handle, 'Get a challenge')}${byCommand(step, site.config.PUBLIC_URL)}`;
}

const byCommand = ({ handle }: ClaimStep, publicUrl: string) => html`
<h2>From a terminal</h2>
${paste(`curl -s ${publicUrl}/api/claim-github -H 'Content-Type: application/json' -d '${JSON.stringify({ handle })}'`)}`;

/** How to claim a listing, and the form that runs the steps. */
export const toClaimPage = (site: Site, step: ClaimStep): Html =>
  toPage(site, {
    title: `Claim ${step.handle}`,
    path: `${pagePath(step.handle)}/claim`,
    indexed: false,
    body: html`
<p class="eyebrow"><a href="${pagePath(step.handle)}">${step.handle}</a></p>
<h1>Claim this listing</h1>
<p class="lead">${whatAClaimShows}</p>
${toBody(site, step)}`,
  });
