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

/** A page that comes within this time after it is asked for does not keep the ones before it waiting. */
const quick_ms = 100;
/** Entries put together: few at first, so that there is progress to see; the most bounds a transaction. */
const firstTogether = 100;
const mostTogether = 1000;

const join = (held: Page | undefined, page: Page): Page =>
  held ? { ...page, entries: [...held.entries, ...page.entries] } : page;

/**
 * Pages that come quickly, put together, twice as many each time up to 1,000 entries; a slow one goes on with what came
 * before it at once, and what came before a failure goes on before it is thrown.
 */
export async function* gatherPages(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  let held: Page | undefined;
  let together = firstTogether;
  let asked_ms = performance.now();
  try {
    for await (const page of pages) {
      const isSlow = performance.now() - asked_ms >= quick_ms;
      held = join(held, page);
      if (isSlow || held.entries.length >= together) {
        const ready = held;
        held = undefined;
        together = Math.min(together * 2, mostTogether);
        yield ready;
      }
      asked_ms = performance.now();
    }
  } catch (error) {
    if (held) yield held;
    throw error;
  }
  if (held) yield held;
}
