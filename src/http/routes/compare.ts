import { Hono } from 'hono';
import { criteria } from '../../evidence/comparison/criteria.ts';
import { isHandle } from '../../evidence/handle.ts';
import { Problem } from '../../problem.ts';
import { compareAgents } from '../../tools/compare-agents.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import {
  firstCriteria,
  type PickedCriterion,
  type Picks,
  readPicks,
  toPath,
  toQuery,
} from '../../views/compare/compare-address.ts';
import { type ComparePage, toComparePage } from '../../views/compare/compare-page.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import { answerPage } from '../response/answers.ts';

const mostFound = 8;

/** A criterion as the tool takes it; a value that is no number stays as it was written, for the tool to refuse. */
function toAsked({ criterion, value }: PickedCriterion): object {
  if (value === undefined) return { criterion };
  const isNumber = criteria[criterion].takes.kind === 'number' && /^\d{1,9}$/.test(value);
  return { criterion, value: isNumber ? Number(value) : value };
}

const toInput = ({ handles, criteria: picked }: Picks) => ({ handles, criteria: picked.map(toAsked) });

/** What was typed under "add" is the handle of a listing that can be compared. */
async function isListed(c: Request, handle: string): Promise<boolean> {
  const row = isHandle(handle) ? await c.get('context').store.listings.row(handle) : undefined;
  return row !== undefined && !row.withdrawn;
}

/** Picks with the typed handle among them, and with criteria as soon as there is something to compare. */
async function settle(c: Request, { handles, criteria: picked, add }: Picks): Promise<Picks> {
  const isAdded = add !== '' && (await isListed(c, add));
  const all = isAdded ? [...new Set([...handles, add])] : handles;
  const asked = picked.length === 0 && all.length > 1 ? firstCriteria : picked;
  return { handles: all, criteria: asked, add: isAdded ? '' : add };
}

const findToAdd = async (c: Request, add: string) =>
  (await call(c, searchAgents, { query: add, limit: mostFound })).listings;

async function compare(c: Request, picks: Picks): Promise<ComparePage> {
  const found = picks.add ? { found: await findToAdd(c, picks.add) } : {};
  if (picks.handles.length < 2) return { picks, ...found };
  const input = toInput(picks);
  return { picks, ...found, input, comparison: await call(c, compareAgents, input) };
}

/** The page of a comparison. One comparison has one address: any other that means the same leads to it. */
async function showCompare(c: Request, { site }: Face): Promise<Response> {
  const address = new URL(c.req.url).searchParams;
  const picks = await settle(c, readPicks(address));
  if (toQuery(picks) !== address.toString()) return c.redirect(toPath(picks), 302);
  try {
    return answerPage(c, toComparePage(site, await compare(c, picks)));
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'invalid_input') throw problem;
    return c.html(String(toComparePage(site, { picks, problem })), 422, { 'Cache-Control': 'no-store' });
  }
}

/** Listings side by side: the same handler as compare_agents, as a page. */
export const createCompareRoutes = (face: Face) =>
  new Hono<HttpEnvironment>().get('/compare', (c) => showCompare(c, face));
