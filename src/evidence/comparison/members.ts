import type { Facet } from '../listing/facets.ts';
import { type Answer, compareListing, type RequestedCriterion } from './criteria.ts';
import type { ComparedListing } from './criterion.ts';
import type { SavedView } from './saved-view.ts';

/** The facet that every listing has which meets a criterion; undefined where none follows. */
function facetOf({ criterion, value }: RequestedCriterion): Facet | undefined {
  if (criterion === 'claimed') return 'state:claimed';
  if (criterion === 'has_endpoint') return 'has:endpoint';
  if (criterion === 'has_repository') return 'has:repository';
  if (criterion === 'transport') return `transport:${value}`;
  if (criterion === 'package') return `package:${value}`;
  if (criterion === 'tag') return `tag:${value}`;
  return undefined;
}

/** Facets that narrow down the listings that a view can have: an index answers by them. */
export const facetsOf = ({ criteria, unknown }: SavedView): Facet[] =>
  unknown === 'include' ? [] : criteria.map(facetOf).filter((facet) => facet !== undefined);

/** Which fact met which criterion on which date; undefined if the listing is not in the view. */
export function membership(view: SavedView, compared: ComparedListing): readonly Answer[] | undefined {
  const { imported, observed, native } = compareListing(compared, view.criteria);
  const answers = [...imported, ...observed, ...native];
  const isMet = ({ result }: Answer) =>
    result === 'met' || (result === 'unknown' && view.unknown === 'include');
  return answers.every(isMet) ? answers : undefined;
}
