import { Hono } from 'hono';
import { Problem } from '../../../problem.ts';
import { problemTable } from '../../../problem-table.ts';
import { getListing } from '../../../tools/get-agent.ts';
import {
  type Badge,
  toBadge,
  toBadgeStyle,
  toBadgeSvg,
  toClaimBadge,
  toShieldsEndpoint,
} from '../../../views/badge/badge.ts';
import type { HttpEnvironment, Request } from '../../environment.ts';
import { listingOf, namesOf, orRedirect } from '../../request/listing-path.ts';
import { answerWithETag } from '../../response/answers.ts';

const cacheControl = 'public, max-age=300';

const styleOf = (c: Request) => toBadgeStyle(c.req.query('style'));

function answerBadge(c: Request, badge: Badge, ending: string): Promise<Response> {
  const cachePolicy = { cacheTags: namesOf(c) };
  if (ending === '.json') {
    const body = JSON.stringify(toShieldsEndpoint(badge));
    return answerWithETag(c, { type: 'application/json', body, cacheControl, cachePolicy });
  }
  c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  const body = toBadgeSvg(badge, styleOf(c));
  return answerWithETag(c, { type: 'image/svg+xml; charset=utf-8', body, cacheControl, cachePolicy });
}

const noListing = ['unknown_handle', 'invalid_handle', 'listing_withdrawn'];

/** A badge image with the problem's title, because pages that embed it cannot show a problem document. */
function answerMissing(c: Request, error: unknown): Response {
  if (!(error instanceof Problem) || !noListing.includes(error.code)) throw error;
  c.status(error.status === 410 ? 410 : error.status === 404 ? 404 : 400);
  c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  const message = problemTable[error.code].title.toLowerCase();
  return c.body(toBadgeSvg({ label: 'evidence', message }, styleOf(c)), {
    headers: { 'Content-Type': 'image/svg+xml; charset=utf-8', 'Cache-Control': 'no-cache' },
  });
}

/** What `show` names: the claim; by default the evidence. */
const badgeOf = (c: Request) => (c.req.query('show') === 'claim' ? toClaimBadge : toBadge);

const showBadge = async (c: Request) => {
  const { handle, ending } = await listingOf(c, ['.svg', '.json']);
  const answer = orRedirect(c, handle, async () =>
    answerBadge(c, badgeOf(c)(await getListing(handle, c.get('context'))), ending),
  );
  return ending === '.json' ? answer : answer.catch((error: unknown) => answerMissing(c, error));
};

/** The badge of a listing: SVG in the style that `style` names, or `.json` for shields.io. */
export const createBadgeRoutes = () =>
  new Hono<HttpEnvironment>().get('/badge/:namespace/:name', (c) => showBadge(c));
