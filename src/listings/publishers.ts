import type { Context } from '../context.ts';
import { Problem } from '../core/problem.ts';
import type { Listing } from './listing.ts';

type Reads = Pick<Context, 'store'>;

/** A page of the visible listings of one namespace. */
interface PublisherPage {
  readonly namespace: string;
  readonly listings: readonly Listing[];
  /** Of all pages. */
  readonly total: number;
  /** The handle after which the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

const notFound = () => new Problem('not_found', { detail: 'No listing stored here has this namespace.' });

/** Whether a visible listing has this namespace, in exactly this case. */
export const isNamespace = async (text: string, { store }: Reads): Promise<boolean> =>
  (await store.listings.publisherListings(text)) > 0;

/** Throws not_found unless a visible listing has this namespace. */
export async function requireNamespace(text: string, reads: Reads): Promise<void> {
  if (!(await isNamespace(text, reads))) throw notFound();
}

const perPage = 50;

/** Listings of a namespace in the order of their handles, after one of them. Throws not_found if none follows. */
export async function readPublisher(
  namespace: string,
  after: string,
  { store: { listings } }: Reads,
): Promise<PublisherPage> {
  const start = `${namespace}/`;
  const rows = await listings.page(after.startsWith(start) ? after : start, perPage + 1);
  const handles = rows.map(({ handle }) => handle).filter((handle) => handle.startsWith(start));
  const shown = handles.slice(0, perPage);
  if (shown.length === 0) throw notFound();
  const found = new Map((await listings.byHandles(shown)).map((listing) => [listing.handle, listing]));
  return {
    namespace,
    listings: shown.flatMap((handle) => found.get(handle) ?? []),
    total: await listings.publisherListings(namespace),
    next: handles.length > perPage ? shown.at(-1) : undefined,
  };
}

/** How many listings are visible. */
export const countListings = ({ store }: Reads): Promise<number> => store.listings.count();

const perRead = 1000;

/** All visible listings after a handle, in the order of their handles: pages of a handle and its last update each. */
export async function* pagesAfter(after: string, { store: { listings } }: Reads) {
  for (let position = after; ; ) {
    const rows = await listings.page(position, perRead);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < perRead) return;
    position = last.handle;
  }
}
