import { html } from 'hono/html';
import type { ClaimKind, ProofPlace } from '../../claims/claim.ts';
import type { LineEffect } from '../../claims/line-effect.ts';
import { claimMethods } from '../../claims/methods.ts';
import { costOfNewClaim, lineRules } from '../../claims/rules.ts';
import { reasonText } from '../../claims/standing.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { lastCheck_at } from '../../document/words.ts';
import { type Html, minute, pagePath, paste, shortCommits, toCurl, withDays } from '../html.ts';
import type { PageSite } from '../layout.ts';

/** Between two checks of a location (claims/checks/check.ts). */
export const pause_s = 30;

export const hiddenFields = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);

export const stepForm = (
  handle: string,
  button: Html | string,
  fields: Readonly<Record<string, string>>,
  isSecondary = false,
): Html => html`
<form method="post" action="${pagePath(handle)}/claim">${hiddenFields(fields)}<button type="submit"${isSecondary && html` class="quiet"`}>${button}</button></form>`;

/** Read like a capability in the Authorization header. */
export const capabilityField = (
  id: string,
  { hint, isRequired = false }: { readonly hint: string; readonly isRequired?: boolean },
): Html => html`
<div class="row"><label for="${id}">Capability of the claim</label><span class="note" id="${id}-hint">${hint}</span>
<input type="password" id="${id}" name="capability" aria-describedby="${id}-hint" autocomplete="current-password" maxlength="200"${isRequired && html` required`}></div>`;

export const noWay =
  'The listing records no repository that can be read here, and its namespace is neither a domain nor a GitHub account, so the listing cannot be claimed. To make that possible, add a repository that this service can read to its server.json in the registry, and wait for the next import.';

export interface StandingStep {
  readonly handle: string;
  readonly state: ListingDocument['state'];
  /** The easiest first. */
  readonly ways: readonly ProofPlace[];
  readonly effects: ReadonlyMap<ClaimKind, LineEffect | undefined>;
  readonly claim: NonNullable<ListingDocument['claim']>;
}

const keyHint =
  'Leave it empty only if you have none. It is used for this request only, as if it were sent in the Authorization header.';

const summary = ({ claim, state }: StandingStep) => html`
<h2>${state === 'suspended' ? 'The claim is suspended' : 'The listing is claimed'}</h2>
<p>${withDays(shortCommits(claim.statement))}</p>
<p class="note">Last recorded check: ${minute(lastCheck_at(claim))}${claim.suspended_reason ? html`; suspended: ${reasonText(claim.suspended_reason)}` : ''}.</p>
${state === 'suspended' && html`<p>If a line of a suspended capability is back at its location within 30 days, and the listing still records that location, a check restores the claim with everything that belongs to it.</p>`}`;

const lineForm = (handle: string, place: ProofPlace, button: Html | string): Html => html`
<form class="stacked" method="post" action="${pagePath(handle)}/claim">${hiddenFields({ method: place.kind, rotate: 'true' })}
${capabilityField(`key-${place.kind}`, { hint: keyHint })}
<button type="submit" class="quiet">${button}</button></form>`;

const effectText = ({ effects }: StandingStep, { kind }: ProofPlace) =>
  effects.get(kind) &&
  html`<p>Asked for with a capability of the claim, a line there ${effects.get(kind)}.</p>`;

const move = (step: StandingStep, place: ProofPlace, claimFile: string) => {
  const { title, whereToPut } = claimMethods[place.kind];
  return html`
<details><summary>${title}</summary>
<p class="foreign">${whereToPut(place, claimFile)}</p>
${effectText(step, place)}
${lineForm(step.handle, place, html`Get a line to move the claim<span class="unseen">: ${title}</span>`)}</details>`;
};

function byTerminal({ handle, state }: StandingStep, { kind }: ProofPlace, publicUrl: string): Html {
  const header = 'Authorization: Bearer $CAPABILITY';
  const command = toCurl(
    `${publicUrl}/api/tools/claim_agent`,
    { handle, method: kind, rotate: true },
    header,
  );
  const atOnce =
    state === 'claimed'
      ? ` With the capability in the header, the new line works, moves the claim
# or opts out at the first check that reads it.`
      : '';
  return html`
<h2>From a terminal</h2>
${paste(`# CAPABILITY is a capability of the claim.${atOnce}\n${command}`)}`;
}

const checkForm = (handle: string) => html`
<h2>Have the service checked now</h2>
<form class="stacked" method="post" action="${pagePath(handle)}/check">
${capabilityField('key-check', { hint: 'One check in ten minutes. It is used for this request only.', isRequired: true })}
<button type="submit" class="quiet">Check the service now</button></form>`;

/** Consequences are shown before their button. */
export function standingPage(step: StandingStep, { config }: PageSite): Html {
  const { handle, ways, claim } = step;
  const present = ways.find(({ kind }) => kind === claim.kind);
  const others = ways.filter((place) => place !== present);
  const [lines, waiting, elsewhere] = lineRules;
  return html`
${summary(step)}
${present && stepForm(handle, 'Check again', { method: present.kind })}
${step.state === 'claimed' && config.observe !== 'off' && checkForm(handle)}
<h2>The rule for lines</h2>
${[lines, elsewhere, costOfNewClaim].map((rule) => html`<p>${rule}</p>`)}
<details><summary>How a line waits for seven days</summary><p>${waiting}</p></details>
${present && html`<h2>Get another capability</h2>${effectText(step, present)}${lineForm(handle, present, 'Get another capability')}`}
${others.length > 0 && html`<h2>Move the claim</h2>${others.map((place) => move(step, place, config.claimFile))}`}
${present && byTerminal(step, present, config.publicUrl)}`;
}
