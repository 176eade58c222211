import { html } from 'hono/html';
import { whatAClaimShows } from '../../evidence/claim/claim-statement.ts';
import { howToOptOut } from '../../evidence/listing/state/opt-out.ts';
import { type Html, minute, pagePath, paste, toCurl } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';
import { toPage } from '../layout/layout.ts';
import { originNote } from '../layout/origin-note.ts';
import type { Site } from '../layout/site.ts';
import { type ClaimStep, otherStepForm, stepForm } from './claim-form.ts';
import { claimResult } from './claim-result.ts';
import { claimSteps } from './claim-steps.ts';
import { claimWays, otherWays } from './claim-ways.ts';

const steps = ({ handle }: ClaimStep) => html`
${claimSteps(undefined, undefined, false)}
<ol class="steps">
<li>Get a challenge for one of the ways below, or with <code>claim_agent</code>.</li>
<li>Keep the capability that comes with it.</li>
<li>Put the challenge where that way says.</li>
<li>Check again. From then on the capability rates other listings as <code>${handle}</code>.</li>
</ol>
<p>No account, no repository host token and no private credential is needed.</p>`;

const standing = ({ state, claim }: ClaimStep) =>
  claim &&
  html`
<h2>${state === 'suspended' ? 'The claim is suspended' : 'The listing is claimed'}</h2>
<p>${claim.statement}</p>
<p class="note">Last checked at ${minute(claim.checked_at)}${claim.suspended_reason ? html`; suspended: ${toLabel(claim.suspended_reason)}` : ''}.</p>`;

/** What can be done about an active or suspended claim. */
function upkeep(step: ClaimStep, site: Site) {
  const method = step.claim?.kind ?? 'repository';
  return html`
${standing(step)}
${step.claim?.suspended_reason === 'proof_missing' ? html`<p>Put the line back where it was, or get another challenge below; then check again.</p>` : ''}
${stepForm(step.handle, 'Check again', { method })}
<h2>Another capability</h2>
<p>A new challenge adds a capability, for another deployment or after a loss; taking an old line away ends the old one.</p>
${otherStepForm(step.handle, 'Get another challenge', { method, rotate: 'true' })}
${otherWays(step, site)}`;
}

const noWay = html`<div class="notice">The listing records no repository that can be read here, and its namespace is neither a domain nor a GitHub account, so it cannot be claimed. Add a repository to its server.json in the registry; it can be claimed after the next import.</div>`;

/** By the repository with the endpoint of the specification, in any other way with the tool. */
function byCommand({ handle, ways: [first] }: ClaimStep, publicUrl: string) {
  const isRepository = first?.kind === 'repository';
  const path = isRepository ? '/api/claim-github' : '/api/tools/claim_agent';
  const input = { handle, ...(!isRepository && first && { method: first.kind }) };
  return html`
<h2>From a terminal</h2>
${paste(toCurl(`${publicUrl}${path}`, input))}`;
}

function toBody(site: Site, step: ClaimStep): Html {
  if (step.answer) return claimResult(step, step.answer, site.config.claimFile);
  if (step.claim) return upkeep(step, site);
  if (step.ways.length === 0) return noWay;
  return html`${steps(step)}${claimWays(step, site)}${byCommand(step, site.config.publicUrl)}`;
}

const trouble = ({ problem }: ClaimStep) =>
  problem
    ? html`<div class="notice" role="alert"><strong>Nothing was done.</strong> ${problem.message}</div>`
    : '';

const optOut = ({ handle }: ClaimStep, claimFile: string) => {
  const [before, after] = howToOptOut(claimFile);
  return html`
<h2>Withdraw the listing</h2>
<p>${before}<code>optout ${handle}</code>${after}</p>`;
};

/** How to claim a listing, and the form that runs the steps. */
export const toClaimPage = (site: Site, step: ClaimStep): Html =>
  toPage(site, {
    title: `Claim ${step.handle}`,
    description: `How to claim ${step.handle}: commit a line to its recorded repository. A claim shows write access, and says nothing of quality.`,
    path: `${pagePath(step.handle)}/claim`,
    indexed: false,
    head: html`<script src="${site.assets.claim.path}" defer></script>`,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(step.handle)}">${step.handle}</a></p>
<h1>${step.claim ? 'The claim of this listing' : 'Claim this listing'}</h1>
<p class="lead">${whatAClaimShows}</p>
${originNote(step)}
${trouble(step)}
${toBody(site, step)}
${step.ways.some(({ kind }) => kind === 'repository') ? optOut(step, site.config.claimFile) : ''}`,
  });
