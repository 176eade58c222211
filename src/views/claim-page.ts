import { html } from 'hono/html';
import type { ClaimAnswer } from '../claim/answer.ts';
import { type Html, minute, pagePath, paste } from './html.ts';
import { toPage } from './layout.ts';
import type { Site } from './site.ts';

/** What the page of a claim is about; `answer` once the form was sent, `checked` the challenge it was sent with. */
export interface ClaimStep {
  readonly handle: string;
  readonly repository?: string;
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

const commitSteps = (answer: ClaimAnswer, claimFile: string) =>
  answer.file_contents
    ? html`
<h3>Commit this file</h3>
<p>At the root of the default branch, as <code>${claimFile}</code>, one line per listing:</p>
${paste(answer.file_contents)}`
    : '';

function result({ handle, answer, checked }: ClaimStep, claimFile: string): Html {
  if (!answer) return html``;
  const challenge = answer.challenge ?? checked;
  return html`
<section class="claim-result" aria-labelledby="result">
<h2 id="result">${answer.status === 'claimed' ? 'Claimed' : answer.status === 'not_proven' ? 'Not shown yet' : 'Challenge issued'}</h2>
${answer.message && html`<p>${answer.message}</p>`}
${looked(answer)}
${answer.status === 'claimed' && answer.claimed_at ? html`<p>Write access was shown${answer.commit ? html` at commit <code>${answer.commit.slice(0, 12)}</code>` : ''} on ${minute(answer.claimed_at)}. Nothing else was. Active capabilities: ${answer.capabilities?.map(({ id }) => html`<code>${id}</code> `)}</p>` : ''}
${secret(answer)}
${commitSteps(answer, claimFile)}
${answer.next && html`<p>${answer.next}</p>`}
${answer.status !== 'claimed' && challenge ? form(handle, 'I committed it: look again', { challenge }) : ''}
</section>`;
}

const steps = ({ handle, repository }: ClaimStep, { config }: Site) => html`
<ol class="steps">
<li>Get a challenge, with the button below or with <code>POST /api/claim-github</code>.</li>
<li>Keep the capability that comes with it.</li>
<li>Commit the challenge to ${repository ? html`<span class="foreign">${repository}</span>` : 'the recorded repository'} as <code>${config.claimFile}</code>, at the root of the default branch.</li>
<li>Ask for another look. From then on the capability rates other listings as <code>${handle}</code>.</li>
</ol>
<p>No account, no token of the repository host, no private credential is asked for.</p>`;

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
<p class="lead">A claim shows write access to the recorded repository, at a commit, on a date. It says nothing of quality or of the publisher.</p>
${result(step, site.config.claimFile)}
${steps(step, site)}
${
  step.answer
    ? ''
    : step.repository
      ? html`${form(step.handle, 'Get a challenge')}<details><summary>Already claimed: rotate or add a capability</summary><p>A new challenge adds a capability; taking an old line out of the file ends the old one.</p>${form(step.handle, 'Get another challenge', { rotate: 'true' })}</details>`
      : html`<div class="notice">The listing records no repository, so it cannot be claimed. Add a repository to its server.json in the registry; it can be claimed after the next import.</div>`
}
${byCommand(step, site.config.PUBLIC_URL)}`,
  });
