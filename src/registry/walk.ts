import { type Page, RegistryError, type RegistrySource } from './source.ts';

const mostPages = 100_000;

/** Where a walk starts. */
export interface WalkStart {
  readonly cursor: string | undefined;
  readonly updatedSince: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The pages of a source from a cursor on, the next one fetched while one is worked on. Throws RegistryError where a
 * cursor comes twice or the list has no end.
 */
export async function* walkPages(
  source: RegistrySource,
  start: WalkStart,
): AsyncGenerator<Page, void, undefined> {
  const { signal, updatedSince } = start;
  const fetchPage = (cursor: string | undefined) => {
    const page = source.page({ cursor, updatedSince, signal });
    page.catch(() => undefined); // told when it is awaited, which a failure before that may prevent
    return page;
  };
  const seen = new Set([start.cursor]);
  let next = fetchPage(start.cursor);
  for (;;) {
    const page = await next;
    signal?.throwIfAborted();
    const { nextCursor } = page;
    if (nextCursor === undefined) return yield page;
    if (seen.has(nextCursor))
      throw new RegistryError('the registry gave a cursor that it had given before', false);
    if (seen.size >= mostPages)
      throw new RegistryError(`the list does not end within ${mostPages} pages`, false);
    seen.add(nextCursor);
    next = fetchPage(nextCursor);
    yield page;
  }
}
