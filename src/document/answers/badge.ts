import { amount, counted, dayText } from '../../core/text.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAnswers } from '../../observations/known/kinds/endpoint.ts';
import { toolsCount } from '../../observations/known/kinds/lists/tools.ts';
import { registryFirstPublished } from '../../observations/known/kinds/record.ts';
import { saidAs } from '../../observations/known/malware.ts';
import { currentOutcome } from '../../observations/known/observation.ts';
import type { NativeSignals } from '../../ratings/rating.ts';
import type { ListingDocument } from '../listing-document.ts';
import { knownValue } from '../seen.ts';

export const badgeLabel = 'dossier';

/** So that badges fit beside each other. */
const longest = 32;

const fitting = (...messages: readonly string[]) =>
  messages.find(({ length }) => length <= longest) ?? messages.at(-1) ?? '';

/** Only independent ratings. */
function ratedText({ independent: { sources, ratings, outcomes } }: NativeSignals): string | undefined {
  if (sources === 0) return undefined;
  const from = counted(sources, 'source');
  return fitting(`${from}, ${amount(outcomes.succeeded)} of ${amount(ratings)} worked`, from);
}

function claimedText({ claim, state }: ListingDocument): string | undefined {
  if (!claim || state !== 'claimed') return undefined;
  const by = claim.domain ?? claim.repository?.split('/').at(3);
  const when = `claimed ${claim.claimed_at.slice(0, 7)}`;
  return by ? fitting(`${by}, ${when}`, when) : when;
}

const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function answeredText({ observations }: ListingDocument): string | undefined {
  const [answered] = factsOf(endpointAnswers, observations).filter((one) => currentOutcome(one) === 'seen');
  const [count] = factsOf(toolsCount, observations).filter((one) => currentOutcome(one) === 'seen');
  if (!answered?.observed_at) return undefined;
  const isOfThatDay = count?.observed_at && dayText(count.observed_at) === dayText(answered.observed_at);
  const tools = isOfThatDay && count.value !== null ? `, ${counted(count.value, 'tool')}` : '';
  return `answered ${dayAndMonth.format(new Date(answered.observed_at))}${tools}`;
}

const isDeprecated = ({ origin_status }: ListingDocument) => origin_status === 'deprecated';

function listedText(listing: ListingDocument): string {
  if (isDeprecated(listing)) return 'deprecated in its registry';
  const first = knownValue(listing, registryFirstPublished);
  if (first !== undefined) return `listed since ${first.slice(0, 4)}`;
  return listing.updated_at === undefined ? 'listed' : `listed, updated ${listing.updated_at.slice(0, 7)}`;
}

export const isMalware = ({ observations }: ListingDocument) => saidAs(observations, ['malware']).length > 0;

/** At most 32 characters (docs/contract.md, "The badge"). */
export function toBadge(listing: ListingDocument): string {
  if (listing.sample) return 'sample';
  if (isMalware(listing)) return 'malicious code reported';
  if (isDeprecated(listing)) return listedText(listing);
  return (
    ratedText(listing.signals.native) ?? claimedText(listing) ?? answeredText(listing) ?? listedText(listing)
  );
}

function suspendedText({ claim, state }: ListingDocument): string | undefined {
  if (!claim || state === 'claimed') return undefined;
  const suspended = claim.history.findLast(({ type }) => type === 'suspended');
  return suspended ? `claim suspended ${dayText(suspended.at)}` : 'claim suspended';
}

/** Nothing about quality. */
export const toClaimBadge = (listing: ListingDocument): string =>
  listing.sample ? 'sample' : (claimedText(listing) ?? suspendedText(listing) ?? listedText(listing));
