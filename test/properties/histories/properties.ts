import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { isGone } from '../../../src/listings/listing.ts';
import { handleOf, type Name, names } from './registry.ts';
import type { Node } from './service.ts';
import type { World } from './world.ts';

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Where two values differ, and what they have there. */
function differences(one: unknown, other: unknown, path = ''): string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (!isObject(one) || !isObject(other))
    return [`${path}: ${JSON.stringify(one)} / ${JSON.stringify(other)}`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], `${path}.${key}`));
}

/** What follows other listings and imports within one import, and when the facts change next. */
const later = { publisherListings: 0, reading: 0, shared: 0, changesAt: 0 };

async function compareFacts({ context: { store, clock } }: Node, handle: string): Promise<string[]> {
  const now = clock().toISOString();
  const cached = await store.documents.facts(handle, now);
  const [fresh] = await store.documents.factsOfAll([handle], now);
  return differences(cached && { ...cached, ...later }, fresh && { ...fresh, ...later });
}

/** A JSON document as an object, so that a difference has a path; any other answer as its text. */
async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('application/json');
  return response.status === 200 && isJson ? JSON.parse(text) : { status: response.status, text };
}

/** The answers about a listing that a node has in memory, and those of the same node without any memory. */
async function compareAnswers({ url, fresh }: Node, handle: string): Promise<string[]> {
  const listed = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle }),
  };
  const asked: readonly (readonly [string, RequestInit?])[] = [
    [`/agents/${handle}.json`],
    [`/agents/${handle}.md`],
    [`/agents/${handle}/ratings`],
    [`/badge/${handle}`],
    ['/api/tools/list_ratings', listed],
  ];
  const found: string[] = [];
  for (const [path, request] of asked) {
    const cached = await readAnswer(await fetch(url + path, request));
    const now = await readAnswer(await fresh.request(path, request));
    found.push(...differences(cached, now, path));
  }
  return found;
}

/** Compares until nothing differs where the other node hears of changes a moment later. */
async function settle(world: World, node: Node, compare: () => Promise<string[]>): Promise<string[]> {
  if (node.context.store !== world.service.directory.store) {
    await expect.poll(compare).toEqual([]);
    return [];
  }
  return compare();
}

async function findCached(world: World, step: number): Promise<string[]> {
  const found: string[] = [];
  const asked = handleOf(names[step % names.length] as Name);
  for (const node of world.service.nodes) {
    for (const name of names) {
      const handle = handleOf(name);
      const differ = await settle(world, node, () => compareFacts(node, handle));
      found.push(...differ.map((text) => `cached facts of ${handle}${text}`));
    }
    const differ = await settle(world, node, () => compareAnswers(node, asked));
    found.push(...differ.map((text) => `cached answer ${text}`));
  }
  return found;
}

/** A claim in force has a listing that is shown and a capability that works, and the facets say so. */
async function findStates({ service }: World, name: Name): Promise<string[]> {
  const handle = handleOf(name);
  const { store, context } = service.directory;
  const [facts] = await store.documents.factsOfAll([handle], context.clock().toISOString());
  const listing = await store.listings.byHandle(handle);
  const capabilities = await store.claims.capabilities(handle);
  const isClaimed = facts?.claim?.state === 'claimed';
  const found: string[] = [];
  if (isClaimed !== capabilities.some(({ state }) => state === 'active'))
    found.push(`${handle} is ${facts?.claim?.state} and has ${capabilities.map(({ state }) => state)}`);
  if (isClaimed && (!listing || isGone(listing)))
    found.push(`${handle} is claimed and its listing is ${listing?.withdrawn}`);
  if (!listing || listing.withdrawn) return found;
  const state = `state:${facts?.claim?.state ?? 'imported'}`;
  const states = listing.facets.filter((facet) => facet.startsWith('state:'));
  if (!isDeepStrictEqual(states, [state])) found.push(`${handle} is ${state} and found by ${states}`);
  const isRated = (facts?.native.ratings ?? 0) > 0;
  if (listing.facets.includes('has:ratings') !== isRated)
    found.push(`${handle} has ${facts?.native.ratings} ratings and is ${isRated ? 'not ' : ''}found by them`);
  return found;
}

/** The search finds by their state the listings that are shown in it. */
async function findSearched(world: World): Promise<string[]> {
  const shown = await Promise.all(
    names.map(async (name) => {
      const response = await world.service.nodes[0].fresh.request(`/agents/${handleOf(name)}.json`);
      const { state } = (await response.json()) as { state?: string };
      return response.status === 200 && state === 'claimed' ? [handleOf(name)] : [];
    }),
  );
  const { body } = await world.post(0, '/api/tools/search_agents', { state: 'claimed', limit: 50 });
  const hits = (body.listings as { handle: string }[] | undefined) ?? [];
  return differences(hits.map(({ handle }) => handle).toSorted(), shown.flat().toSorted(), 'search');
}

/** What does not hold after a step, of all that holds after every step. */
export async function findBroken(world: World, step: number): Promise<string[]> {
  const audited = (await world.service.directory.audit()).map((fault) => `audit: ${fault}`);
  const states = await Promise.all(names.map((name) => findStates(world, name)));
  return [...audited, ...states.flat(), ...(await findSearched(world)), ...(await findCached(world, step))];
}
