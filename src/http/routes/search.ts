import { Hono } from 'hono';
import { isHandle } from '../../core/handle.ts';
import { ownMember } from '../../core/json.ts';
import { payeePath, readPayeeOrPage } from '../../core/payee.ts';
import { Problem } from '../../core/problem.ts';
import { criteria } from '../../document/criteria/criteria.ts';
import { compareAgents, compareAll } from '../../tools/compare-agents.ts';
import { isListed } from '../../tools/find/listing.ts';
import { fixedFilterNames, fixedFilters, textFilterNames } from '../../tools/find/meant-filters.ts';
import { searchAgents, searchListings } from '../../tools/search-agents.ts';
import { callToolAs } from '../../tools/tool.ts';
import {
  type ComparePage,
  defaultPicks,
  type Picks,
  readPicks,
  toComparePage,
  toPath,
  toQuery,
} from '../../views/compare/page.ts';
import type { SearchAnswer } from '../../views/search/form.ts';
import { maxShown, pageSize, toSearchPage, toWrongSearchPage } from '../../views/search/page.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { wantsPage } from '../problems.ts';
import { call } from '../request.ts';
import { answerPage, answerPageOnce } from '../response.ts';

/** Of search_agents. */
const maxPerCall = 50;

function toSearchInput(address: URLSearchParams): Record<string, unknown> {
  const tags = address.getAll('tag');
  const plain = textFilterNames.flatMap((name) => (address.get(name) ? [[name, address.get(name)]] : []));
  const asked = fixedFilterNames
    .filter((name) => address.get(name) === String(fixedFilters[name].value))
    .map((name) => [name, fixedFilters[name].value]);
  return {
    ...(address.get('q') && { query: address.get('q') }),
    ...(tags.length > 0 && { tags }),
    ...Object.fromEntries([...plain, ...asked]),
    facets: true as const,
  };
}

const textNames: ReadonlySet<string> = new Set(['q', 'tag', ...textFilterNames]);

function isSearchField(name: string, value: string): boolean {
  if (name === 'handle') return isHandle(value);
  if (name === 'from' || name === 'shown') return /^[1-9]\d{0,6}$/.test(value);
  const flag = ownMember(fixedFilters, name);
  return flag === undefined ? textNames.has(name) && value !== '' : value === String(flag.value);
}

/** One more than a search accepts, to show its error. */
const maxTags = 6;
/** One more than a comparison takes, to show its error. */
const maxHandles = 9;
const most: Readonly<Record<string, number>> = { tag: maxTags, handle: maxHandles };

/** The tool's name `query` becomes `q`. */
function toSearchAddress(address: URLSearchParams): URLSearchParams {
  const known = new URLSearchParams();
  for (const [given, value] of address) {
    const name = given === 'query' ? 'q' : given;
    if (!isSearchField(name, value) || known.has(name, value)) continue;
    if (known.getAll(name).length === ownMember(most, name)) continue;
    if (ownMember(most, name)) known.append(name, value);
    else known.set(name, value);
  }
  return known;
}

async function search(c: Request, address: URLSearchParams) {
  const input = toSearchInput(address);
  const shown = Math.min(Number(address.get('shown') ?? pageSize), maxShown);
  const sent = { ...input, limit: Math.min(shown, maxPerCall) };
  const { named, ...answer } = await callToolAs(searchAgents, sent, c.get('context'), searchListings);
  let { next_cursor, ...found }: SearchAnswer = answer;
  while (next_cursor && found.listings.length < shown) {
    const limit = Math.min(shown - found.listings.length, maxPerCall);
    const next = await call(c, searchAgents, { ...input, cursor: next_cursor, limit });
    found = { ...found, listings: [...found.listings, ...next.listings] };
    next_cursor = next.next_cursor;
  }
  return { answer: { ...found, next_cursor }, named };
}

const showSearch = async (c: Request) => {
  const context = c.get('context');
  const address = toSearchAddress(new URL(c.req.url).searchParams);
  try {
    const query = address.has('cursor') ? '' : (address.get('q') ?? '');
    const { answer, named } = await search(c, address);
    const payee = readPayeeOrPage(query.trim(), context.config.publicUrl);
    const paid = named?.found && payee && payeePath(payee);
    const page = toSearchPage(context, { answer, address, named, payee: paid });
    return answerPage(c, page, { cacheTags: 'all' });
  } catch (problem) {
    const isWrong = problem instanceof Problem && problem.code === 'invalid_input' && wantsPage(c);
    if (!isWrong) throw problem;
    return answerPageOnce(c, toWrongSearchPage(context, address, problem), problem);
  }
};

/** What should be a number but is not stays a text, so that the tool refuses it. */
function toCriterionInput({ criterion, value }: Picks['criteria'][number]): object {
  if (value === undefined) return { criterion };
  const isNumber = criteria[criterion].takes.kind === 'number' && /^\d{1,9}$/.test(value);
  return { criterion, value: isNumber ? Number(value) : value };
}

async function complete(c: Request, { handles, criteria: picked, add, ...day }: Picks): Promise<Picks> {
  const isAdded = add !== '' && (await isListed(add, c.get('context')));
  const all = isAdded ? [...new Set([...handles, add])] : handles;
  const criteriaUsed = picked.length === 0 && all.length > 1 ? defaultPicks : picked;
  return { handles: all, criteria: criteriaUsed, add: isAdded ? '' : add, ...day };
}

async function comparePicks(c: Request, picks: Picks): Promise<ComparePage> {
  const toAdd = picks.add ? await call(c, searchAgents, { query: picks.add, limit: 8 }) : undefined;
  const found = toAdd && { found: toAdd.listings };
  if (picks.handles.length < 2) return { picks, ...found };
  const { as_of } = picks;
  const input = {
    handles: picks.handles,
    criteria: picks.criteria.map(toCriterionInput),
    ...(as_of && { as_of }),
  };
  const comparison = await callToolAs(compareAgents, input, c.get('context'), compareAll);
  // The example of a call leaves out what is not a handle, for which the page shows a problem.
  const sent = { ...input, handles: input.handles.filter(isHandle) };
  return { picks, ...found, input: sent, comparison };
}

/** Equivalent addresses redirect to one. */
async function showCompare(c: Request): Promise<Response> {
  const address = new URL(c.req.url).searchParams;
  const picks = await complete(c, readPicks(address));
  if (toQuery(picks) !== address.toString()) return c.redirect(toPath(picks), 302);
  try {
    return answerPage(c, toComparePage(c.get('context'), await comparePicks(c, picks)));
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'invalid_input') throw problem;
    return answerPageOnce(c, toComparePage(c.get('context'), { picks, problem }), problem);
  }
}

export const searchRoutes = new Hono<HttpEnvironment>()
  .get('/agents', showSearch)
  .get('/compare', showCompare);
