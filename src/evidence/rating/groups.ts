/**
 * The groups of current ratings, from worst to best. A rating is in the first one that fits (docs/trust.md section 3),
 * and only those of the last may be called independent.
 */
export const ratingGroups = [
  'related',
  'declared_interest',
  'reciprocal',
  'stated_overlap',
  'source_ended',
  'new_source',
  'independent',
] as const;
export type RatingGroup = (typeof ratingGroups)[number];

/** Why a rating may be set apart; the last group has no flag. */
export const ratingFlags = [
  'related',
  'declared_interest',
  'reciprocal',
  'stated_overlap',
  'source_ended',
  'new_source',
] as const satisfies readonly RatingGroup[];
export type RatingFlag = (typeof ratingFlags)[number];

/** The record of one side named the account or host of the other, without proof. */
export interface StatedOverlap {
  /** The listing whose record names it. */
  readonly by: string;
  /** The listing whose account or host it is. */
  readonly of: string;
  /** When this service read it, RFC 3339. */
  readonly at: string;
}

/** What decides the group of a rating; stored with it. */
export interface RatingBasis {
  /** Namespace, account or repository is the same on both sides, and proven. */
  readonly related: boolean;
  /** Relationship paid, partner or vendor in any version. */
  readonly declared_interest: boolean;
  /** The two control roots rated each other's listings within 90 days, and this half counts for it. */
  readonly reciprocal: boolean;
  /** As of the first version. */
  readonly stated_overlap?: StatedOverlap | undefined;
  /** Since when no claim in force of the source belongs to the rating's control root. */
  readonly source_ended_at?: string | undefined;
  /** When the source stops being new: seven days after its control root first proved a claim. */
  readonly new_until: string;
}

/** Every reason to set a rating apart at a time (RFC 3339), worst first. */
export function flagsOf(basis: RatingBasis, now: string): RatingFlag[] {
  const holds: Record<RatingFlag, boolean> = {
    related: basis.related,
    declared_interest: basis.declared_interest,
    reciprocal: basis.reciprocal,
    stated_overlap: basis.stated_overlap !== undefined,
    source_ended: basis.source_ended_at !== undefined,
    new_source: basis.new_until > now,
  };
  return ratingFlags.filter((flag) => holds[flag]);
}

const day = (time = '') => time.slice(0, 10);

const overlapReason = ({ by, of, at }: StatedOverlap) =>
  `Set apart because the record of ${by} named the account or host of ${of} on ${day(at)}; not proven.`;

/** What is shown beside a rating for a statement that was read after it was made. */
export const overlapStatedLater = ({ by, of, at }: StatedOverlap): string =>
  `The record of ${by} named the account or host of ${of} on ${day(at)}, after this rating was made; not proven. The group of the rating stays the same.`;

const reasons: Record<RatingGroup, (basis: RatingBasis) => string> = {
  related: () => 'Set apart because source and rated listing have the same namespace, account or repository.',
  declared_interest: () =>
    'Set apart because the source declared in a version of this rating that it is a vendor, a partner or paid.',
  reciprocal: () =>
    'Set apart because the accounts of source and rated listing rated each other within 90 days.',
  stated_overlap: ({ stated_overlap }) => (stated_overlap ? overlapReason(stated_overlap) : ''),
  source_ended: ({ source_ended_at }) =>
    `Set apart because the claim with which the source made this rating ended on ${day(source_ended_at)}.`,
  new_source: ({ new_until }) =>
    `Set apart until ${day(new_until)}, because the account of the source first proved its claim less than seven days ago.`,
  independent: () =>
    'No relation between source and rated listing is recorded here, and the source proved its claim at least seven days ago.',
};

/** The group of a rating at a time (RFC 3339), with all flags and the reason in a sentence. */
export function groupOf(basis: RatingBasis, now: string) {
  const flags = flagsOf(basis, now);
  const group: RatingGroup = flags[0] ?? 'independent';
  return { group, group_reason: reasons[group](basis), flags };
}

/** The groups of which some counts are to be shown: independent first, then the others that have ratings. */
export const shownGroups = (
  ratings: Readonly<Record<RatingGroup, { readonly ratings: number }>>,
): RatingGroup[] =>
  ratingGroups.toReversed().filter((group) => group === 'independent' || ratings[group].ratings > 0);

/** The groups as pages, Markdown and cards name them, and what each means. */
export const groupTexts: Record<RatingGroup, { readonly name: string; readonly meaning: string }> = {
  related: { name: 'Related', meaning: 'Same namespace, account or repository on both sides, proven.' },
  declared_interest: {
    name: 'Declared interest',
    meaning: 'The source declared that it is a vendor, a partner or paid.',
  },
  reciprocal: { name: 'Reciprocal', meaning: 'The two accounts rated each other within 90 days.' },
  stated_overlap: {
    name: 'Stated overlap',
    meaning: 'The record of one side names an account or host of the other; not proven.',
  },
  source_ended: {
    name: 'Source ended',
    meaning: 'The claim with which the source made the rating is no longer in force.',
  },
  new_source: { name: 'New source', meaning: 'The source first proved its claim less than seven days ago.' },
  independent: {
    name: 'Independent',
    meaning:
      'No relation to this listing is recorded here, and the source first proved its claim at least seven days ago.',
  },
};

/** What each flag says of a rating, for the places where flags stand. */
export const flagsMeaning = `Why it may be set apart; all that fit. ${ratingFlags
  .map((flag) => `${flag}: ${groupTexts[flag].meaning.replace(/\.$/, '')}`)
  .join('. ')}.`;
