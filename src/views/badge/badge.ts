import { makeBadge } from 'badge-maker';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { counted } from '../../evidence/text/plural.ts';

/** What a badge shows: the label and the message. Always grey. */
export interface Badge {
  readonly label: string;
  readonly message: string;
}

const grey = '#6b6f76';
const darkGrey = '#3d4148';

/** The badge of a listing: how many independent accounts rated it, as the snapshot sentence counts them, and when. */
export function toBadge({ signals: { native }, evidence_snapshot_date, sample }: ListingDocument): Badge {
  if (sample) return { label: 'evidence', message: 'sample' };
  const { control_roots, last_at } = native.independent;
  if (control_roots > 0 && last_at)
    return {
      label: 'evidence',
      message: `${counted(control_roots, 'independent source')}, last ${last_at.slice(0, 10)}`,
    };
  const none = native.related.ratings > 0 ? 'no independent source' : 'none';
  return { label: 'evidence', message: `${none} as of ${evidence_snapshot_date}` };
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

/** Width and height of a badge, read from its SVG. */
export function badgeSize(badge: Badge, style: BadgeStyle): { width: string; height: string } {
  const [, width = '', height = ''] =
    / width="([\d.]+)" height="([\d.]+)"/.exec(toBadgeSvg(badge, style)) ?? [];
  return { width, height };
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
