import { handleParts } from '../handle.ts';
import { repositoryRoot } from '../namespace.ts';
import type { ratingFlags } from './rating.ts';
import type { RatingSide } from './rating-sides.ts';

type RatingFlag = (typeof ratingFlags)[number];
/** The part of a listing that flags are computed from. */
type Side = Omit<RatingSide, 'withdrawn'>;

const day_ms = 86_400_000;
/** How long after an interaction it can be rated. */
export const ratingWindow_ms = 90 * day_ms;
/** How far ahead another clock may be. */
export const clockSkew_ms = 5 * 60_000;
/** How long a source counts as new after its claim. */
export const newSource_ms = 7 * day_ms;

/** Flags that move a rating out of the independent counts. */
const related: readonly RatingFlag[] = ['same_namespace', 'same_owner', 'same_host'];

const host = (url: string | undefined) =>
  url && URL.canParse(url) ? new URL(url).host.toLowerCase() : undefined;

/** Whether the rater and the rated are one listing or one repository (self_rating). */
export const isSelfRating = (source: Side, subject: Side): boolean =>
  source.handle === subject.handle ||
  (source.repository_key !== undefined && source.repository_key === subject.repository_key);

/** The flags computed about a rating (docs/trust.md section 3). */
export function toRatingFlags(
  source: Side,
  subject: Side,
  circumstances: { readonly reciprocal: boolean; readonly sourceAge_ms: number },
): RatingFlag[] {
  const same = (a: string | undefined, b: string | undefined) => a !== undefined && a === b;
  const root = ({ repository_key }: Side) => (repository_key ? repositoryRoot(repository_key) : undefined);
  const namespace = ({ handle }: Side) => handleParts(handle).namespace.toLowerCase();
  const found: [RatingFlag, boolean][] = [
    ['same_namespace', same(namespace(source), namespace(subject))],
    ['same_owner', same(root(source), root(subject))],
    ['same_host', same(host(source.endpoint), host(subject.endpoint))],
    ['reciprocal', circumstances.reciprocal],
    ['new_source', circumstances.sourceAge_ms < newSource_ms],
  ];
  return found.filter(([, holds]) => holds).map(([flag]) => flag);
}

/** Whether a rating counts as independent of its subject. */
export const isIndependent = (flags: readonly RatingFlag[]): boolean =>
  !flags.some((flag) => related.includes(flag));

/** Whether a time of interaction is inside (now - 90 days, now + 5 minutes]. */
export const isInWindow = (at_ms: number, now_ms: number): boolean =>
  at_ms > now_ms - ratingWindow_ms && at_ms <= now_ms + clockSkew_ms;
