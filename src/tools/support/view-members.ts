import type { Context } from '../../context.ts';
import type { Answer } from '../../evidence/comparison/criteria.ts';
import { facetsOf, membership } from '../../evidence/comparison/members.ts';
import type { SavedView } from '../../evidence/comparison/saved-view.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';

/** A listing of a view, with the facts that put it there. */
export interface Member {
  readonly listing: ListingDocument;
  readonly answers: readonly Answer[];
}

/** A place in the list of all listings. */
export interface ViewPlace {
  readonly id: number;
  readonly updated_at: string;
}

/** A page of a view. */
export interface MemberPage {
  readonly members: readonly Member[];
  /** Where the next page begins; undefined at the end. A page may be shorter than its limit and not the last one. */
  readonly next: ViewPlace | undefined;
}

/** Listings judged for one page at most: a view that few listings meet is read over several pages. */
const mostJudged = 1000;
const batch = 100;

/** A listing's place in a view; undefined if it is not in it, of the sample, or not listed. */
export async function findMember(
  view: SavedView,
  handle: string,
  { store, config, clock }: Context,
): Promise<Member | undefined> {
  const now = clock();
  const facts = await store.listings.facts(handle, now.toISOString());
  if (!facts || facts.listing.withdrawn || isSample(facts.listing)) return undefined;
  const listing = toListingDocument(facts, config, now);
  const answers = membership(view, { listing, now_ms: now.getTime() });
  return answers && { listing, answers };
}

/** The listings that meet a view now, by the oldest publication that was read, with the facts that met its criteria. */
export async function readMembers(
  view: SavedView,
  page: { readonly after: ViewPlace | undefined; readonly limit: number },
  context: Context,
): Promise<MemberPage> {
  const facets = facetsOf(view);
  const members: Member[] = [];
  let after = page.after;
  for (let judged = 0; judged < mostJudged; judged += batch) {
    const found = await context.store.listings.list({ facets, sort: 'relevance', after, limit: batch });
    for (const { handle, id, updated_at } of found) {
      const member = await findMember(view, handle, context);
      after = { id, updated_at };
      if (member) members.push(member);
      if (members.length === page.limit) return { members, next: after };
    }
    if (found.length < batch) return { members, next: undefined };
  }
  return { members, next: after };
}
