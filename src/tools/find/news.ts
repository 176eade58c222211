import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { day_ms, dayText } from '../../core/text.ts';
import { withEvents } from '../../document/answers/history-events.ts';
import { readExampleHandles } from '../../listings/publishers.ts';
import { type Change, type ChangeType, changeTypes } from '../../log/change.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import type { Question } from '../../observations/known/observation.ts';
import { getListing } from './listing.ts';

const mostRead = 500;
const notable: ReadonlySet<ChangeType> = new Set([
  'listing.withdrawn',
  'claim.activated',
  'claim.suspended',
  'rating.submitted',
  'rating.amended',
  'rating.withdrawn',
]);
const notableQuestions: ReadonlySet<Question | undefined> = new Set(['price', 'tools', 'access']);

function isNotable({ type, data: { fields, kinds, moved, malware } }: Change): boolean {
  if (type === 'listing.changed')
    return moved !== undefined || (Array.isArray(fields) && fields.includes('repository'));
  if (type === 'observation.changed')
    return (
      malware === true ||
      (Array.isArray(kinds) && kinds.some((kind) => notableQuestions.has(kindOf(String(kind))?.question)))
    );
  return notable.has(type);
}

async function readNotable({ store }: Context) {
  const read = await store.changes.newest(mostRead);
  const changes = read.filter(isNotable);
  const found = await store.listings.byHandles([...new Set(changes.map(({ handle }) => handle))]);
  const listed = new Set(found.filter(({ withdrawn }) => !withdrawn).map(({ handle }) => handle));
  const shown = changes.filter(({ handle, type }) => listed.has(handle) || type === 'listing.withdrawn');
  return { changes: shown, since: read.length < mostRead ? '' : read.at(-1)?.at };
}

const mostListings = 8;
const mostWithMalware = 3;

const mostOfListing = 3;

/** The newest day first, and of each day the weightiest. */
const order = (a: Change, b: Change) =>
  dayText(b.at).localeCompare(dayText(a.at)) || changeTypes.indexOf(a.type) - changeTypes.indexOf(b.type);

const byListing = (changes: readonly Change[]) => [...Map.groupBy(changes, ({ handle }) => handle)];

const readOf = (changes: readonly Change[], context: Context) =>
  Promise.all(
    byListing(changes)
      .slice(0, mostListings)
      .map(async ([handle, all]) => ({
        handle,
        told: await withEvents(all.toSorted(order).slice(0, mostOfListing), context),
        more: Math.max(0, all.length - mostOfListing),
      })),
  );

export type NewsOf = Awaited<ReturnType<typeof readOf>>[number];

const ofService = ({ type }: Change) => type.startsWith('observation.') || type.startsWith('listing.');

/** Undefined if it was withdrawn meanwhile. */
const readShown = (handle: string, context: Context) =>
  getListing(handle, context).catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });

async function readFirst(handles: readonly string[], context: Context) {
  for (const handle of handles) {
    const listing = await readShown(handle, context);
    if (listing) return listing;
  }
  return undefined;
}

async function readWithMalware(context: Context) {
  const query = { facets: ['told:malware' as const], sort: 'updated' as const, after: undefined };
  const found = await context.store.listings.list({ ...query, limit: mostWithMalware });
  const read = await Promise.all(found.map(({ handle }) => readShown(handle, context)));
  return read.filter((listing) => listing !== undefined);
}

export type News = Awaited<ReturnType<typeof readNews>>;

/** What the home page shows: each listing as it is now. */
export async function readNews(context: Context) {
  const { store, clock } = context;
  const { changes, since } = await readNotable(context);
  const ago = (time_ms: number) => new Date(clock().getTime() - time_ms).toISOString();
  const weekAgo = ago(7 * day_ms);
  const services = changes.filter(ofService);
  const others = changes.filter((one) => !ofService(one));
  const changed = await readOf(services, context);
  const withMalware = await readWithMalware(context);
  const [documented = ''] = (await readExampleHandles(context)).values();
  const told = new Map((await store.listings.facetCounts('told')).map((one) => [one.facet, one.listings]));
  return {
    changed,
    withMalware,
    others: await readOf(others, context),
    /** One listing as an example; undefined if none is listed. */
    shown: await readFirst(
      [...[...changed, ...withMalware].map(({ handle }) => handle), documented],
      context,
    ),
    /** Listings. */
    counts: {
      checked: await store.observations.count(ago(day_ms)),
      payment: told.get('told:payment') ?? 0,
      malware: told.get('told:malware') ?? 0,
      changed: byListing(services.filter(({ at }) => at >= weekAgo)).length,
      hasMoreChanged: since !== undefined && since > weekAgo,
    },
  };
}
