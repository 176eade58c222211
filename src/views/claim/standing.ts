import { html } from 'hono/html';
import type { ProofPlace } from '../../claims/claim.ts';
import { type Foretold, foretell, isRestorable, type StandingClaim } from '../../claims/foretell/foretell.ts';
import { claimMethods } from '../../claims/methods.ts';
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

export const foretoldHtml = ({ cost, acts }: Foretold): Html =>
  html`${cost && html`<div class="notice">${cost}</div>`}<p>${acts}</p>`;

const summary = ({ claim, standing, ways }: StandingStep) => {
  const isSuspended = standing.claim?.state === 'suspended';
  const isBackSoon = isSuspended && ways.some((place) => isRestorable(standing, place));
  return html`
<h2>${isSuspended ? 'The claim is suspended' : 'The listing is claimed'}</h2>
<p>${shortCommits(claim.statement)}</p>
<p class="note">Last recorded check: ${minute(lastCheck_at(claim))}${claim.suspended_reason ? html`; suspended: ${toLabel(claim.suspended_reason)}` : ''}.</p>
${isBackSoon && html`<p>Put a line of the claim back where it was, then check again: that restores the claim with everything that belongs to it. This works for 30 days after the suspension.</p>`}`;
};

/** Empty if a capability makes no difference. */
function anotherKey(standing: StandingClaim, place: ProofPlace): Html | '' {
  const foretold = foretell(standing, { place, isCosigned: true });
  if (!foretold || foretold.acts === foretell(standing, { place, isCosigned: false })?.acts) return '';
  const isSuspended = standing.claim?.state === 'suspended';
  return html`
<h2>${isSuspended ? 'Continue the claim' : 'Get another secret key'}</h2>
<p>${isSuspended ? '' : 'The new key is for another deployment, or replaces a key that has leaked. '}You need a secret key of the claim.</p>
${foretoldHtml(foretold)}
<form class="stacked" method="post" action="${pagePath(standing.handle)}/claim">${hiddenFields({ method: place.kind, rotate: 'true' })}
${capabilityField('another-key', { hint: asHeader, isRequired: true })}
<button type="submit">${isSuspended ? 'Get a line that continues the claim' : 'Get another secret key'}</button></form>`;
}

/** Where a new line has the same consequences. */
interface MoveGroup {
  readonly places: readonly ProofPlace[];
  readonly withKey: Foretold;
  readonly without: Foretold;
}

function groupsOf({ ways, standing }: StandingStep, present: ProofPlace | undefined): MoveGroup[] {
  const groups = new Map<string, MoveGroup>();
  for (const place of ways.filter((one) => one !== present)) {
    const withKey = foretell(standing, { place, isCosigned: true });
    const without = foretell(standing, { place, isCosigned: false });
    if (!withKey || !without) continue;
    const name = JSON.stringify([withKey, without]);
    const places = [...(groups.get(name)?.places ?? []), place];
    groups.set(name, { places, withKey, without });
  }
  return [...groups.values()];
}

const choice = (place: ProofPlace, at: number, claimFile: string) => html`
<label class="choice"><input type="radio" name="method" value="${place.kind}"${at === 0 && html` checked`}> ${claimMethods[place.kind].title} <span class="note foreign">${claimMethods[place.kind].whereToPut(place, claimFile)}</span></label>`;

interface MoveFrom {
  readonly handle: string;
  readonly claimFile: string;
}

/** Without a cost that the page has said. */
function moveForm(
  { places, withKey, without }: MoveGroup,
  isCostSaid: boolean,
  { handle, claimFile }: MoveFrom,
): Html {
  const [first] = places;
  const id = `move-key-${first?.kind}`;
  const isAlike = isCostSaid && withKey.acts === without.acts;
  return html`
${
  isAlike
    ? html`<p>${withKey.acts}</p>`
    : html`<p><strong>With a secret key of the claim:</strong> ${!isCostSaid && withKey.cost} ${withKey.acts}</p>
<p><strong>Without one:</strong> ${!isCostSaid && without.cost} ${without.acts}</p>`
}
<form class="stacked" method="post" action="${pagePath(handle)}/claim">${hiddenFields({ rotate: 'true' })}
<fieldset class="row"><legend>Where to put the new line</legend>${places.map((place, nth) => choice(place, nth, claimFile))}</fieldset>
${isAlike ? '' : capabilityField(id, { hint: `Leave it empty only if you have none. ${asHeader}` })}
<button type="submit" class="quiet">Get a line to move the claim</button></form>`;
}

/** Where a line requested with a capability continues the claim. */
function moves(groups: readonly MoveGroup[], from: MoveFrom): Html | '' {
  const continuing = groups.filter(({ withKey }) => withKey.cost === undefined);
  if (continuing.length === 0) return '';
  return html`
<h2>Move the claim</h2>
${continuing.map((group) => moveForm(group, false, from))}`;
}

function beginnings(
  { standing }: StandingStep,
  { present, groups }: { readonly present: ProofPlace | undefined; readonly groups: readonly MoveGroup[] },
  from: MoveFrom,
): Html | '' {
  const lost = present && foretell(standing, { place: present, isCosigned: false });
  const others = groups.filter(({ withKey }) => withKey.cost !== undefined);
  const cost = lost?.cost ?? others[0]?.without.cost;
  if (cost === undefined) return '';
  return html`
<h2>Begin a new claim</h2>
<div class="notice">${cost}</div>
${
  others.length > 0 &&
  html`
<h3>At a location of another account or domain</h3>
${others.map((group) => moveForm(group, true, from))}`
}
${
  present &&
  lost &&
  html`
<h3>If you lost every secret key</h3>
<p>${lost.acts}</p>
${stepForm(standing.handle, 'Get a line that begins a new claim', { method: present.kind, rotate: 'true' }, true)}`
}`;
}

function byTerminal({ handle, claim }: StandingClaim, { kind }: ProofPlace, publicUrl: string): Html {
  const header = 'Authorization: Bearer $CAPABILITY';
  const command = toCurl(
    `${publicUrl}/api/tools/claim_agent`,
    { handle, method: kind, rotate: true },
    header,
  );
  const atOnce =
    claim?.state === 'claimed'
      ? ` With the key in the header, a line that moves the claim
# or opts out takes effect at the first check that reads it; without the key, a day or more later.`
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
  const groups = groupsOf(step, present);
  const from = { handle, claimFile: site.config.claimFile };
  return html`
${summary(step)}
${present && stepForm(handle, 'Check again', { method: present.kind })}
${present && anotherKey(standing, present)}
${moves(groups, from)}
${beginnings(step, { present, groups }, from)}
${present && byTerminal(standing, present, site.config.publicUrl)}`;
}
