import { Hono } from 'hono';
import { criteria } from '../../evidence/comparison/criteria.ts';
import { isHandle } from '../../evidence/handle.ts';
import { Problem } from '../../problem.ts';
import { compareAgents } from '../../tools/compare-agents.ts';
import { getListing } from '../../tools/get-agent.ts';
import { searchAgents } from '../../tools/search-agents.ts';
import { isListed } from '../../tools/support/find-listing.ts';
import {
  defaultPicks,
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

const maxFound = 8;

/** A criterion as the tool takes it. A value that should be a number and is not stays text: the tool refuses it. */
function toCriterionInput({ criterion, value }: PickedCriterion): object {
  if (value === undefined) return { criterion };
  const isNumber = criteria[criterion].takes.kind === 'number' && /^\d{1,9}$/.test(value);
  return { criterion, value: isNumber ? Number(value) : value };
}

const toInput = ({ handles, criteria: picked }: Picks) => ({
  handles,
  criteria: picked.map(toCriterionInput),
});

/** The picks with the typed handle added if it is listed, and with default criteria once there are two listings. */
async function complete(c: Request, { handles, criteria: picked, add }: Picks): Promise<Picks> {
  const isAdded = add !== '' && (await isListed(add, c.get('context')));
  const all = isAdded ? [...new Set([...handles, add])] : handles;
  const criteriaUsed = picked.length === 0 && all.length > 1 ? defaultPicks : picked;
  return { handles: all, criteria: criteriaUsed, add: isAdded ? '' : add };
}

const findToAdd = async (c: Request, add: string) =>
  (await call(c, searchAgents, { query: add, limit: maxFound })).listings;

async function compare(c: Request, picks: Picks): Promise<ComparePage> {
  const found = picks.add ? { found: await findToAdd(c, picks.add) } : {};
  if (picks.handles.length < 2) return { picks, ...found };
  const input = toInput(picks);
  const comparison = await call(c, compareAgents, input);
  const known = comparison.listings.filter(({ problem }) => !problem);
  const documents = await Promise.all(known.map(({ handle }) => getListing(handle, c.get('context'))));
  // What is no handle stands on the page as a problem, and is nothing to send again.
  const sent = { ...input, handles: input.handles.filter(isHandle) };
  return { picks, ...found, input: sent, comparison, documents };
}

/** The page of a comparison. Each comparison has one canonical address; equivalent addresses redirect to it. */
async function showCompare(c: Request, { site }: Face): Promise<Response> {
  const address = new URL(c.req.url).searchParams;
  const picks = await complete(c, readPicks(address));
  if (toQuery(picks) !== address.toString()) return c.redirect(toPath(picks), 302);
  try {
    return answerPage(c, toComparePage(site, await compare(c, picks)));
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'invalid_input') throw problem;
    return c.html(String(toComparePage(site, { picks, problem })), 422, { 'Cache-Control': 'no-store' });
  }
}

/** The comparison page: compare_agents, with search_agents to find listings to add. */
export const createCompareRoutes = (face: Face) =>
  new Hono<HttpEnvironment>().get('/compare', (c) => showCompare(c, face));
