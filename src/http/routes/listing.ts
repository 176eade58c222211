import { Hono } from 'hono';
import { askRun, requireContinuing } from '../../claims/authenticate.ts';
import type { ClaimKind } from '../../claims/claim.ts';
import { readWaysOfHolder } from '../../claims/line-effect.ts';
import { findMethods } from '../../claims/locations.ts';
import { readOptOuts, readWithdrawing } from '../../claims/opt-out.ts';
import { type Context, withCaller } from '../../context.ts';
import { requireHandle } from '../../core/handle.ts';
import { Problem } from '../../core/problem.ts';
import { toBadge, toClaimBadge } from '../../document/answers/badge.ts';
import { readEvents } from '../../document/answers/history-events.ts';
import { toMarkdown } from '../../document/answers/markdown.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { toSignedStatement } from '../../document/registry/entries.ts';
import { isNamespace } from '../../listings/publishers.ts';
import { readVersionsPage } from '../../listings/reads.ts';
import { monthsFrom, type RatingFilter } from '../../ratings/rating.ts';
import { claimAgent } from '../../tools/claim-agent.ts';
import {
  getListing,
  onDay,
  orEmpty,
  readFacts,
  readListedTools,
  toReadDocument,
} from '../../tools/find/listing.ts';
import { type OverTime, readOverTime } from '../../tools/find/pictures.ts';
import { getAgent } from '../../tools/get-agent.ts';
import { getHistory, historyPageSize, readHistoryPage } from '../../tools/get-history.ts';
import { countMonths, listRatings } from '../../tools/list-ratings.ts';
import { requireRated, respondToRating } from '../../tools/respond-to-rating.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import { bodyBoundsOf, callTool, parseInput } from '../../tools/tool.ts';
import { toClaimPage, toWithdrawnPage } from '../../views/claim/page.ts';
import { type Html, pagePath } from '../../views/html.ts';
import {
  badgePolicy,
  toBadgePage,
  toBadgeStyle,
  toBadgeSvg,
  toShieldsEndpoint,
} from '../../views/listing/badge.ts';
import { toHistoryPage, toToolsPage } from '../../views/listing/history.ts';
import { toListingPage, toPastPage } from '../../views/listing/page.ts';
import { toRatingsPage } from '../../views/listing/ratings.ts';
import type { RefusedResponse } from '../../views/listing/respond.ts';
import { toVersionsPage, versionsPerPage } from '../../views/listing/versions.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { wantsPage } from '../problems.ts';
import { call, listingNamesOf, listingOf, ofListing, orRedirect, queryOf, readForm } from '../request.ts';
import { answerJson, answerPage, answerPageOnce, answerWithETag } from '../response.ts';
import { toPublisher } from './pages.ts';

const cacheControl = 'public, max-age=300';

const styleOf = (c: Request) => toBadgeStyle(c.req.query('style'));

function answerBadge(c: Request, badge: string, title: string, ending: string): Promise<Response> {
  const cachePolicy = { cacheTags: listingNamesOf(c) };
  if (ending === '.json') {
    const body = JSON.stringify(toShieldsEndpoint(badge));
    return answerWithETag(c, { type: 'application/json', body, cacheControl, cachePolicy });
  }
  c.header('Content-Security-Policy', badgePolicy);
  const body = toBadgeSvg(badge, styleOf(c), title);
  return answerWithETag(c, { type: 'image/svg+xml; charset=utf-8', body, cacheControl, cachePolicy });
}

const showBadge = async (c: Request) => {
  const { handle, ending } = await listingOf(c, ['.svg', '.json']);
  return orRedirect(c, handle, async () => {
    const listing = await getListing(handle, c.get('context'));
    const badge = c.req.query('show') === 'claim' ? toClaimBadge(listing) : toBadge(listing);
    return answerBadge(c, badge, listing.evidence_snapshot, ending);
  });
};

async function toStep(c: Request, handle: string) {
  const context = c.get('context');
  const listing = await getListing(handle, context);
  const { state, claim, origin_note } = listing;
  const optOuts = await readOptOuts(handle, context);
  const ways = await readWaysOfHolder(handle, context);
  const effects = new Map(ways.map(({ place, effect }) => [place.kind, effect]));
  return { handle, state, ways: ways.map(({ place }) => place), effects, optOuts, claim, origin_note };
}

const showSteps = (c: Request) =>
  ofListing(c, async (handle, context) => answerPage(c, toClaimPage(context, await toStep(c, handle))));

const atTheForm = [
  'invalid_input',
  'no_repository',
  'host_unsupported',
  'method_unsupported',
  'capability_invalid',
  'capability_revoked',
  'capability_lapsed',
  'rate_limited',
  'writing_blocked',
  'unavailable',
];

async function showProblem(c: Request, handle: string, problem: unknown, isOptOut: boolean) {
  if (!(problem instanceof Problem && atTheForm.includes(problem.code) && wantsPage(c))) throw problem;
  const shown = isOptOut ? { asked: { problem } } : { problem };
  return answerPageOnce(
    c,
    toClaimPage(c.get('context'), { ...(await toStep(c, handle)), ...shown }),
    problem,
  );
}

const toClaimInput = ({ challenge, rotate, method, signature }: Readonly<Record<string, string>>) => ({
  ...(challenge && { challenge }),
  ...(rotate && { rotate: true }),
  ...(method && { method: method as ClaimKind }),
  ...(signature && { signature: signature.replace(/\s+/g, '') }),
});

async function showWithdrawn(c: Request, handle: string): Promise<Response | undefined> {
  const context = c.get('context');
  const optOut = await readWithdrawing(handle, context);
  return optOut && answerPageOnce(c, toWithdrawnPage(context, optOut));
}

/** Counts as in the header. Throws if it cannot continue the claim. */
async function toFormCaller(handle: string, capability: string | undefined, context: Context) {
  if (capability === undefined) return context;
  const caller = withCaller(context, { ...context.caller, capability: capability.trim() });
  await requireContinuing(handle, caller);
  return caller;
}

async function answerStep(
  c: Request,
  handle: string,
  { capability, ...form }: Record<string, string>,
  isOptOut: boolean,
) {
  const caller = await toFormCaller(handle, capability, c.get('context'));
  const answer = await callTool(claimAgent, { handle, ...toClaimInput(form) }, caller);
  const step = await toStep(c, handle);
  const shown = isOptOut ? { asked: { answer } } : { checked: form.challenge, answer };
  return answerPageOnce(c, toClaimPage(caller, { ...step, ...shown }));
}

/** Nothing shows the secret again. */
const runStep = (c: Request) =>
  ofListing(c, async (handle) => {
    const form = await readForm(c, bodyBoundsOf(claimAgent).bytes);
    // The form asks for a check of an opt-out line.
    const isOptOut = form.optout !== undefined;
    try {
      return await answerStep(c, handle, form, isOptOut);
    } catch (problem) {
      const isGone = problem instanceof Problem && problem.code === 'listing_withdrawn';
      const withdrawn = isGone ? await showWithdrawn(c, handle) : undefined;
      return withdrawn ?? showProblem(c, handle, problem, isOptOut);
    }
  });

/** The page that it leads to says that a check is waiting. */
const askCheck = (c: Request) =>
  ofListing(c, async (handle, context) => {
    const { capability = '' } = await readForm(c, bodyBoundsOf(claimAgent).bytes);
    try {
      await askRun(await toFormCaller(handle, capability, context));
      return c.redirect(pagePath(handle), 303);
    } catch (problem) {
      return showProblem(c, handle, problem, false);
    }
  });

const showHistory = (c: Request, ending: string) =>
  ofListing(c, async (handle, context) => {
    const asked = queryOf(c, ['kind', 'since', 'until', 'cursor']);
    const page = await readHistoryPage(parseInput(getHistory, { handle, ...asked }), context);
    const cachePolicy = { cacheTags: [handle] };
    if (ending) return answerJson(c, page, cachePolicy);
    const isFirst = Object.keys(asked).length === 0;
    const overTime = isFirst ? await readOverTime(await readFacts(handle, context), context) : undefined;
    const listing = await getListing(handle, context);
    return answerPage(c, toHistoryPage(context, listing, { ...page, overTime }, asked), cachePolicy);
  });

const showTools = (c: Request, ending: string) =>
  ofListing(c, async (handle, context) => {
    const listed = await readListedTools(handle, context);
    const cachePolicy = { cacheTags: [handle] };
    return ending
      ? answerJson(c, listed, cachePolicy)
      : answerPage(c, toToolsPage(context, await getListing(handle, context), listed), cachePolicy);
  });

const markdownType = 'text/markdown; charset=utf-8';

async function answerListingPage(c: Request, listing: ListingDocument, overTime: OverTime) {
  const { handle, as_of } = listing;
  const context = c.get('context');
  if (as_of && !as_of.is_today)
    return answerPage(c, toPastPage(context, listing, overTime), { cacheTags: listingNamesOf(c) });
  const similar = await orEmpty(
    call(c, searchAgents, { similar_to: handle, limit: 5 }).then(({ listings }) => listings),
    context,
  );
  const { ratings } = listing.signals.native;
  const months = ratings >= monthsFrom ? await countMonths(handle, context) : [];
  const page = toListingPage(context, listing, {
    overTime,
    months,
    similar,
    ways: findMethods(listing, context),
  });
  return answerPage(c, page, { cacheTags: [...listingNamesOf(c), ...similar.map((one) => one.handle)] });
}

const showListing = async (c: Request) => {
  const { handle, ending } = await listingOf(c, ['.json', '.md', '.intoto.json']);
  return orRedirect(c, handle, async () => {
    const { as_of } = parseInput(getAgent, { handle, as_of: c.req.query('as_of') || undefined });
    const then = onDay(as_of, c.get('context'));
    const facts = await readFacts(handle, then);
    const listing = toReadDocument(facts, then);
    const cachePolicy = { cacheTags: listingNamesOf(c) };
    // Search engines index the page instead.
    if (ending) c.header('Link', `<${listing.links.page}>; rel="canonical"`);
    if (ending === '.intoto.json') {
      const { being_checked: _, ...stated } = listing;
      return answerJson(c, await toSignedStatement(stated, c.get('context')), cachePolicy);
    }
    if (ending === '.json') return answerJson(c, listing, cachePolicy);
    if (ending === '.md')
      return answerWithETag(c, {
        type: markdownType,
        body: toMarkdown(listing, c.get('context').config),
        cachePolicy,
      });
    return answerListingPage(c, listing, await readOverTime(facts, then));
  });
};

const showPart = (c: Request, toPart: (listing: ListingDocument, context: Context) => Promise<Html> | Html) =>
  ofListing(c, async (handle, context) => {
    const page = await toPart(await getListing(handle, context), context);
    return answerPage(c, page, { cacheTags: [handle] });
  });

const showVersions = (c: Request) =>
  showPart(c, async (listing, context) => {
    const page = /^[1-9]\d{0,3}$/.test(c.req.query('page') ?? '') ? Number(c.req.query('page')) : 1;
    const shown = await readVersionsPage(listing.handle, { page, perPage: versionsPerPage }, context);
    // Later pages have what the first page of the history is too short for.
    const facts = page === 1 ? await readFacts(listing.handle, context) : undefined;
    const read = facts && (await readEvents(facts, { kind: 'record', limit: historyPageSize }, context));
    return toVersionsPage(context, listing, shown, read?.events ?? []);
  });

const showRatings = (c: Request) =>
  showPart(c, async (listing, context) => {
    const { cursor, ...filter } = queryOf(c, ['outcome', 'group', 'proof_class', 'cursor']);
    const answer = await call(c, listRatings, { handle: listing.handle, cursor, ...filter });
    return toRatingsPage(context, listing, { answer, filter: filter as RatingFilter });
  });

async function showRefused(c: Request, handle: string, refused: RefusedResponse) {
  const context = c.get('context');
  const answer = await callTool(listRatings, { handle }, context);
  const page = toRatingsPage(context, await getListing(handle, context), { answer, filter: {}, refused });
  return answerPageOnce(c, page, refused.problem);
}

const takeResponse = (c: Request) =>
  ofListing(c, async (handle, context) => {
    const { capability = '', ...sent } = await readForm(c, bodyBoundsOf(respondToRating).bytes);
    const caller = withCaller(context, { ...context.caller, capability: capability.trim() });
    try {
      await requireRated(handle, sent.rating_id, context);
      const { rating_id } = await callTool(respondToRating, sent, caller);
      return c.redirect(`${pagePath(handle)}/ratings#${rating_id}`, 303);
    } catch (problem) {
      if (!(problem instanceof Problem && wantsPage(c))) throw problem;
      return showRefused(c, handle, { ...sent, problem });
    }
  });

const showBadgePage = (c: Request) =>
  showPart(c, (listing, context) => toBadgePage(context, listing, styleOf(c)));

const redirectEncoded = async (c: Request) => {
  const handle = c.req.param('handle') ?? '';
  if (await isNamespace(handle, c.get('context'))) return toPublisher(c, handle);
  return c.redirect(pagePath(requireHandle(handle)), 308);
};

export const listingRoutes = new Hono<HttpEnvironment>()
  .get('/agents/:namespace/:name', showListing)
  .get('/agents/:namespace/:name/ratings', showRatings)
  .post('/agents/:namespace/:name/ratings', takeResponse)
  .get('/agents/:namespace/:name/badge', showBadgePage)
  .get('/agents/:namespace/:name/versions', showVersions)
  .get('/agents/:handle', redirectEncoded)
  .get('/agents/:namespace/:name/claim', showSteps)
  .post('/agents/:namespace/:name/claim', runStep)
  .post('/agents/:namespace/:name/check', askCheck)
  .get('/agents/:namespace/:name/history', (c) => showHistory(c, ''))
  .get('/agents/:namespace/:name/history.json', (c) => showHistory(c, '.json'))
  .get('/agents/:namespace/:name/tools', (c) => showTools(c, ''))
  .get('/agents/:namespace/:name/tools.json', (c) => showTools(c, '.json'))
  .get('/badge/:namespace/:name', showBadge)
  .get('/badge/:handle', showBadge);
