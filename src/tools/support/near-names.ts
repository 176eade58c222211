import type { Context } from '../../context.ts';
import { isHandle } from '../../evidence/handle.ts';
import type { Listing } from '../../evidence/listing/listing.ts';
import { Problem } from '../../problem.ts';

const mostNear = 5;
const mostCandidates = 50;
const longestName = 200;

/** A name of one or several words, as `twilio`, or of a package, as `@twilio/mcp`. */
const name = /^@?[a-z0-9][\w .-]*$|^@[\w.-]+\/[\w.-]+$/i;
/** An address of a repository or an image, with or without a scheme. */
const address = /^(?:https?:\/\/|git@)?(?:[\w-]+\.)+[a-z]{2,}[/:][\w.@:/#?=-]+$/i;
const hosts =
  /^(?:https?:\/\/|git@|(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|ghcr\.io|docker\.io|quay\.io)\/)/i;

/** Whether a text that is no handle names a listing in another way: by name, repository or package. */
const namesSomething = (text: string): boolean =>
  !isHandle(text) &&
  text.length <= longestName &&
  (name.test(text) || (hosts.test(text) && address.test(text)));

/** A repository as host/path, as listings record it. */
const toKey = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(?:https?:\/\/|git@)(?:www\.)?/, '')
    .replace(':', '/')
    .replace(/[#?].*$/, '')
    .replace(/\/$/, '')
    .replace(/\.git$/, '');

/** The words to search for: the last two parts of an address, without a package's tag. */
const toWordsOf = (text: string): string =>
  hosts.test(text) ? toKey(text).split('/').slice(1, 3).join(' ') : text.replace(/[@/]/g, ' ');

const isRecordedAs = (listing: Listing, text: string): boolean =>
  listing.repository_key === toKey(text) ||
  listing.packages.some(({ identifier }) => identifier.toLowerCase() === text.toLowerCase());

/** Handles of the listings that a name, repository or package names: those that record it exactly first. */
async function findNear(text: string, { store }: Context): Promise<string[]> {
  const { hits } = await store.listings.search({ text: toWordsOf(text), facets: [], sort: 'relevance' });
  const summaries = await store.listings.byIds(hits.slice(0, mostCandidates).map(({ id }) => id));
  const handles = summaries.map(({ handle }) => handle);
  const exact = new Set(
    (await store.listings.byHandles(handles))
      .filter((one) => isRecordedAs(one, text))
      .map(({ handle }) => handle),
  );
  return [...handles.filter((one) => exact.has(one)), ...handles.filter((one) => !exact.has(one))].slice(
    0,
    mostNear,
  );
}

/** Throws unknown_handle with near handles if a text is the name, repository or package of a listing, not a handle. */
export async function refuseName(text: string, context: Context): Promise<void> {
  if (!namesSomething(text)) return;
  throw new Problem('unknown_handle', {
    near: await findNear(text, context),
    detail: 'This is not a handle; near lists the handles of listings that match it.',
  });
}
