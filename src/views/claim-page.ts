import { html } from 'hono/html';
import type { z } from 'zod';
import { absences, type ClaimKind, howToOptOut, isInRepository, type ProofPlace } from '../claims/claim.ts';
import { claimMethods, whatAClaimShows } from '../claims/methods.ts';
import type { ClaimResponse } from '../claims/response.ts';
import type { Problem } from '../core/problem.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { toLabel } from '../document/words.ts';
import type { claimAgent } from '../tools/claim-agent.ts';
import { type Html, minute, originNote, pagePath, paste, shortCommits, toCurl } from './html.ts';
import { type Site, toPage } from './layout.ts';

type ClaimAnswer = z.output<typeof claimAgent.output>;

/** The state of the claim page: `answer` once the form was sent, `checked` the challenge it was sent with. */
interface ClaimStep {
  readonly handle: string;
  /** The places where the listing can be claimed, the easiest first. */
  readonly ways: readonly ProofPlace[];
  /** The listing's state before the form is sent. */
  readonly state?: ListingDocument['state'];
  readonly claim?: ListingDocument['claim'];
  readonly origin_note?: ListingDocument['origin_note'];
  readonly checked?: string;
  readonly answer?: ClaimAnswer;
  readonly problem?: Problem;
}

const hiddenFields = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

/** The button of a step; a secondary one is less prominent. */
const stepForm = (
  handle: string,
  button: Html | string,
  fields: Readonly<Record<string, string>>,
  isSecondary = false,
) => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button type="submit"${isSecondary && html` class="quiet"`}>${button}</button></form>`;

const pause_s = 30;

function fileState({ check }: ClaimResponse): Html | string {
  if (check.result === 'proven') return html`found, ${minute(check.at)}`;
  return html`${absences.includes(check.result) ? 'not found' : toLabel(check.result)}, ${minute(check.at)}`;
}

function stepsOf(answer: ClaimResponse | undefined, kind: ClaimKind | undefined, hasChallenge: boolean) {
  const isClaimed = answer?.status === 'claimed';
  const hasPair = hasChallenge || isClaimed;
  return [
    { name: 'Secret key', state: hasPair ? 'made' : 'not asked for', standing: hasPair ? 'done' : 'now' },
    {
      name: kind ? claimMethods[kind].noun : 'Line in its place',
      state: answer ? fileState(answer) : 'not checked',
      standing: isClaimed ? 'done' : hasPair ? 'now' : 'later',
    },
    { name: 'Claim', state: isClaimed ? 'active' : 'not yet', standing: isClaimed ? 'done' : 'later' },
  ];
}

const claimSteps = (...known: Parameters<typeof stepsOf>): Html =>
  html`<ol class="stepper">${stepsOf(...known).map(
    ({ name, state, standing }) => html`
<li class="${standing}"${standing === 'now' ? html` aria-current="step"` : ''}><strong>${name}</strong> <span class="note">${state}</span></li>`,
  )}</ol>`;

const secret = ({ capability, capability_id, expires_at }: ClaimAnswer) =>
  capability &&
  html`
<h2>1. Save this secret key${capability_id ? html` <code>${capability_id}</code>` : ''}</h2>
<div class="notice"><strong>Keep this now: it is shown once.</strong> It starts to work once the check below succeeds${expires_at ? html`, until ${minute(expires_at)}` : ''}. Do not publish it: a published key has leaked and ends for good.</div>
${paste(capability)}`;

function toPut({ answer, ways }: ClaimStep, challenge: string, claimFile: string): Html {
  if (answer === undefined || answer.method === 'repository')
    return html`
<h2>2. Commit this file</h2>
<p>At the root of the default branch, as <code>${claimFile}</code>, one line per listing, and push.</p>
${paste(answer?.file_contents ?? challenge)}`;
  const place = ways.find(({ kind }) => kind === answer.method);
  const { title, whereToPut, toCopy } = claimMethods[answer.method];
  return html`
<h2>2. ${title}</h2>
${place && html`<p class="foreign">${whereToPut(place, claimFile)}</p>${paste(toCopy(place, challenge))}`}`;
}

const checkForm = (handle: string, method: ClaimKind, challenge: string) =>
  method === 'registry_key'
    ? html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields({ method: 'registry_key', challenge: challenge })}
<label>Signature, base64 or hex <textarea name="signature" rows="3" maxlength="300" required></textarea></label>
<button type="submit">Check the signature</button></form>`
    : stepForm(handle, `${isInRepository(method) ? 'I committed it' : 'It is there'}: check again`, {
        method,
        challenge,
      });

function unproven(step: ClaimStep, claimFile: string): Html {
  const { handle, answer, checked } = step;
  const challenge = answer?.challenge ?? checked;
  const method = answer?.method ?? 'repository';
  return html`
${answer ? secret(answer) : ''}
${checked && !answer?.capability ? html`<p class="asks">The secret key was shown once, on the page that first showed this line. If it is lost, start over.</p>` : ''}
<div class="asks">${challenge ? toPut(step, challenge, claimFile) : ''}
<h2>3. ${method === 'registry_key' ? 'Send the signature' : `It is checked every ${pause_s} seconds`}</h2>
${challenge ? checkForm(handle, method, challenge) : ''}
${checked ? stepForm(handle, 'Start over with another line', { method, rotate: 'true' }, true) : ''}</div>`;
}

const proven = ({ handle, answer, claim }: ClaimStep) => html`
${claim && html`<p>${shortCommits(claim.statement)}</p>`}
<p>What you can do now:</p>
<ul>
<li>Rate other listings as <code>${handle}</code>, and reply to ratings of it: send your secret key as <code>Authorization: Bearer</code> or <code>X-Agent-Capability</code>. Keys that work: ${answer?.capabilities?.map(({ id }) => html`<code>${id}</code> `)}</li>
<li>Look at <a href="${pagePath(handle)}">the listing</a>, which shows the claim, and put its <a href="${pagePath(handle)}/badge">badge</a> into your README.</li>
<li>${(answer?.method ?? 'repository') === 'registry_key' ? 'Keep the key that signed published: the claim stands while it is.' : 'Leave the line where it is: the claim stands while it is there.'}</li>
</ul>`;

/** Where it stands: a listing that is claimed is not called unclaimed because another key is on its way. */
const headingOf = ({ claim, checked }: ClaimStep, { status: now, method }: ClaimAnswer) => {
  if (now === 'claimed') return 'Claimed';
  if (claim) return 'The new line was not found yet';
  return checked ? 'Not claimed yet' : `Waiting for the ${method === 'registry_key' ? 'signature' : 'line'}`;
};

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
  const isClaimed = answer.status === 'claimed';
  // Before anybody could have put the line there, that it is not there is no news.
  const isNews = isClaimed || step.checked !== undefined;
  const isWatched = challenge !== undefined && method !== 'registry_key';
  return html`
<div id="claim-status" role="status"><div id="claim-now"${isClaimed && html` class="is-claimed"`}>
<h2 id="result">${headingOf(step, answer)}</h2>
${claimSteps(isNews ? answer : undefined, method, challenge !== undefined)}
${isNews && answer.message && html`<p>${answer.message}</p>`}
${
  isNews &&
  html`
<p class="note">Checked <span class="foreign">${answer.repository ?? answer.check.domain ?? answer.domain}</span> at ${minute(answer.check.at)}${answer.check.commit ? html`, commit <code>${answer.check.commit.slice(0, 12)}</code>` : ''}${answer.check.branch ? html` of <code class="foreign">${answer.check.branch}</code>` : ''}.</p>`
}
${
  isClaimed
    ? proven(step)
    : isWatched &&
      html`${nextCheck(answer)}
<form method="post" action="${pagePath(step.handle)}/claim" hidden hx-post="${pagePath(step.handle)}/claim" hx-trigger="load delay:${(answer.check.retry_after_s ?? pause_s) + 1}s, every 60s" hx-target="#claim-now" hx-select="#claim-now" hx-swap="outerHTML" hx-status:4xx="swap:none" hx-status:5xx="swap:none">${hiddenFields({ method, challenge })}<button type="submit">Check now</button></form>`
}
</div></div>`;
}

const start = 'Get a secret key and a line';

const way =
  ({ handle }: ClaimStep, { config }: Site, isRotating: boolean) =>
  (place: ProofPlace, at: number) => {
    const { title, whereToPut } = claimMethods[place.kind];
    const fields = { method: place.kind, ...(isRotating && { rotate: 'true' }) };
    const name = at === 0 ? start : html`${start}<span class="unseen">: ${title}</span>`;
    return html`
<li><h3>${title}</h3>
<p class="foreign">${whereToPut(place, config.claimFile)}</p>
${stepForm(handle, name, fields, at > 0 || isRotating)}</li>`;
  };

function otherWays(step: ClaimStep, site: Site): Html | '' {
  const ways = step.ways.filter(({ kind }) => kind !== step.claim?.kind);
  if (ways.length === 0) return '';
  return html`
<h2>Another way</h2>
<p>The claim can move to another way and keep its history. Put the new line there, and while the claim stands by a repository or an account and moves to a domain, or the other way round, put the same line into both places. Check the new way, then take the old line away.</p>
<ol class="steps">${ways.map(way(step, site, true))}</ol>`;
}

const steps = ({ handle }: ClaimStep) => html`
<h2>What you get</h2>
<ul>
<li>Your name beside the listing, with what was proven and when.</li>
<li>Replies to ratings of it, and ratings of other listings as <code>${handle}</code>.</li>
<li>A check of your service on demand, where the operator lets it check.</li>
<li>Receipts for your callers, a badge, and the right to withdraw the listing.</li>
</ul>
<h2>How it goes</h2>
<ol class="steps">
<li>Save a secret key.</li>
<li>Put one line where only its owner can.</li>
<li>The line is checked every ${pause_s} seconds, and the key works.</li>
</ol>
<p>No account, no repository host token and no private credential is needed. Agents do the same with <code>claim_agent</code>.</p>`;

const standing = ({ state, claim }: ClaimStep) =>
  claim &&
  html`
<h2>${state === 'suspended' ? 'The claim is suspended' : 'The listing is claimed'}</h2>
<p>${shortCommits(claim.statement)}</p>
<p class="note">Last checked at ${minute(claim.checked_at)}${claim.suspended_reason ? html`; suspended: ${toLabel(claim.suspended_reason)}` : ''}.</p>`;

function upkeep(step: ClaimStep, site: Site) {
  const method = step.claim?.kind ?? 'repository';
  return html`
${standing(step)}
${step.claim?.suspended_reason === 'proof_missing' ? html`<p>Put the line back where it was, or get another line below; then check again.</p>` : ''}
${stepForm(step.handle, 'Check again', { method })}
<h2>Another secret key</h2>
<p>A new line adds a key, for another deployment or after a loss; taking an old line away ends the old key.</p>
${stepForm(step.handle, 'Get another secret key', { method, rotate: 'true' }, true)}
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
  if (step.answer)
    return html`
<section class="claim-result" aria-labelledby="result">
${step.answer.status === 'claimed' ? '' : unproven(step, site.config.claimFile)}
${status(step, step.answer)}
</section>`;
  if (step.claim) return upkeep(step, site);
  if (step.ways.length === 0) return noWay;
  return html`${steps(step)}
<h2>${step.ways.length > 1 ? 'Ways that can work for this listing, the easiest first' : 'The way that can work for this listing'}</h2>
<ol class="steps">${step.ways.map(way(step, site, false))}</ol>${byCommand(step, site.config.publicUrl)}`;
}

const optOut = ({ handle }: ClaimStep, claimFile: string) => {
  const [before, after] = howToOptOut(claimFile);
  return html`
<h2>Withdraw the listing</h2>
<p>${before}<code>optout ${handle}</code>${after}</p>`;
};

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
${
  step.problem &&
  html`<div class="notice" role="alert"><strong>Nothing was done.</strong> ${step.problem.message}</div>`
}
${toBody(site, step)}
<h2>What a claim shows</h2>
<p>${whatAClaimShows}</p>
${originNote(step)}
${step.ways.some(({ kind }) => kind === 'repository') ? optOut(step, site.config.claimFile) : ''}`,
  });
