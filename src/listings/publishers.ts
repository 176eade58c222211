import type { Context } from '../context.ts';
import { isHandle } from '../core/handle.ts';
import { namespaceMatchesRepositoryOwner } from '../core/identity.ts';
import { readPages } from '../core/paging/pages.ts';
import { Problem } from '../core/problem.ts';

type PublisherContext = Pick<Context, 'store'>;

const noPublisher = () => new Problem('not_found', 'No listing shown here has this namespace.');

/** Compares capitals too. */
export const isNamespace = async (text: string, { store }: PublisherContext): Promise<boolean> =>
  (await store.listings.publisherListings(text)) > 0;

/** Whoever follows a namespace waits for listings that may come. Throws not_found. */
export function requireNamespace(text: string): void {
  if (!isHandle(`${text}/a`)) throw noPublisher();
}

async function handlesOf(namespace: string, after: string, limit: number, { store }: PublisherContext) {
  const start = `${namespace}/`;
  const rows = await store.listings.page(after.startsWith(start) ? after : start, limit);
  return rows.map(({ handle }) => handle).filter((handle) => handle.startsWith(start));
}

const perPage = 50;

/** After a handle; empty for a namespace that has only feeds. Throws not_found for what is no namespace. */
export async function readPublisher(namespace: string, after: string, reads: PublisherContext) {
  const { listings } = reads.store;
  const handles = await handlesOf(namespace, after, perPage + 1, reads);
  const shown = handles.slice(0, perPage);
  if (shown.length === 0 && after !== '') throw noPublisher();
  requireNamespace(namespace);
  const found = new Map((await listings.byHandles(shown)).map((listing) => [listing.handle, listing]));
  return {
    namespace,
    listings: shown.flatMap((handle) => found.get(handle) ?? []),
    total: await listings.publisherListings(namespace),
    next: handles.length > perPage ? shown.at(-1) : undefined,
  };
}

export const mostRead = 500;

export type PublisherFacts = Awaited<ReturnType<typeof readPublisherFacts>>;

/** Of at most the first 500 listings by handle. */
export async function readPublisherFacts(namespace: string, reads: PublisherContext) {
  const read = await reads.store.listings.byHandles(await handlesOf(namespace, '', mostRead, reads));
  const hosts = Map.groupBy(
    read.flatMap(({ endpoint }) => URL.parse(endpoint ?? '')?.host ?? []),
    (host) => host,
  );
  const owners = read.map(({ handle, repository_key }) =>
    namespaceMatchesRepositoryOwner(handle, repository_key),
  );
  const isComparable = owners.some((owner) => owner !== 'not_comparable');
  return {
    handles: read.map(({ handle }) => handle),
    /** The oldest known publication, RFC 3339. */
    since: read.map(({ published_at }) => published_at).sort()[0] ?? '',
    hosts: [...hosts].sort(([, a], [, b]) => b.length - a.length).map(([host]) => host),
    withRepository: read.filter(({ repository_key }) => repository_key !== undefined).length,
    /** With another account's repository. Undefined if none can be compared, as for a domain. */
    otherOwners: isComparable ? owners.filter((owner) => owner === 'no').length : undefined,
  };
}

const documented = ['co.webhook/webhook', 'com.politicalcomms/api'] as const;

const madeUp = 'com.example/server';

/** For an invisible example, one of the first listings by handle; without any, a name that is none. */
export async function readExampleHandles({
  store: { listings },
}: PublisherContext): Promise<ReadonlyMap<string, string>> {
  const found = (await listings.byHandles(documented)).filter(({ withdrawn }) => !withdrawn);
  const first = found.length === documented.length ? [] : await listings.page('', documented.length);
  return new Map(
    documented.map((handle, at) => [
      handle,
      found.some((one) => one.handle === handle) ? handle : (first[at]?.handle ?? first[0]?.handle ?? madeUp),
    ]),
  );
}

/** The text with the listed handles instead of those that it was written with. */
export const withExamples = (text: string, handles: ReadonlyMap<string, string>): string =>
  [...handles].reduce((said, [written, handle]) => said.replaceAll(written, handle), text);

export const countListings = ({ store }: PublisherContext): Promise<number> => store.listings.count();

const perRead = 1000;

/** Before the next page; '' for position 0 and behind the end. */
export const readHandleBefore = async (position: number, { store: { listings } }: PublisherContext) =>
  position === 0 ? '' : ((await listings.handleAt(position)) ?? '');

export const pagesAfter = (after: string, { store: { listings } }: PublisherContext) =>
  readPages(perRead, (last?: { readonly handle: string; readonly updated_at: string }) =>
    listings.page(last?.handle ?? after, perRead),
  );
