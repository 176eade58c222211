import { Holder, type RecordedIdentity } from '../core/identity.ts';
import { dayText } from '../core/text.ts';

export const leastPraise = 4;

export const isPraise = (rating: { readonly outcome: string; readonly score?: number | undefined }) =>
  rating.outcome === 'succeeded' || (rating.score ?? 0) >= leastPraise;

/**
 * Without proof: the record of `by` named an account or domain that is proven for `of`, or that the record of
 * `of` named no later.
 */
export interface StatedOverlap {
  readonly by: string;
  readonly of: string;
  /** When this service read it, RFC 3339. */
  readonly at: string;
}

export interface RatingBasis {
  readonly related: boolean;
  readonly declared_interest: boolean;
  readonly reciprocal: boolean;
  /**
   * The first that sets the rating apart. Statements count until the rating's first version, or for praise
   * until the first that praises.
   */
  readonly stated_overlap?: StatedOverlap | undefined;
  /** Since when the rating's claim has not been in force. */
  readonly source_ended_at?: string | undefined;
  /** Seven days after the source's control root first proved a claim. */
  readonly new_until: string;
}

export const overlapReason = ({ by, of, at }: StatedOverlap) =>
  `Set apart because the record of ${by} named on ${dayText(at)} an account or domain that ${of} holds or has named. The connection is not proven.`;

interface GroupRule {
  readonly basis: keyof RatingBasis;
  /** Of the member: that it is true, or present, or a later time. */
  readonly holds: 'true' | 'present' | 'until';
  readonly name: string;
  readonly meaning: string;
  readonly reason: (basis: RatingBasis) => string;
}

/** From worst to best; a rating is in the first that fits. Counts in SQL are made from these rules too. */
export const groupRules = {
  related: {
    basis: 'related',
    holds: 'true',
    name: 'Related',
    meaning: 'The same account or registrable domain is proven on both sides.',
    reason: () =>
      'Set apart because the same account or registrable domain is proven for the source and the rated listing.',
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
    reason: () => 'Set apart because it praises, and both sides rated each other’s listings within 90 days.',
  },
  stated_overlap: {
    basis: 'stated_overlap',
    holds: 'present',
    name: 'Stated overlap',
    meaning:
      'The record of one side names an account or domain that the other side holds or names. The connection is not proven.',
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
      `Set apart until ${dayText(new_until)}, because the source first proved its claim less than seven days ago.`,
  },
} as const satisfies Record<string, GroupRule>;

/** Worst first. */
export type RatingFlag = keyof typeof groupRules;
export const ratingFlags = Object.keys(groupRules) as RatingFlag[];
export type RatingGroup = RatingFlag | 'independent';
export const ratingGroups: readonly RatingGroup[] = [...ratingFlags, 'independent'];

const tests: Record<GroupRule['holds'], (value: RatingBasis[keyof RatingBasis], now: string) => boolean> = {
  true: (value) => value === true,
  present: (value) => value !== undefined,
  until: (value, now) => String(value) > now,
};

const flagsOf = (basis: RatingBasis, now: string): RatingFlag[] =>
  ratingFlags.filter((flag) => tests[groupRules[flag].holds](basis[groupRules[flag].basis], now));

export const overlapStatedLater = ({ by, of, at }: StatedOverlap): string =>
  `The record of ${by} named on ${dayText(at)}, after this rating was made, an account or domain that ${of} holds or has named. The connection is not proven, and the group of the rating stays the same.`;

export const groupTexts: Record<RatingGroup, Pick<GroupRule, 'name' | 'meaning'>> = {
  ...groupRules,
  independent: {
    name: 'Independent',
    meaning:
      'Nothing recorded here sets the rating apart, and the source first proved its claim at least seven days ago.',
  },
};

export function groupOf(basis: RatingBasis, now: string) {
  const flags = flagsOf(basis, now);
  const [first] = flags;
  const group: RatingGroup = first ?? 'independent';
  const group_reason = first
    ? groupRules[first].reason(basis)
    : 'Nothing recorded here sets this rating apart, and the source proved its claim at least seven days ago.';
  return { group, group_reason, flags };
}

export const shownGroups = (ratings: Readonly<Record<RatingGroup, { readonly ratings: number }>>) =>
  ratingGroups.toReversed().filter((group) => group === 'independent' || ratings[group].ratings > 0);

export const flagsMeaning = `Every reason that sets it apart. ${ratingFlags
  .map((flag) => `${flag}: ${groupTexts[flag].meaning.replace(/\.$/, '')}`)
  .join('. ')}.`;

/** `stated`: when each identity in the listing's records was first read. */
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

/** The rated listing by all control roots that it ever had. */
export const toRelationSides = (
  rating: { readonly source_handle: string; readonly source_root: string; readonly subject_handle: string },
  recorded: readonly RecordedIdentity[],
) => ({
  source: toSide(rating.source_handle, recorded, () => [rating.source_root]),
  // Stored with the registered domain above it, which does not count here.
  subject: toSide(rating.subject_handle, recorded, (rows) =>
    rows.map(({ value }) => value).filter((value) => value.includes('/') || value.startsWith('dns:')),
  ),
});
type RelationSides = ReturnType<typeof toRelationSides>;

/** For criticism, hosts below one registered domain may be strangers. */
export const isRelated = (
  { source, subject }: Record<'source' | 'subject', { readonly proven: readonly Holder[] }>,
  isPraise: boolean,
): boolean =>
  source.proven.some((one) =>
    subject.proven.some((other) => (isPraise ? one.same(other) : one.place === other.place)),
  );

const namings = (one: RelationSides['source'], other: RelationSides['source']): StatedOverlap[] =>
  other.proven.flatMap(({ id }) => {
    const at = one.stated.get(id);
    return at === undefined ? [] : [{ by: one.handle, of: other.handle, at }];
  });

/** Of two records that name an identity, the later one states it, or else the rated listing's. */
const shared = ({ source, subject }: RelationSides): StatedOverlap[] =>
  [...source.stated].flatMap(([value, bySource]) => {
    const bySubject = subject.stated.get(value);
    if (bySubject === undefined) return [];
    const [by, of, at] = bySubject >= bySource ? [subject, source, bySubject] : [source, subject, bySource];
    return [{ by: by.handle, of: of.handle, at }];
  });

const namingsBy = ({ source, subject }: RelationSides, named: readonly Holder[]): StatedOverlap[] =>
  named.flatMap((one) => {
    const at = source.stated.get(one.id);
    const isNamed = subject.proven.some((proven) => proven.contains(one));
    return at !== undefined && isNamed ? [{ by: source.handle, of: subject.handle, at }] : [];
  });

/**
 * For criticism, only what the source's present record states: otherwise the rated listing could set critics
 * apart by naming them, or by claiming what they once named.
 */
export const toStatedOverlap = (sides: RelationSides, namedByCritic?: readonly Holder[]) =>
  (namedByCritic
    ? namingsBy(sides, namedByCritic)
    : [...namings(sides.source, sides.subject), ...namings(sides.subject, sides.source), ...shared(sides)]
  ).sort((a, b) => (a.at < b.at ? -1 : 1))[0];

/**
 * Proofs count at any time, statements until `stated_until`. `namedByCritic` is what the source's record
 * names now, for criticism.
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
