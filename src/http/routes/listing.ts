import { Hono } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import { requireContinuing } from '../../claims/authenticate.ts';
import type { ClaimKind } from '../../claims/claim.ts';
import { findMethods } from '../../claims/locations.ts';
import { readClaimState, readWithdrawing } from '../../claims/read-standing.ts';
import { type Context, withCaller } from '../../context.ts';
import { requireHandle } from '../../core/handle.ts';
import { Problem } from '../../core/problem.ts';
import { toMarkdown } from '../../document/answers/markdown.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import { toSignedStatement } from '../../document/registry/statement.ts';
import { isNamespace } from '../../listings/publishers.ts';
import { readVersionsPage } from '../../listings/versions.ts';
import { monthsFrom, type RatingFilter } from '../../ratings/rating.ts';
import { claimAgent } from '../../tools/claim-agent.ts';
import { getListing, readListedTools, readListing } from '../../tools/find/document.ts';
import { orEmpty } from '../../tools/find/listing.ts';
import { onDay } from '../../tools/find/on-day.ts';
import { getAgent } from '../../tools/get-agent.ts';
import { getHistory, readHistoryPage } from '../../tools/get-history.ts';
import { countMonths, listRatings } from '../../tools/list-ratings.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import { bodyBoundsOf, callTool, parseInput } from '../../tools/tool.ts';
import { toWithdrawnPage } from '../../views/claim/opt-out.ts';
import { toClaimPage } from '../../views/claim/page.ts';
import { type Html, pagePath } from '../../views/html.ts';
import {
  badgePolicy,
  toBadge,
  toBadgePage,
  toBadgeStyle,
  toBadgeSvg,
  toClaimBadge,
  toShieldsEndpoint,
} from '../../views/listing/badge.ts';
import { toHistoryPage, toToolsPage } from '../../views/listing/history.ts';
import { toListingPage, toPastPage } from '../../views/listing/page.ts';
import { toRatingsPage } from '../../views/listing/ratings.ts';
import { toVersionsPage, versionsPerPage } from '../../views/listing/versions.ts';
import { call, type HttpAdapter, type HttpEnvironment, type Request } from '../call.ts';
import { wantsPage } from '../problems.ts';
import { listingNamesOf, listingOf, ofListing, orRedirect, readForm } from '../request.ts';
import { answerJson, answerPage, answerWithETag, toWaitHeaders } from '../response.ts';
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
  const { claim, origin_note } = listing;
  const ways = findMethods(listing, context);
  return { handle, ways, ...(await readClaimState(handle, context)), claim, origin_note };
}

const showSteps = (c: Request, { site }: HttpAdapter) =>
  ofListing(c, async (handle) => answerPage(c, toClaimPage(site, await toStep(c, handle))));

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

async function showProblem(
  c: Request,
  handle: string,
  problem: unknown,
  { adapter, isOptOut }: ListingPageRequest,
) {
  if (!(problem instanceof Problem && atTheForm.includes(problem.code) && wantsPage(c))) throw problem;
  c.status(problem.status as StatusCode);
  const headers = { 'Cache-Control': 'no-store', ...toWaitHeaders(problem.facts) };
  const shown = isOptOut ? { asked: { problem } } : { problem };
  return c.html(String(toClaimPage(adapter.site, { ...(await toStep(c, handle)), ...shown })), { headers });
}

const toClaimInput = ({ challenge, rotate, method, signature }: Readonly<Record<string, string>>) => ({
  ...(challenge && { challenge }),
  ...(rotate && { rotate: true }),
  ...(method && { method: method as ClaimKind }),
  ...(signature && { signature: signature.replace(/\s+/g, '') }),
});

interface ListingPageRequest {
  readonly adapter: HttpAdapter;
  /** The form asks for a check of an opt-out line. */
  readonly isOptOut: boolean;
}

async function showWithdrawn(
  c: Request,
  handle: string,
  { site }: HttpAdapter,
): Promise<Response | undefined> {
  const optOut = await readWithdrawing(handle, c.get('context'));
  return optOut && c.html(String(toWithdrawnPage(site, optOut)), 200, { 'Cache-Control': 'no-store' });
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
  { adapter, isOptOut }: ListingPageRequest,
) {
  const caller = await toFormCaller(handle, capability, c.get('context'));
  const answer = await callTool(claimAgent, { handle, ...toClaimInput(form) }, caller);
  const step = await toStep(c, handle);
  const isCosigned = capability !== undefined;
  const shown = isOptOut ? { asked: { answer } } : { checked: form.challenge, answer, isCosigned };
  return c.html(String(toClaimPage(adapter.site, { ...step, ...shown })), 200, {
    'Cache-Control': 'no-store',
  });
}

/** Nothing shows the secret again. */
const runStep = (c: Request, adapter: HttpAdapter) =>
  ofListing(c, async (handle) => {
    const form = await readForm(c, bodyBoundsOf(claimAgent).bytes, adapter.site.config.publicUrl);
    const asking = { adapter, isOptOut: form.optout !== undefined };
    try {
      return await answerStep(c, handle, form, asking);
    } catch (problem) {
      const isGone = problem instanceof Problem && problem.code === 'listing_withdrawn';
      const withdrawn = isGone ? await showWithdrawn(c, handle, adapter) : undefined;
      return withdrawn ?? showProblem(c, handle, problem, asking);
    }
  });

const showHistory = (c: Request, { site }: HttpAdapter, ending: string) =>
  ofListing(c, async (handle, context) => {
    const { kind = '', since = '', until = '', cursor = '' } = c.req.query();
    const asked = Object.fromEntries(
      Object.entries({ kind, since, until, cursor }).filter(([, value]) => value),
    );
    const page = await readHistoryPage(parseInput(getHistory, { handle, ...asked }), context);
    const cachePolicy = { cacheTags: [handle] };
    if (ending) return answerJson(c, page, cachePolicy);
    return answerPage(c, toHistoryPage(site, await getListing(handle, context), page, asked), cachePolicy);
  });

const showTools = (c: Request, { site }: HttpAdapter, ending: string) =>
  ofListing(c, async (handle, context) => {
    const listed = await readListedTools(handle, context);
    const cachePolicy = { cacheTags: [handle] };
    return ending
      ? answerJson(c, listed, cachePolicy)
      : answerPage(c, toToolsPage(site, await getListing(handle, context), listed), cachePolicy);
  });

const markdownType = 'text/markdown; charset=utf-8';

async function answerListingPage(c: Request, { site }: HttpAdapter, listing: ListingDocument) {
  const { handle, as_of } = listing;
  const context = c.get('context');
  if (as_of && !as_of.is_today)
    return answerPage(c, toPastPage(site, listing), { cacheTags: listingNamesOf(c) });
  const similar = await orEmpty(
    call(c, searchAgents, { similar_to: handle, limit: 5 }).then(({ listings }) => listings),
    context,
  );
  const { ratings } = listing.signals.native;
  const months = ratings >= monthsFrom ? await countMonths(handle, context) : [];
  const page = toListingPage(site, listing, { months, similar, ways: findMethods(listing, context) });
  return answerPage(c, page, { cacheTags: [...listingNamesOf(c), ...similar.map((one) => one.handle)] });
}

const showListing = async (c: Request, adapter: HttpAdapter) => {
  const { handle, ending } = await listingOf(c, ['.json', '.md', '.intoto.json']);
  return orRedirect(c, handle, async () => {
    const { as_of } = parseInput(getAgent, { handle, as_of: c.req.query('as_of') || undefined });
    const listing = await readListing(handle, onDay(as_of, c.get('context')));
    const cachePolicy = { cacheTags: listingNamesOf(c) };
    // Search engines index the page instead.
    if (ending) c.header('Link', `<${listing.links.page}>; rel="canonical"`);
    if (ending === '.intoto.json') {
      const { being_checked: _, ...stated } = listing;
      return answerJson(c, await toSignedStatement(stated, c.get('context')), cachePolicy);
    }
    if (ending === '.json') return answerJson(c, listing, cachePolicy);
    if (ending === '.md')
      return answerWithETag(c, { type: markdownType, body: toMarkdown(listing), cachePolicy });
    return answerListingPage(c, adapter, listing);
  });
};

const showPart = (c: Request, toPart: (listing: ListingDocument, context: Context) => Promise<Html> | Html) =>
  ofListing(c, async (handle, context) => {
    const page = await toPart(await getListing(handle, context), context);
    return answerPage(c, page, { cacheTags: [handle] });
  });

const showVersions = (c: Request, { site }: HttpAdapter) =>
  showPart(c, async (listing, context) => {
    const page = /^[1-9]\d{0,3}$/.test(c.req.query('page') ?? '') ? Number(c.req.query('page')) : 1;
    const shown = await readVersionsPage(listing.handle, { page, perPage: versionsPerPage }, context);
    return toVersionsPage(site, listing, shown);
  });

const showRatings = (c: Request, { site }: HttpAdapter) =>
  showPart(c, async (listing) => {
    const { outcome, group, proof_class, cursor } = c.req.query();
    const parameters = Object.entries({ outcome, group, proof_class, cursor }).filter(([, value]) => value);
    const asked = { handle: listing.handle, ...Object.fromEntries(parameters) };
    const filter = Object.fromEntries(parameters.filter(([name]) => name !== 'cursor')) as RatingFilter;
    return toRatingsPage(site, listing, { answer: await call(c, listRatings, asked), filter });
  });

const showBadgePage = (c: Request, { site }: HttpAdapter) =>
  showPart(c, (listing) => toBadgePage(site, listing, styleOf(c)));

const redirectEncoded = async (c: Request, { context }: HttpAdapter) => {
  const handle = c.req.param('handle') ?? '';
  if (await isNamespace(handle, context)) return toPublisher(c, handle);
  return c.redirect(pagePath(requireHandle(handle)), 308);
};

export const createListingRoutes = (adapter: HttpAdapter) =>
  new Hono<HttpEnvironment>()
    .get('/agents/:namespace/:name', (c) => showListing(c, adapter))
    .get('/agents/:namespace/:name/ratings', (c) => showRatings(c, adapter))
    .get('/agents/:namespace/:name/badge', (c) => showBadgePage(c, adapter))
    .get('/agents/:namespace/:name/versions', (c) => showVersions(c, adapter))
    .get('/agents/:handle', (c) => redirectEncoded(c, adapter))
    .get('/agents/:namespace/:name/claim', (c) => showSteps(c, adapter))
    .post('/agents/:namespace/:name/claim', (c) => runStep(c, adapter))
    .get('/agents/:namespace/:name/history', (c) => showHistory(c, adapter, ''))
    .get('/agents/:namespace/:name/history.json', (c) => showHistory(c, adapter, '.json'))
    .get('/agents/:namespace/:name/tools', (c) => showTools(c, adapter, ''))
    .get('/agents/:namespace/:name/tools.json', (c) => showTools(c, adapter, '.json'))
    .get('/badge/:namespace/:name', showBadge)
    .get('/badge/:handle', showBadge);
