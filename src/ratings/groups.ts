import { Holder, type RecordedIdentity } from '../core/identity.ts';
import { dayText } from '../core/text.ts';

/** The least score that praises. */
export const leastPraise = 4;

/**
 * Whether a rating praises. What the rated side does or states sets apart only praise, so that no criticism
 * is.
 */
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
  /**
   * The first statement that sets it apart, as of the first version; of praise, the first version that
   * praises.
   */
  readonly stated_overlap?: StatedOverlap | undefined;
  /** Since when no claim in force of the source belongs to the rating's control root. */
  readonly source_ended_at?: string | undefined;
  /** When the source stops being new: seven days after its control root first proved a claim. */
  readonly new_until: string;
}

export const overlapReason = ({ by, of, at }: StatedOverlap) =>
  `Set apart because the record of ${by} named the account or host of ${of} on ${dayText(at)}; not proven.`;

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
 * The groups of current ratings but the last, independent, from worst to best. A rating is in the first one
 * that fits (docs/ratings.md). Counting in SQL reads the same table.
 */
export const groupRules = {
  related: {
    basis: 'related',
    holds: 'true',
    name: 'Related',
    meaning: 'Same namespace, account or repository on both sides, proven.',
    reason: () =>
      'Set apart because source and rated listing have the same namespace, account or repository.',
  },
  declared_interest: {
    basis: 'declared_interest',
    holds: 'true',
    name: 'Declared interest',
    meaning: 'The source declared that it is a vendor, a partner or paid to rate.',
    reason: () =>
      'Set apart because the source declared in a version of this rating that it is a vendor, a partner or paid to rate.',
  },
  reciprocal: {
    basis: 'reciprocal',
    holds: 'true',
    name: 'Reciprocal',
    meaning: 'Praise between two sources that rated each other’s listings within 90 days.',
    reason: () =>
      'Set apart because it praises, and the sources of both listings rated each other within 90 days.',
  },
  stated_overlap: {
    basis: 'stated_overlap',
    holds: 'present',
    name: 'Stated overlap',
    meaning: 'The record of one side names an account or host of the other; not proven.',
    reason: ({ stated_overlap }) => (stated_overlap ? overlapReason(stated_overlap) : ''),
  },
  source_ended: {
    basis: 'source_ended_at',
    holds: 'present',
    name: 'Source ended',
    meaning: 'The claim with which the source made the rating is no longer in force.',
    reason: ({ source_ended_at }) =>
      `Set apart because the claim with which the source made this rating ended on ${dayText(source_ended_at ?? '')}.`,
  },
  new_source: {
    basis: 'new_until',
    holds: 'until',
    name: 'New source',
    meaning: 'The source first proved its claim less than seven days ago.',
    reason: ({ new_until }) =>
      `Set apart until ${dayText(new_until)}, because the account of the source first proved its claim less than seven days ago.`,
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
const flagsOf = (basis: RatingBasis, now: string): RatingFlag[] =>
  ratingFlags.filter((flag) => tests[groupRules[flag].holds](basis[groupRules[flag].basis], now));

/** What is shown beside a rating for a statement that was read after it was made. */
export const overlapStatedLater = ({ by, of, at }: StatedOverlap): string =>
  `The record of ${by} named the account or host of ${of} on ${dayText(at)}, after this rating was made; not proven. The group of the rating stays the same.`;

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

/** One listing of a rating: what proves who it is, and what its records ever named, with the date. */
const toSide = (
  handle: string,
  recorded: readonly RecordedIdentity[],
  toRoots: (rows: RecordedIdentity[]) => string[],
) => {
  const { proven = [], stated = [] } = Object.groupBy(
    recorded.filter((row) => row.handle === handle),
    ({ kind }) => kind,
  );
  return {
    handle,
    proven: [Holder.ofNamespace(handle), ...toRoots(proven).map((root) => new Holder(root))],
    stated: new Map(stated.map(({ value, first_imported_at }) => [value, first_imported_at])),
  };
};

/**
 * The two sides of a rating: of claims, only the rating's control root for the source, all it ever had for
 * the rated listing.
 */
export const toRelationSides = (
  rating: { readonly source_handle: string; readonly source_root: string; readonly subject_handle: string },
  recorded: readonly RecordedIdentity[],
) => ({
  source: toSide(rating.source_handle, recorded, () => [rating.source_root]),
  // A domain that was registered is stored beside each place below it that was proven.
  subject: toSide(rating.subject_handle, recorded, (rows) =>
    rows.map(({ value }) => value).filter((value) => value.includes('/') || value.startsWith('dns:')),
  ),
});
type RelationSides = ReturnType<typeof toRelationSides>;

/**
 * Whether a proven account or domain is the same on both sides. Of criticism the very domain: below one that
 * was registered may be hosts of strangers, on no list of hosting domains.
 */
export const isRelated = (
  { source, subject }: Record<'source' | 'subject', { readonly proven: readonly Holder[] }>,
  isPraise: boolean,
): boolean =>
  source.proven.some((one) =>
    subject.proven.some((other) => (isPraise ? one.same(other) : one.place === other.place)),
  );

/** The statements by which the record of one listing names what the other one proves. */
const namings = (one: RelationSides['source'], other: RelationSides['source']): StatedOverlap[] =>
  other.proven.flatMap(({ id }) => {
    const at = one.stated.get(id);
    return at === undefined ? [] : [{ by: one.handle, of: other.handle, at }];
  });

/** What both records name, by the later of them. */
const shared = ({ source, subject }: RelationSides): StatedOverlap[] =>
  [...source.stated].flatMap(([value, bySource]) => {
    const bySubject = subject.stated.get(value);
    if (bySubject === undefined) return [];
    const [by, of, at] = bySubject >= bySource ? [subject, source, bySubject] : [source, subject, bySource];
    return [{ by: by.handle, of: of.handle, at }];
  });

/**
 * Those that the source's record names which are an account or domain that the rated listing proves, or below
 * it.
 */
const namingsBy = ({ source, subject }: RelationSides, named: readonly Holder[]): StatedOverlap[] =>
  named.flatMap((one) => {
    const at = source.stated.get(one.id);
    const isNamed = subject.proven.some((proven) => proven.contains(one));
    return at !== undefined && isNamed ? [{ by: source.handle, of: subject.handle, at }] : [];
  });

/**
 * The first statement that sets a rating apart. Of criticism only one in the source's record as it is when it
 * rates: else the rated listing could name its critics, or take over what they once named.
 */
export const toStatedOverlap = (
  sides: RelationSides,
  namedByCritic?: readonly Holder[],
): StatedOverlap | undefined =>
  (namedByCritic
    ? namingsBy(sides, namedByCritic)
    : [...namings(sides.source, sides.subject), ...namings(sides.subject, sides.source), ...shared(sides)]
  ).sort((a, b) => (a.at < b.at ? -1 : 1))[0];

/**
 * The relation of two listings: proofs whenever they came, statements until the first version of the rating,
 * or the first one that praises. `namedByCritic`: of criticism, whom the source's record names now.
 */
export const toRelation = (
  rating: Parameters<typeof toRelationSides>[0] & { readonly stated_until: string },
  recorded: readonly RecordedIdentity[],
  namedByCritic?: readonly Holder[],
): Pick<RatingBasis, 'related' | 'stated_overlap'> => {
  const until = recorded.filter((row) => row.first_imported_at <= rating.stated_until);
  return {
    related: isRelated(toRelationSides(rating, recorded), !namedByCritic),
    stated_overlap: toStatedOverlap(toRelationSides(rating, until), namedByCritic),
  };
};
