/** The least score that praises. */
export const leastPraise = 4;

/** Whether a rating praises. What the rated side does or states sets apart only praise, so that no criticism is. */
export const isPraise = (rating: {
  readonly outcome: string;
  readonly score?: number | undefined;
}): boolean => rating.outcome === 'succeeded' || (rating.score ?? 0) >= leastPraise;

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
  /** It praises, and the sources of both sides rated each other's listings within 90 days. */
  readonly reciprocal: boolean;
  /** The first statement that sets it apart, as of the first version. */
  readonly stated_overlap?: StatedOverlap | undefined;
  /** Since when no claim in force of the source belongs to the rating's control root. */
  readonly source_ended_at?: string | undefined;
  /** When the source stops being new: seven days after its control root first proved a claim. */
  readonly new_until: string;
}

const day = (time = '') => time.slice(0, 10);

export const overlapReason = ({ by, of, at }: StatedOverlap) =>
  `Set apart because the record of ${by} named the account or host of ${of} on ${day(at)}; not proven.`;

/** Why ratings are set apart: what of the basis decides it and how, and the texts for people. */
interface GroupRule {
  readonly basis: keyof RatingBasis;
  /** It holds if the basis is true, if it is there, or while its time is to come. */
  readonly holds: 'true' | 'present' | 'until';
  readonly name: string;
  readonly meaning: string;
  readonly reason: (basis: RatingBasis) => string;
}

/**
 * The groups of current ratings but the last, independent, from worst to best. A rating is in the first one that fits
 * (docs/trust.md section 3). Counting in SQL reads the same table.
 */
export const groupRules = {
  related: {
    ...{ basis: 'related', holds: 'true' },
    name: 'Related',
    meaning: 'Same namespace, account or repository on both sides, proven.',
    reason: () =>
      'Set apart because source and rated listing have the same namespace, account or repository.',
  },
  declared_interest: {
    ...{ basis: 'declared_interest', holds: 'true' },
    name: 'Declared interest',
    meaning: 'The source declared that it is a vendor, a partner or paid.',
    reason: () =>
      'Set apart because the source declared in a version of this rating that it is a vendor, a partner or paid.',
  },
  reciprocal: {
    ...{ basis: 'reciprocal', holds: 'true' },
    name: 'Reciprocal',
    meaning: 'Praise between two sources that rated each other’s listings within 90 days.',
    reason: () =>
      'Set apart because it praises, and the sources of both listings rated each other within 90 days.',
  },
  stated_overlap: {
    ...{ basis: 'stated_overlap', holds: 'present' },
    name: 'Stated overlap',
    meaning: 'The record of one side names an account or host of the other; not proven.',
    reason: ({ stated_overlap }) => (stated_overlap ? overlapReason(stated_overlap) : ''),
  },
  source_ended: {
    ...{ basis: 'source_ended_at', holds: 'present' },
    name: 'Source ended',
    meaning: 'The claim with which the source made the rating is no longer in force.',
    reason: ({ source_ended_at }) =>
      `Set apart because the claim with which the source made this rating ended on ${day(source_ended_at)}.`,
  },
  new_source: {
    ...{ basis: 'new_until', holds: 'until' },
    name: 'New source',
    meaning: 'The source first proved its claim less than seven days ago.',
    reason: ({ new_until }) =>
      `Set apart until ${day(new_until)}, because the account of the source first proved its claim less than seven days ago.`,
  },
} as const satisfies Record<string, GroupRule>;

/** Why a rating may be set apart, worst first; the group independent has no flag. */
export type RatingFlag = keyof typeof groupRules;
export const ratingFlags = Object.keys(groupRules) as RatingFlag[];
export type RatingGroup = RatingFlag | 'independent';
export const ratingGroups: readonly RatingGroup[] = [...ratingFlags, 'independent'];

const tests: Record<GroupRule['holds'], (value: RatingBasis[keyof RatingBasis], now: string) => boolean> = {
  true: (value) => value === true,
  present: (value) => value !== undefined,
  until: (value, now) => String(value) > now,
};

/** Every reason to set a rating apart at a time (RFC 3339), worst first. */
export const flagsOf = (basis: RatingBasis, now: string): RatingFlag[] =>
  ratingFlags.filter((flag) => tests[groupRules[flag].holds](basis[groupRules[flag].basis], now));

/** What is shown beside a rating for a statement that was read after it was made. */
export const overlapStatedLater = ({ by, of, at }: StatedOverlap): string =>
  `The record of ${by} named the account or host of ${of} on ${day(at)}, after this rating was made; not proven. The group of the rating stays the same.`;

/** The groups as pages, Markdown and cards name them, and what each means. */
export const groupTexts: Record<RatingGroup, Pick<GroupRule, 'name' | 'meaning'>> = {
  ...groupRules,
  independent: {
    name: 'Independent',
    meaning:
      'Nothing recorded here sets it apart, and the source first proved its claim at least seven days ago.',
  },
};

/** The group of a rating at a time (RFC 3339), with all flags and the reason in a sentence. */
export function groupOf(basis: RatingBasis, now: string) {
  const flags = flagsOf(basis, now);
  const [first] = flags;
  const group: RatingGroup = first ?? 'independent';
  const group_reason = first
    ? groupRules[first].reason(basis)
    : 'Nothing recorded here sets this rating apart, and the source proved its claim at least seven days ago.';
  return { group, group_reason, flags };
}

/** The groups of which some counts are to be shown: independent first, then the others that have ratings. */
export const shownGroups = (
  ratings: Readonly<Record<RatingGroup, { readonly ratings: number }>>,
): RatingGroup[] =>
  ratingGroups.toReversed().filter((group) => group === 'independent' || ratings[group].ratings > 0);

/** What each flag says of a rating, for the places where flags stand. */
export const flagsMeaning = `Why it may be set apart; all that fit. ${ratingFlags
  .map((flag) => `${flag}: ${groupTexts[flag].meaning.replace(/\.$/, '')}`)
  .join('. ')}.`;
