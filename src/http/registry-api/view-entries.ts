import type { Context } from '../../context.ts';
import { keyOf, type SavedView } from '../../evidence/comparison/saved-view.ts';
import { findMember, type Member, readMembers } from '../../tools/support/view-members.ts';
import type { Face, Request } from '../environment.ts';
import { fromPlace, toPlace, viewOf } from '../request/saved-view.ts';
import { answerJson } from '../response/answers.ts';
import { evidenceKey, readLogHead, toEntry } from './evidence.ts';
import { readLimit } from './query.ts';

/** Entries of the listings of a view; each also says which fact met which criterion on which date. */
async function toViewEntries(members: readonly Member[], context: Context) {
  const key = evidenceKey(context.config.publicUrl);
  const log = await readLogHead(context);
  const entries = await Promise.all(
    members.map(async ({ listing, answers }) => {
      const version = await context.store.listings.version(listing.handle, listing.version);
      if (!version) return undefined;
      const isHidden = listing.moderation?.some(({ action }) => action === 'hide') === true;
      const { server, _meta } = toEntry(version, { isLatest: true, document: listing, key, isHidden, log });
      const criteria = answers.map(({ criterion, result, fact, as_of }) => ({
        criterion,
        result,
        fact,
        as_of,
      }));
      return { server, _meta: { ..._meta, [key]: { ...(_meta[key] as object), criteria } } };
    }),
  );
  return entries.filter((entry) => entry !== undefined);
}

/** A page of a view's listings in the shape of the registry API. */
export async function listEntries(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const limit = readLimit(c.req.query());
  const page = await readMembers(view, { after: toPlace(c.req.query('cursor')), limit }, c.get('context'));
  const servers = await toViewEntries(page.members, c.get('context'));
  const nextCursor = fromPlace(page.next);
  return answerJson(
    c,
    { servers, metadata: { ...(nextCursor && { nextCursor }), count: servers.length } },
    { cacheTags: [keyOf(view), ...page.members.map(({ listing }) => listing.handle)] },
  );
}

const cachePolicy = (view: SavedView, { listing }: Member) => ({
  cacheTags: [keyOf(view), listing.handle],
});

const notInView = (c: Request) => c.json({ error: 'Server not found in this view' }, 404);

/** The versions of a listing of a view: the one that the view judged. 404 if the listing does not meet the view. */
export async function showVersions(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const member = await findMember(view, c.req.param('name') ?? '', c.get('context'));
  const servers = member ? await toViewEntries([member], c.get('context')) : [];
  if (!member || servers.length === 0) return notInView(c);
  return answerJson(c, { servers, metadata: { count: servers.length } }, cachePolicy(view, member));
}

/** One listing of a view in the shape of the registry API; 404 if it does not meet the view. */
export async function showEntry(c: Request, face: Face): Promise<Response> {
  const view = viewOf(c, face);
  const member = await findMember(view, c.req.param('name') ?? '', c.get('context'));
  const { version = 'latest' } = c.req.param() as { version?: string };
  const isShown = member && (version === 'latest' || version === member.listing.version);
  const [entry] = isShown ? await toViewEntries([member], c.get('context')) : [];
  return member && entry ? answerJson(c, entry, cachePolicy(view, member)) : notInView(c);
}
