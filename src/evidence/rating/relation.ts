import type { RatingBasis, StatedOverlap } from './groups.ts';
import { namespaceIdentity, type RecordedIdentity, rootIdentity } from './identity.ts';

/** One listing of a rating: what proves who it is, and every account and host its records ever named. */
export interface RelationSide {
  readonly handle: string;
  /** Control roots that claims proved: for the source only that of the rating, for the rated listing all it ever had. */
  readonly roots: readonly string[];
  readonly recorded: readonly RecordedIdentity[];
}

const provenOf = ({ handle, roots }: RelationSide): Set<string | undefined> =>
  new Set([namespaceIdentity(handle), ...roots.map(rootIdentity)].map((identity) => identity?.value));

/** Whether a proven namespace or account is the same on both sides. */
export function isRelated(source: RelationSide, subject: RelationSide): boolean {
  const proven = provenOf(subject);
  return [...provenOf(source)].some((value) => value !== undefined && proven.has(value));
}

/** What a side names; a proven identity has no date. */
function namedBy(side: RelationSide): Map<string, string | undefined> {
  const named = new Map<string, string | undefined>();
  for (const { kind, value, first_imported_at } of side.recorded)
    if (kind !== 'claim') named.set(value, first_imported_at);
  for (const value of provenOf(side)) if (value !== undefined) named.set(value, undefined);
  return named;
}

/** The first statement by which the record of one side names an account or host of the other. */
export function toStatedOverlap(source: RelationSide, subject: RelationSide): StatedOverlap | undefined {
  const ofSubject = namedBy(subject);
  const overlaps: StatedOverlap[] = [];
  for (const [value, bySource] of namedBy(source)) {
    if (!ofSubject.has(value)) continue;
    const bySubject = ofSubject.get(value) ?? '';
    const first = bySource ?? '';
    const [by, of] = bySubject >= first ? [subject, source] : [source, subject];
    const at = bySubject >= first ? bySubject : first;
    if (at) overlaps.push({ by: by.handle, of: of.handle, at });
  }
  return overlaps.sort((a, b) => (a.at < b.at ? -1 : 1))[0];
}

/** The relation of two listings, part of what decides a rating's group. */
export const toRelation = (
  source: RelationSide,
  subject: RelationSide,
): Pick<RatingBasis, 'related' | 'stated_overlap'> => ({
  related: isRelated(source, subject),
  stated_overlap: toStatedOverlap(source, subject),
});
