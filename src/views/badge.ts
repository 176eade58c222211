import { makeBadge } from 'badge-maker';
import type { ListingDocument } from '../evidence/listing-document.ts';

/** What a badge shows: the label and the message. Always grey. */
export interface Badge {
  readonly label: string;
  readonly message: string;
}

const grey = '#6b6f76';
const darkGrey = '#3d4148';

/** The badge of a listing: how much evidence, as of when. */
export function toBadge({ signals: { native }, evidence_snapshot_date }: ListingDocument): Badge {
  const sources = native.independent.sources + native.related.sources;
  const last = [native.independent.last_at, native.related.last_at]
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  return {
    label: 'evidence',
    message:
      sources === 0 || !last
        ? `none as of ${evidence_snapshot_date}`
        : `${sources} source${sources === 1 ? '' : 's'}, last ${last.slice(0, 10)}`,
  };
}

/** A badge as SVG. */
export const toBadgeSvg = ({ label, message }: Badge): string =>
  makeBadge({ label, message, color: grey, labelColor: darkGrey, style: 'flat' });

/** A badge in the form that shields.io's endpoint badge reads. */
export const toShieldsEndpoint = ({ label, message }: Badge) => ({
  schemaVersion: 1,
  label,
  message,
  color: grey,
  labelColor: darkGrey,
  cacheSeconds: 300,
});
