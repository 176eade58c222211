import { makeBadge } from 'badge-maker';
import type { ListingDocument, NativeSignals } from '../../evidence/listing/listing-document.ts';
import { sourcesFirst } from '../../evidence/listing/sentences/snapshot.ts';
import { ratingGroups } from '../../evidence/rating/groups.ts';
import { amount } from '../../evidence/text/plural.ts';

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

/** The outcomes of the newest rating of each independent source: `newest of each source: 4 succeeded, 1 failed`. */
function newestOf({ independent }: NativeSignals): string[] {
  const outcomes = Object.entries(independent.source_outcomes).filter(([, sources]) => sources > 0);
  if (outcomes.length === 0) return [];
  return [
    `newest of each source: ${outcomes.map(([name, sources]) => `${amount(sources)} ${name}`).join(', ')}`,
  ];
}

/** The badge of a listing: independent sources and their ratings, what each said last, how many are set apart, the last date. */
export function toBadge({ signals: { native }, evidence_snapshot_date, sample }: ListingDocument): Badge {
  if (sample) return { label: 'evidence', message: 'sample' };
  const message =
    native.ratings === 0
      ? `none as of ${evidence_snapshot_date}`
      : [sourcesFirst(native), ...newestOf(native), `last ${lastOf(native)}`].join('; ');
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
