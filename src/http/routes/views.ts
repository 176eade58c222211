import { Hono } from 'hono';
import { keyOf, type Selection } from '../../config/files.ts';
import { readLimit, toPage } from '../../document/registry/entries.ts';
import { isBrokenPin } from '../../selections/approvals.ts';
import { type SelectionMember, toSelectionEntries } from '../../selections/entries.ts';
import { findMember, isJudgedWhenRead, readMembers, requireJudged } from '../../selections/members.ts';
import { leftOutOf } from '../../views/connections.ts';
import {
  toManagedSettings,
  toMcpJson,
  toStartable,
  toViewPage,
  toViewsPage,
} from '../../views/selection-pages.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { createRegistryRoutes } from '../registry-api.ts';
import { cursorOf, positionOf, viewOf } from '../request.ts';
import { answerJson, answerJsonText, answerPage } from '../response.ts';

/** MCP clients read a policy in one request. */
const mostInPolicy = 1000;

/** Stale once a listing joins or leaves, or a shown or approved one changes. */
const cachePolicyOf = (view: Selection, members: readonly SelectionMember[]) => ({
  cacheTags: [
    keyOf(view),
    ...[...members.map(({ listing }) => listing), ...(view.approvals ?? [])].map(({ handle }) => handle),
  ],
});

async function showView(c: Request): Promise<Response> {
  const view = viewOf(c);
  const context = c.get('context');
  const page = { after: positionOf(c.req.query('cursor')), limit: 50 };
  const { next, ...read } = await readMembers(view, page, context);
  const passed_at = isJudgedWhenRead(view) ? undefined : (await requireJudged(view, context)).passed_at;
  const path = next && `/views/${view.name}?cursor=${cursorOf(next)}`;
  const shown = { view, ...read, passed_at, leftOut: Math.max(0, read.count - mostInPolicy), next: path };
  return answerPage(c, toViewPage(context, shown), cachePolicyOf(view, read.members));
}

/** A listing that differs from what was approved is only on the page, with a mark. */
const isAsApproved = ({ answers }: SelectionMember) => !answers.some(isBrokenPin);

async function showPolicy(c: Request, toPolicy: typeof toManagedSettings | typeof toMcpJson) {
  const view = viewOf(c);
  const { members, count, lapsed } = await readMembers(view, { limit: mostInPolicy }, c.get('context'));
  if (count > mostInPolicy) c.header('Dossier-Left-Out', String(count - mostInPolicy));
  const allowed = members.filter(isAsApproved);
  const omitted = view.approvals ? lapsed.length + members.length - allowed.length : 0;
  if (omitted > 0) c.header('Dossier-Lapsed', String(omitted));
  const servers = allowed.map((member) => toStartable(view, member));
  const omittedParts = servers.flatMap(leftOutOf).length;
  if (omittedParts > 0) c.header('Dossier-Left-Out-Parts', String(omittedParts));
  return answerJson(c, toPolicy(servers), cachePolicyOf(view, members));
}

async function listViewEntries(c: Request): Promise<Response> {
  const view = viewOf(c);
  const limit = readLimit(c.req.query());
  const page = await readMembers(view, { after: positionOf(c.req.query('cursor')), limit }, c.get('context'));
  const servers = await toSelectionEntries(page.members.filter(isAsApproved), c.get('context'));
  return answerJsonText(c, toPage(servers, cursorOf(page.next)), cachePolicyOf(view, page.members));
}

async function findApproved(c: Request, view: Selection): Promise<SelectionMember | undefined> {
  const member = await findMember(view, c.req.param('name') ?? '', c.get('context'));
  return member && isAsApproved(member) ? member : undefined;
}

const notInView = (c: Request) => c.json({ error: 'Server not found in this view' }, 404);

async function showViewVersions(c: Request): Promise<Response> {
  const view = viewOf(c);
  const member = await findApproved(c, view);
  const servers = member ? await toSelectionEntries([member], c.get('context')) : [];
  if (!member || servers.length === 0) return notInView(c);
  return answerJsonText(c, toPage(servers), cachePolicyOf(view, [member]));
}

async function showViewEntry(c: Request): Promise<Response> {
  const view = viewOf(c);
  const member = await findApproved(c, view);
  const { version = 'latest' } = c.req.param() as { version?: string };
  const isShown = member && (version === 'latest' || version === member.listing.version);
  const [entry] = isShown ? await toSelectionEntries([member], c.get('context')) : [];
  return member && entry ? answerJsonText(c, entry, cachePolicyOf(view, [member])) : notInView(c);
}

/** docs/registry.md */
export const viewRoutes = new Hono<HttpEnvironment>()
  .get('/views', (c) => answerPage(c, toViewsPage(c.get('context')), { cacheTags: [] }))
  .get('/views/:view', showView)
  .get('/views/:view/managed-settings.json', (c) => showPolicy(c, toManagedSettings))
  .get('/views/:view/.mcp.json', (c) => showPolicy(c, toMcpJson))
  .route('/', createRegistryRoutes('/views/:view', listViewEntries, showViewVersions, showViewEntry));
