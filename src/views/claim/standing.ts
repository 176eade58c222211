import { html } from 'hono/html';
import type { ProofPlace } from '../../claims/claim.ts';
import { foretell, isRestorable, lineRules, type StandingClaim } from '../../claims/foretell/foretell.ts';
import { claimMethods } from '../../claims/methods.ts';
import { waitingTexts } from '../../claims/standing.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { lastCheck_at, toLabel } from '../../document/words.ts';
import { type Html, minute, pagePath, paste, shortCommits, toCurl } from '../html.ts';
import type { PageSite } from '../layout.ts';
import { capabilityField, hiddenFields, stepForm } from './forms.ts';

interface StandingStep {
  readonly ways: readonly ProofPlace[];
  readonly standing: StandingClaim;
  readonly claim: NonNullable<ListingDocument['claim']>;
}

const asHeader = 'It is used for this request only, as if it were sent in the Authorization header.';

const summary = ({ claim, standing, ways }: StandingStep) => {
  const isSuspended = standing.claim?.state === 'suspended';
  const isBackSoon = isSuspended && ways.some((place) => isRestorable(standing, place));
  return html`
<h2>${isSuspended ? 'The claim is suspended' : 'The listing is claimed'}</h2>
<p>${shortCommits(claim.statement)}</p>
<p class="note">Last recorded check: ${minute(lastCheck_at(claim))}${claim.suspended_reason ? html`; suspended: ${toLabel(claim.suspended_reason)}` : ''}.</p>
${isBackSoon && html`<p>Put a line of the claim back where it was, then check again: that restores the claim with everything that belongs to it. This works for 30 days after the suspension.</p>`}`;
};

/** Says what a new line at the location does with and without a key, and offers one. */
function lineForm(standing: StandingClaim, place: ProofPlace, button: Html | string): Html {
  const withKey = foretell(standing, { place, isCosigned: true });
  const without = foretell(standing, { place, isCosigned: false });
  const isAlike = withKey === without;
  return html`
${isAlike ? '' : html`<p><strong>With a secret key of the claim:</strong> ${withKey}</p>`}
<p>${isAlike ? '' : html`<strong>Without one:</strong>`} ${without}</p>
<form class="stacked" method="post" action="${pagePath(standing.handle)}/claim">${hiddenFields({ method: place.kind, rotate: 'true' })}
${isAlike ? '' : capabilityField(`key-${place.kind}`, { hint: `Leave it empty only if you have none. ${asHeader}` })}
<button type="submit" class="quiet">${button}</button></form>`;
}

const move = (standing: StandingClaim, place: ProofPlace, claimFile: string) => {
  const { title, whereToPut } = claimMethods[place.kind];
  return html`
<h3>${title}</h3>
<p class="foreign">${whereToPut(place, claimFile)}</p>
${lineForm(standing, place, html`Get a line to move the claim<span class="unseen">: ${title}</span>`)}`;
};

function byTerminal({ handle, claim }: StandingClaim, { kind }: ProofPlace, publicUrl: string): Html {
  const header = 'Authorization: Bearer $CAPABILITY';
  const command = toCurl(
    `${publicUrl}/api/tools/claim_agent`,
    { handle, method: kind, rotate: true },
    header,
  );
  const atOnce =
    claim?.state === 'claimed'
      ? ` With the key in the header, the new line works, moves the claim
# or opts out at the first check that reads it.`
      : '';
  return html`
<h2>From a terminal</h2>
${paste(`# CAPABILITY is a secret key of the claim.${atOnce}\n${command}`)}`;
}

/** Consequences are shown before their button. */
export function standingPage(step: StandingStep, site: PageSite): Html {
  const { standing, ways } = step;
  const { handle, claim } = standing;
  const present = ways.find(({ kind }) => kind === claim?.kind);
  const others = ways.filter((place) => place !== present);
  return html`
${summary(step)}
${waitingTexts(standing.capabilities).map((text) => html`<p>${text} Anybody with a key that works can end it.</p>`)}
${present && stepForm(handle, 'Check again', { method: present.kind })}
${present && html`<h2>Get another secret key</h2>${lineForm(standing, present, 'Get another secret key')}`}
${others.length > 0 && html`<h2>Move the claim</h2>${others.map((place) => move(standing, place, site.config.claimFile))}`}
<h2>The rule for lines</h2>
${lineRules.map((rule) => html`<p>${rule}</p>`)}
${present && byTerminal(standing, present, site.config.publicUrl)}`;
}
