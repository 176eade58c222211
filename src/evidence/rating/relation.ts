import type { RatingBasis, StatedOverlap } from './groups.ts';
import { isExact, namespaceRoot, provenBy, type RecordedIdentity, type RecordedName } from './identity.ts';

/** One listing of a rating: what proves who it is, and what its records ever named, with the date. */
interface RelationSide {
  readonly handle: string;
  readonly proven: readonly string[];
  readonly stated: ReadonlyMap<string, string>;
}

const toSide = (
  handle: string,
  recorded: readonly RecordedIdentity[],
  toProven: (rows: RecordedIdentity[]) => string[],
): RelationSide => {
  const { proven = [], stated = [] } = Object.groupBy(
    recorded.filter((row) => row.handle === handle),
    ({ kind }) => kind,
  );
  return {
    handle,
    proven: [...provenBy(namespaceRoot(handle)), ...toProven(proven)],
    stated: new Map(stated.map(({ value, first_imported_at }) => [value, first_imported_at])),
  };
};

/** The two sides of a rating: of claims, only the rating's control root for the source, all it ever had for the rated listing. */
export const toRelationSides = (
  rating: { readonly source_handle: string; readonly source_root: string; readonly subject_handle: string },
  recorded: readonly RecordedIdentity[],
) => ({
  source: toSide(rating.source_handle, recorded, () => provenBy(rating.source_root)),
  subject: toSide(rating.subject_handle, recorded, (rows) => rows.map(({ value }) => value)),
});
type RelationSides = ReturnType<typeof toRelationSides>;

/**
 * Whether a proven account or domain is the same on both sides. Of criticism the very domain: below one that was registered
 * may be hosts of strangers, on no list of hosting domains.
 */
export const isRelated = ({ source, subject }: RelationSides, isPraise: boolean): boolean =>
  source.proven.some((value) => (isPraise || isExact(value)) && subject.proven.includes(value));

/** The statements by which the record of one listing names what the other one proves. */
const namings = (one: RelationSide, other: RelationSide): StatedOverlap[] =>
  other.proven.flatMap((value) => {
    const at = one.stated.get(value);
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

const isNameOf = (name: string, proven: string) =>
  proven.startsWith('dns:') ? `.${name}`.endsWith(`.${proven.slice('dns:'.length)}`) : name === proven;

/** Those of the names in the source's record that are an account or domain which the rated listing proves, or below it. */
const namingsBy = ({ source, subject }: RelationSides, names: readonly RecordedName[]): StatedOverlap[] =>
  names.flatMap(({ name, holder }) => {
    const at = source.stated.get(holder);
    const isNamed = subject.proven.some((value) => isExact(value) && isNameOf(name, value));
    return at !== undefined && isNamed ? [{ by: source.handle, of: subject.handle, at }] : [];
  });

/**
 * The first statement that sets a rating apart. Of criticism only one in the source's record as it is when it rates: else the
 * rated listing could name its critics, or take over what they once named.
 */
export const toStatedOverlap = (
  sides: RelationSides,
  criticNames?: readonly RecordedName[],
): StatedOverlap | undefined =>
  (criticNames
    ? namingsBy(sides, criticNames)
    : [...namings(sides.source, sides.subject), ...namings(sides.subject, sides.source), ...shared(sides)]
  ).sort((a, b) => (a.at < b.at ? -1 : 1))[0];

/**
 * The relation of two listings: proofs whenever they came, statements until the first version of the rating. `criticNames`:
 * of criticism, what the source's record names now.
 */
export const toRelation = (
  rating: Parameters<typeof toRelationSides>[0] & { readonly first_created_at: string },
  recorded: readonly RecordedIdentity[],
  criticNames?: readonly RecordedName[],
): Pick<RatingBasis, 'related' | 'stated_overlap'> => {
  const until = recorded.filter((row) => row.first_imported_at <= rating.first_created_at);
  return {
    related: isRelated(toRelationSides(rating, recorded), !criticNames),
    stated_overlap: toStatedOverlap(toRelationSides(rating, until), criticNames),
  };
};
