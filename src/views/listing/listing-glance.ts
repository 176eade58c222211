import { handleParts } from '../../evidence/handle.ts';
import type { ImportedSignal, ListingDocument } from '../../evidence/listing/listing-document.ts';
import { groupTexts, shownGroups } from '../../evidence/rating/groups.ts';
import { amount, counted } from '../../evidence/text/plural.ts';
import { toLabel } from '../layout/labels.ts';

/** One row of the overview; `search` is a query that finds related listings. */
interface GlanceRow {
  readonly name: string;
  readonly text: string;
  readonly search?: string;
}

function nativeText({ signals: { native } }: ListingDocument): string {
  if (native.ratings === 0) return 'none';
  return shownGroups(native)
    .map((group) => `${amount(native[group].ratings)} ${groupTexts[group].name.toLowerCase()}`)
    .join(', ');
}

function claimText({ state, claim }: ListingDocument): string {
  if (!claim) return 'not claimed';
  const checked = `last checked on ${claim.checked_at.slice(0, 10)}`;
  if (state === 'claimed') return `claimed on ${claim.claimed_at.slice(0, 10)}, ${checked}`;
  return `suspended${claim.suspended_reason ? `: ${toLabel(claim.suspended_reason)}` : ''}, ${checked}`;
}

const kindsIn = (signals: readonly ImportedSignal[], state: ImportedSignal['state']) =>
  signals.filter((signal) => signal.state === state).map(({ kind }) => toLabel(kind));

const count = (listed: readonly string[], what: string) =>
  listed.length === 0 ? [] : [`${listed.length} ${what}`];

function knownText({ signals: { imported } }: ListingDocument): string {
  const known = [
    ...count(kindsIn(imported, 'observed'), 'observed'),
    ...count(kindsIn(imported, 'not_found'), 'looked for and not found'),
    ...count(kindsIn(imported, 'not_stated'), 'not stated'),
  ];
  return known.join(', ') || 'none';
}

const notCheckedText = ({ signals: { imported } }: ListingDocument): string =>
  kindsIn(imported, 'not_checked').join(', ') || 'nothing';

/** How many listings the publisher has: `1 of 785 listings of this publisher stored here`. */
function publisherRow({ handle, signals: { imported } }: ListingDocument): GlanceRow[] {
  const listings = imported.find(({ kind }) => kind === 'publisher.listings')?.value;
  if (typeof listings !== 'number') return [];
  if (listings === 1) return [{ name: 'Publisher', text: 'the only listing of this publisher stored here' }];
  const text = `1 of ${counted(listings, 'listing')} of this publisher stored here`;
  return [{ name: 'Publisher', text, search: handleParts(handle).namespace }];
}

const versionText = (listing: ListingDocument): string =>
  `${listing.version}, updated ${listing.updated_at.slice(0, 10)}`;

/** What is known about a listing and what is not, in short; none of it is a verdict. */
export const glanceOf = (listing: ListingDocument): readonly GlanceRow[] => [
  { name: 'Native ratings', text: nativeText(listing) },
  { name: 'Claim', text: claimText(listing) },
  { name: 'Facts recorded elsewhere', text: knownText(listing) },
  { name: 'Not checked', text: notCheckedText(listing) },
  ...publisherRow(listing),
  { name: 'Version', text: versionText(listing) },
];
