import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { groupTexts, shownGroups } from '../../evidence/rating/groups.ts';
import { countProofs, proofClasses, proofTexts } from '../../evidence/rating/proof/proof-classes.ts';
import { outcomes } from '../../evidence/rating/rating.ts';
import type { RatingFacets, RatingFilter } from '../../evidence/rating/rating-facets.ts';
import { amount } from '../../evidence/text/plural.ts';
import { type Html, pagePath } from '../layout/html.ts';

/** The address of the ratings that match a filter, from a cursor on. */
export function ratingsPath(handle: string, filter: RatingFilter, cursor?: string): string {
  const { outcome, group, proof_class } = filter;
  const parameters = Object.entries({ outcome, group, proof_class, cursor }).filter(
    ([, value]) => value !== undefined,
  );
  const query = new URLSearchParams(parameters as [string, string][]);
  return `${pagePath(handle)}/ratings${query.size > 0 ? `?${query}` : ''}`;
}

/** One filter: its name, the words for none of its values, and its values with their words. */
interface Facet {
  readonly name: keyof RatingFilter;
  readonly title: string;
  readonly any: string;
  readonly values: readonly (readonly [value: string, text: string])[];
}

/** All outcomes, and the groups and classes of proof that have ratings; `no proof` is always one of them. */
function facetsOf({ signals: { native } }: ListingDocument, now: RatingFilter): readonly Facet[] {
  const counted = countProofs(native);
  const classes = proofClasses.filter(
    (name) => name === 'none' || name === now.proof_class || name in counted,
  );
  return [
    { name: 'outcome', title: 'Outcome', any: 'any outcome', values: outcomes.map((name) => [name, name]) },
    {
      ...{ name: 'group', title: 'Group', any: 'any group' },
      values: shownGroups(native).map((group) => [group, groupTexts[group].name.toLowerCase()]),
    },
    {
      ...{ name: 'proof_class', title: 'Proof', any: 'with or without proof' },
      values: classes.map((name) => [name, proofTexts[name].name.toLowerCase()]),
    },
  ];
}

/** Filters for the ratings of a listing, each with the number of counted ratings that it leaves. */
export function ratingFilters(
  listing: ListingDocument,
  counts: RatingFacets | undefined,
  now: RatingFilter,
): Html {
  const link = (text: string, filter: RatingFilter, ratings: number) => {
    const path = ratingsPath(listing.handle, filter);
    const isNow = path === ratingsPath(listing.handle, now);
    return html`<li><a href="${path}" rel="nofollow"${isNow ? html` aria-current="true"` : ''}>${text} <span class="count">${amount(ratings)}</span></a></li>`;
  };
  const facet = ({ name, title, any, values }: Facet) => {
    const byValue: Readonly<Record<string, number>> = counts?.[name] ?? {};
    const all = Object.values(byValue).reduce((sum, ratings) => sum + ratings, 0);
    return html`
<ul aria-label="${title}">${link(any, { ...now, [name]: undefined }, all)}${values.map(([value, text]) => link(text, { ...now, [name]: value }, byValue[value] ?? 0))}</ul>`;
  };
  return html`
<nav class="choices" aria-label="Filter the ratings">${facetsOf(listing, now).map(facet)}
</nav>`;
}
