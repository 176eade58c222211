import { html } from 'hono/html';
import type { z } from 'zod';
import { type ClaimResponse, isWaiting } from '../../claims/answer.ts';
import {
  absences,
  type ClaimKind,
  isInRepository,
  type OptOut,
  type ProofPlace,
} from '../../claims/claim.ts';
import { claimMethods, whatAClaimShows } from '../../claims/methods.ts';
import { costOfNewClaim, lineRules, optOutEnd, optOutRules, optOutText } from '../../claims/rules.ts';
import type { Problem } from '../../core/problem.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { toLabel } from '../../document/words.ts';
import type { claimAgent } from '../../tools/claim-agent.ts';
import { type Html, minute, originNote, pagePath, paste, shortCommits, toCurl, withDays } from '../html.ts';
import { assets, type PageSite, toPage } from '../layout.ts';
import {
  capabilityField,
  hiddenFields,
  noWay,
  pause_s,
  type StandingStep,
  standingPage,
  stepForm,
} from './standing.ts';

interface AskedOptOut {
  readonly answer?: Pick<ClaimResponse, 'check' | 'message'>;
  readonly problem?: Problem;
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
function answerOf({ handle, state, optOuts, asked }: ClaimStep): Html {
  const { problem, answer } = asked ?? {};
  return html`<div id="opt-out-answer">${
    problem && html`<div class="notice"><strong>Nothing was done.</strong> ${problem.message}</div>`
  }${optOuts.map((row) => html`<div class="notice">${optOutText(row, state)}</div>`)}${
    answer && optOuts.length === 0 && absence(handle, answer)
  }</div>`;
}

function placeField(places: readonly ProofPlace[]): Html | Html[] {
  const [only] = places;
  if (only && places.length === 1) return hiddenFields({ method: only.kind });
  return html`
<div class="row"><label for="opt-out-method">Where the line is</label>
<select id="opt-out-method" name="method">${places.map(({ kind }) => html`<option value="${kind}">${claimMethods[kind].noun}</option>`)}</select></div>`;
}

/** Empty if no location can hold the line. */
function optOutSection(step: ClaimStep, claimFile: string): Html | '' {
  const { handle, state, ways } = step;
  const places = ways.filter(({ kind }) => kind !== 'registry_key');
  if (places.length === 0) return '';
  const target = html` hx-post="${pagePath(handle)}/claim" hx-target="#opt-out-answer" hx-select="#opt-out-answer" hx-swap="outerHTML" hx-status:5xx="swap:none"`;
  return html`
<section id="withdraw" aria-labelledby="withdraw-title">
<h2 id="withdraw-title">Withdraw the listing</h2>
<p>Put this line ${places.map(({ kind }) => claimMethods[kind].lineAt(claimFile)).join(', or ')}, then have it checked here.</p>
${paste(`optout ${handle}`)}
<details><summary>What withdrawing does, and how the listing comes back</summary><ul>${optOutRules.map((rule) => html`<li>${rule}</li>`)}</ul></details>
<form class="stacked" method="post" action="${pagePath(handle)}/claim#withdraw"${target}>${hiddenFields({ optout: 'true' })}${placeField(places)}
${state === 'claimed' ? capabilityField('opt-out-key', { hint: 'Optional. With it, a check that finds the line withdraws the listing at once. It is used for this check only, as if it were sent in the Authorization header.' }) : ''}
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

type ClaimAnswer = z.output<typeof claimAgent.output>;

/** After a form, `answer` is its result and `checked` its challenge. */
interface ClaimStep extends Omit<StandingStep, 'claim'> {
  readonly optOuts: readonly OptOut[];
  readonly claim?: ListingDocument['claim'];
  readonly origin_note?: ListingDocument['origin_note'];
  readonly checked?: string;
  readonly answer?: ClaimAnswer;
  readonly problem?: Problem;
  readonly asked?: AskedOptOut;
}

function fileState({ check, reason = check.result }: ClaimResponse): Html | string {
  if (reason === 'proven') return html`found, ${minute(check.at)}`;
  if (isWaiting(reason)) return html`found, not in effect yet, ${minute(check.at)}`;
  const isAbsent = absences.includes(reason) || reason === 'no_challenge_in_file';
  return html`${isAbsent ? 'not found' : toLabel(reason)}, ${minute(check.at)}`;
}

function stepsOf(answer: ClaimResponse | undefined, step: ClaimStep, hasChallenge: boolean) {
  const kind = step.answer?.method;
  const isClaimed = answer?.status === 'claimed';
  const hasPair = hasChallenge || isClaimed;
  const last =
    step.claim && !isClaimed
      ? { name: 'New capability', works: 'works' }
      : { name: 'Claim', works: 'active' };
  return [
    { name: 'Capability', state: hasPair ? 'made' : 'not asked for', standing: hasPair ? 'done' : 'now' },
    {
      name: kind ? claimMethods[kind].noun : 'Line in its place',
      state: answer ? fileState(answer) : 'not checked',
      standing: isClaimed ? 'done' : hasPair ? 'now' : 'later',
    },
    { name: last.name, state: isClaimed ? last.works : 'not yet', standing: isClaimed ? 'done' : 'later' },
  ];
}

const claimSteps = (...known: Parameters<typeof stepsOf>): Html =>
  html`<ol class="stepper">${stepsOf(...known).map(
    ({ name, state, standing }) => html`
<li class="${standing}"${standing === 'now' ? html` aria-current="step"` : ''}><strong>${name}</strong> <span class="note">${state}</span></li>`,
  )}</ol>`;

const secret = ({ capability, capability_id, expires_at }: ClaimAnswer, claim: ClaimStep['claim']) =>
  capability &&
  html`
<h2>1. Save this capability</h2>
<div class="notice"><strong>Save it now: it is shown only once.</strong> It works ${claim ? 'as soon as its line works' : 'after the check below succeeds'}.${expires_at && html` The first check must run before ${minute(expires_at)}.`} Do not publish it: if a check finds it published, it ends for good.</div>
${paste(capability)}${capability_id && html`<p class="note">Its id, which is no secret: <code>${capability_id}</code></p>`}`;

const rules = ({ claim }: ClaimStep) =>
  claim && [...lineRules, costOfNewClaim].map((rule) => html`<p>${rule}</p>`);

function toPut(step: ClaimStep, challenge: string, claimFile: string): Html {
  const { answer, ways, claim } = step;
  if (answer === undefined || answer.method === 'repository')
    return html`
<h2>2. Commit this ${claim ? 'line' : 'file'}</h2>
${rules(step)}
<p>Put it into <code>${claimFile}</code> at the root of the default branch, keep the lines that the file already has, and push.</p>
${paste(claim ? challenge : (answer?.file_contents ?? challenge))}`;
  const place = ways.find(({ kind }) => kind === answer.method);
  const { title, whereToPut, toCopy } = claimMethods[answer.method];
  return html`
<h2>2. ${title}</h2>
${rules(step)}
${place && html`<p class="foreign">${whereToPut(place, claimFile)}</p>${paste(toCopy?.(place, challenge) ?? challenge)}`}`;
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

/** That page says what a new line does to the claim. */
const startOver = ({ handle, claim }: ClaimStep, method: ClaimKind) =>
  claim
    ? html`<p><a href="${pagePath(handle)}/claim">Start over on the page of the claim</a></p>`
    : stepForm(handle, 'Start over with another line', { method, rotate: 'true' }, true);

function unproven(step: ClaimStep, claimFile: string): Html {
  const { handle, answer, checked } = step;
  const challenge = answer?.challenge ?? checked;
  const method = answer?.method ?? 'repository';
  return html`
${answer ? secret(answer, step.claim) : ''}
${checked && !answer?.capability ? html`<p class="asks">The capability was shown once, on the page that first showed this line. If it is lost, start over.</p>` : ''}
<div class="asks">${challenge ? toPut(step, challenge, claimFile) : ''}
<h2>3. ${method === 'registry_key' ? 'Send the signature' : 'Wait until a check finds it'}</h2>
${challenge ? checkForm(handle, method, challenge) : ''}
${checked ? startOver(step, method) : ''}</div>`;
}

const proven = ({ handle, answer, claim }: ClaimStep) => html`
${claim && html`<p>${withDays(shortCommits(claim.statement))}</p>`}
<p>What you can do now:</p>
<ul>
<li>Rate other listings as <code>${handle}</code>, and reply to ratings of it: send your capability as <code>Authorization: Bearer</code> or <code>X-Agent-Capability</code>. Capabilities that work: ${answer?.capabilities?.map(({ id }) => html`<code>${id}</code> `)}</li>
<li>Look at <a href="${pagePath(handle)}">the listing</a>, which shows the claim, and put its <a href="${pagePath(handle)}/badge">badge</a> into your README.</li>
<li>${(answer?.method ?? 'repository') === 'registry_key' ? 'Keep publishing the key that signed the line.' : 'Leave the line where it is.'} If two checks a day or more apart do not find it, the claim is suspended.</li>
</ul>`;

/** Not called unclaimed while a capability is added. */
const headingOf = ({ claim, checked }: ClaimStep, { status: now, method, reason }: ClaimAnswer) => {
  if (now === 'claimed') return 'Claimed';
  if (isWaiting(reason)) return 'The new line was found, but is not in effect yet';
  if (claim && checked) return 'The new line was not found yet';
  return checked ? 'Not claimed yet' : `Waiting for the ${method === 'registry_key' ? 'signature' : 'line'}`;
};

/** After a countdown with script, or by the button. */
const nextCheck = ({ check, reason }: ClaimAnswer) => {
  if (isWaiting(reason))
    return html`<p>Press the button once the line is there. After that, Dossier checks it about daily by itself.</p>`;
  const wait_s = check.retry_after_s ?? pause_s;
  const next_at = new Date(Date.parse(check.at) + wait_s * 1000).toISOString();
  return html`
<p class="scripted">The next check runs by itself in <span data-countdown="${wait_s}" aria-live="off">${wait_s}</span> seconds.</p>
<p class="unscripted">Press the button once the line is there. If the line is not found, check again after ${next_at.slice(11, 19)} UTC.</p>`;
};

/** A check replaces the inner element; the live region stays, so that changes are read out. */
function status(step: ClaimStep, answer: ClaimAnswer): Html {
  const { method } = answer;
  const challenge = answer.challenge ?? step.checked;
  const isClaimed = answer.status === 'claimed';
  // Nobody could publish the line before the first check.
  const isNews = isClaimed || step.checked !== undefined;
  const isWatched = challenge !== undefined && method !== 'registry_key';
  return html`
<div id="claim-status" role="status"><div id="claim-now"${isClaimed && html` class="is-claimed"`}>
<h2 id="result">${headingOf(step, answer)}</h2>
${claimSteps(isNews ? answer : undefined, step, challenge !== undefined)}
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

const start = 'Get a capability and a line';

const way =
  ({ handle }: ClaimStep, { config }: PageSite) =>
  (place: ProofPlace, at: number) => {
    const { title, whereToPut } = claimMethods[place.kind];
    const name = at === 0 ? start : html`${start}<span class="unseen">: ${title}</span>`;
    return html`
<li><h3>${title}</h3>
<p class="foreign">${whereToPut(place, config.claimFile)}</p>
${stepForm(handle, name, { method: place.kind }, at > 0)}</li>`;
  };

const checkAtOnce = (publicUrl: string) => html`
<h2 id="check">A check at once</h2>
<p>Whoever has a capability of this listing can have the service checked at once, at most every 10 minutes:</p>
${paste(`curl -s -X POST ${publicUrl}/api/capability/check -H 'Authorization: Bearer dossier_cap_...'`)}`;

const benefits = (handle: string) => html`
<h2>What you get</h2>
<ul>
<li>Your account or domain on the page of the listing, with what was proven and when.</li>
<li>You can reply to ratings of this listing, and rate other listings as <code>${handle}</code>.</li>
<li>Receipts that you sign, for your callers to send with their ratings.</li>
<li>A badge that names the claim.</li>
</ul>`;

const steps = ({ ways }: ClaimStep) => html`
<h2>How it goes</h2>
<ol class="steps">
<li>Save a capability: the secret with which this listing rates other listings and responds to ratings.</li>
<li>Put one line at a location named below${ways.some(({ kind }) => kind === 'registry_key') && ', or sign the line with your key for the MCP registry'}.</li>
<li>Have the proof checked. Once a check finds it, the capability works.</li>
</ol>
<p>You need no account here and no token of a repository host. Agents do the same with <code>claim_agent</code>.</p>`;

/** The specification of Dossier names the endpoint for a repository. */
function byCommand({ handle, ways: [first] }: ClaimStep, publicUrl: string) {
  const isRepository = first?.kind === 'repository';
  const path = isRepository ? '/api/claim-github' : '/api/tools/claim_agent';
  const input = { handle, method: isRepository ? undefined : first?.kind };
  return html`
<h2>From a terminal</h2>
${paste(toCurl(`${publicUrl}${path}`, input))}`;
}

function toBody(site: PageSite, step: ClaimStep): Html {
  if (step.answer)
    return html`
<section class="claim-result" aria-labelledby="result">
${step.answer.status === 'claimed' ? '' : unproven(step, site.config.claimFile)}
${status(step, step.answer)}
</section>`;
  if (step.claim) return standingPage({ ...step, claim: step.claim }, site);
  if (step.ways.length === 0) return html`<div class="notice">${noWay}</div>`;
  return html`${steps(step)}
<h2>${step.ways.length > 1 ? 'Ways that can work for this listing, the easiest first' : 'The way that can work for this listing'}</h2>
<ol class="steps">${step.ways.map(way(step, site))}</ol>${benefits(step.handle)}${byCommand(step, site.config.publicUrl)}`;
}

export const toClaimPage = (site: PageSite, step: ClaimStep): Html =>
  toPage(site, {
    title: `Claim ${step.handle}`,
    description: `How to claim ${step.handle}. A claim shows control of one location on a date, and says nothing about quality.`,
    path: `${pagePath(step.handle)}/claim`,
    indexed: false,
    head: html`<script src="${assets.claim.path}" defer></script>`,
    body: html`
<p class="eyebrow"><a class="handle" href="${pagePath(step.handle)}">${step.handle}</a></p>
<h1>${step.claim ? 'The claim of this listing' : 'Claim this listing'}</h1>
${
  step.problem &&
  html`<div class="notice" role="alert"><strong>Nothing was done.</strong> ${step.problem.message}</div>`
}
${toBody(site, step)}
${site.config.observe !== 'off' && checkAtOnce(site.config.publicUrl)}
<h2>What a claim shows</h2>
<p>${whatAClaimShows}</p>
${originNote(step)}
${optOutSection(step, site.config.claimFile)}`,
  });
