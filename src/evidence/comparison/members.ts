import type { FailedCriterion } from '../change.ts';
import { type Answer, compareListing } from './criteria.ts';
import type { ComparedListing } from './criterion.ts';
import type { SavedView } from './saved-view.ts';

/** How a listing stands to a view. */
export interface Membership {
  /** Which fact answered which criterion on which date. */
  readonly answers: readonly Answer[];
  /** The criteria that keep it out; it is in the view if there are none. */
  readonly failed: readonly FailedCriterion[];
}

/** Judges a listing by a view. */
export function judgeMember(view: SavedView, compared: ComparedListing): Membership {
  const { imported, observed, native } = compareListing(compared, view.criteria);
  const answers = [...imported, ...observed, ...native];
  const isMet = ({ result }: Answer) =>
    result === 'met' || (result !== 'not_met' && view.unknown === 'include');
  const failed = answers.filter((answer) => !isMet(answer));
  return {
    answers,
    failed: failed.map(({ criterion, value, result }) => ({
      criterion,
      ...(value !== undefined && { value }),
      result,
    })),
  };
}
