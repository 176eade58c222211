import { makeBadge } from 'badge-maker';
import type { ListingDocument, NativeSignals } from '../../evidence/listing/listing-document.ts';
import { ratingGroups } from '../../evidence/rating/groups.ts';
import { amount, counted } from '../../evidence/text/plural.ts';

/** What a badge shows: the label and the message. Always grey. */
export interface Badge {
  readonly label: string;
  readonly message: string;
}

const grey = '#6b6f76';
const darkGrey = '#3d4148';

const lastOf = (native: NativeSignals) =>
  (
    ratingGroups
      .flatMap((group) => native[group].last_at ?? [])
      .sort()
      .at(-1) ?? ''
  ).slice(0, 10);

/** How many ratings there are: `2 independent: 1 succeeded, 1 failed; 3 others`. */
function amountsOf({ ratings, independent }: NativeSignals): string {
  if (independent.ratings === 0) return `${counted(ratings, 'rating')}, none independent, `;
  const outcomes = Object.entries(independent.outcomes).filter(([, made]) => made > 0);
  const others = ratings - independent.ratings;
  const parts = [
    `${amount(independent.ratings)} independent: ${outcomes.map(([name, made]) => `${amount(made)} ${name}`).join(', ')}`,
    ...(others > 0 ? [counted(others, 'other')] : []),
  ];
  return `${parts.join('; ')}; `;
}

/** The badge of a listing: how many ratings are independent, with their outcomes, how many are not, and the last date. */
export function toBadge({ signals: { native }, evidence_snapshot_date, sample }: ListingDocument): Badge {
  if (sample) return { label: 'evidence', message: 'sample' };
  const message =
    native.ratings === 0
      ? `none as of ${evidence_snapshot_date}`
      : `${amountsOf(native)}last ${lastOf(native)}`;
  return { label: 'evidence', message };
}

/** The badge of a claim: since when it stands, and nothing about quality. */
export function toClaimBadge({ claim, state, evidence_snapshot_date, sample }: ListingDocument): Badge {
  if (sample) return { label: 'claim', message: 'sample' };
  if (!claim) return { label: 'claim', message: `none as of ${evidence_snapshot_date}` };
  const message =
    state === 'claimed'
      ? `claimed ${claim.claimed_at.slice(0, 10)}`
      : ['suspended', claim.history.findLast(({ type }) => type === 'suspended')?.at.slice(0, 10)]
          .filter(Boolean)
          .join(' ');
  return { label: 'claim', message };
}

/** Badge styles; the first is the default. */
export const badgeStyles = ['flat', 'flat-square', 'for-the-badge'] as const;
export type BadgeStyle = (typeof badgeStyles)[number];

/** The style with a name; the default if there is none. */
export const toBadgeStyle = (name: string | undefined): BadgeStyle =>
  badgeStyles.find((style) => style === name) ?? badgeStyles[0];

/** A badge as SVG. */
export const toBadgeSvg = ({ label, message }: Badge, style: BadgeStyle): string =>
  makeBadge({ label, message, color: grey, labelColor: darkGrey, style });

/** Width and height of a badge in whole pixels, as HTML wants them, read from its SVG. */
export function badgeSize(badge: Badge, style: BadgeStyle): { width: number; height: number } {
  const [, width, height] = / width="([\d.]+)" height="([\d.]+)"/.exec(toBadgeSvg(badge, style)) ?? [];
  return { width: Math.round(Number(width)), height: Math.round(Number(height)) };
}

/** A badge in the form that shields.io's endpoint badge reads. */
export const toShieldsEndpoint = ({ label, message }: Badge) => ({
  schemaVersion: 1,
  label,
  message,
  color: grey,
  labelColor: darkGrey,
  cacheSeconds: 300,
});
