import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Change } from '../../evidence/change.ts';
import type { Answer } from '../../evidence/comparison/criteria.ts';
import { judgeMember, type Membership } from '../../evidence/comparison/members.ts';
import { keyOf, type SavedView } from '../../evidence/comparison/saved-view.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { ListingFacts } from '../../evidence/listing/listing-facts.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';
import { Problem } from '../../problem.ts';
import type { ViewPass } from '../../store/contract/views.ts';

/** A listing of a view, with the facts that put it there. */
export interface Member {
  readonly listing: ListingDocument;
  readonly answers: readonly Answer[];
}

/** A page of a view. */
export interface MemberPage {
  readonly members: readonly Member[];
  /** The handle after which the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/** The views that some facts are judged by, with the listing; undefined for one that is not listed, or of the sample. */
export function judgeFacts(
  facts: ListingFacts | undefined,
  views: readonly SavedView[],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
): { listing: ListingDocument; memberships: readonly Membership[] } | undefined {
  if (!facts || facts.listing.withdrawn || isSample(facts.listing)) return undefined;
  const now = clock();
  const listing = toListingDocument(facts, config, now);
  return {
    listing,
    memberships: views.map((view) => judgeMember(view, { listing, now_ms: now.getTime() })),
  };
}

/** When all listings were last judged by a view; undefined before they have been. */
export async function findPass(
  view: SavedView,
  { store }: Pick<Context, 'store'>,
): Promise<ViewPass | undefined> {
  const key = keyOf(view);
  return (await store.views.passes()).find((one) => one.view === key);
}

/** The same; throws unavailable before they have been. */
export async function requireJudged(view: SavedView, context: Pick<Context, 'store'>): Promise<ViewPass> {
  const pass = await findPass(view, context);
  if (pass) return pass;
  const detail =
    'The listings have not been judged by the criteria of this view yet; that begins when an import from a registry has ended.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/** Those of some members that meet the view now, with their answers; one that stopped meeting it is about to leave it. */
async function toMembers(view: SavedView, handles: readonly string[], context: Context): Promise<Member[]> {
  const facts = await context.store.listings.factsOfAll(handles, context.clock().toISOString());
  return facts.flatMap((one) => {
    const judged = judgeFacts(one, [view], context);
    const [membership] = judged?.memberships ?? [];
    if (!judged || !membership || membership.failed.length > 0) return [];
    return [{ listing: judged.listing, answers: membership.answers }];
  });
}

/** A listing's place in a view; undefined if it is not in it. Throws unavailable before the view was judged. */
export async function findMember(
  view: SavedView,
  handle: string,
  context: Context,
): Promise<Member | undefined> {
  await requireJudged(view, context);
  const [span] = await context.store.views.spans(keyOf(view), [handle]);
  if (!span || span.left_seq !== undefined) return undefined;
  const [member] = await toMembers(view, [handle], context);
  return member;
}

/** Members read in one turn of the event loop; on SQLite reading them is computing. */
const perTurn = 20;

/** The listings of a view in the order of their handles. Throws unavailable before the view was judged. */
export async function readMembers(
  view: SavedView,
  { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  context: Context,
): Promise<MemberPage> {
  await requireJudged(view, context);
  const handles = await context.store.views.members(keyOf(view), after, limit + 1);
  const shown = handles.slice(0, limit);
  const members: Member[] = [];
  for (let at = 0; at < shown.length; at += perTurn) {
    if (at > 0) await setImmediate();
    members.push(...(await toMembers(view, shown.slice(at, at + perTurn), context)));
  }
  return { members, next: handles.length > limit ? handles[limit - 1] : undefined };
}

/**
 * Those of some changes that are of a view: what its listings changed while they were in it, and with which change each of
 * them joined or left.
 */
export async function changesOf(
  view: SavedView,
  changes: readonly Change[],
  { store }: Pick<Context, 'store'>,
): Promise<Change[]> {
  const spans = await store.views.spans(keyOf(view), [...new Set(changes.map(({ handle }) => handle))]);
  return changes.filter(({ type, handle, seq, data }) => {
    if (type === 'view.joined' || type === 'view.left') return data.view === view.name;
    const span = spans.find((one) => one.handle === handle);
    return span !== undefined && span.joined_seq <= seq && seq <= (span.left_seq ?? seq);
  });
}
