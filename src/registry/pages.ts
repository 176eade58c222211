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

/** How long pages wait for the next one. */
const quick_ms = 100;
/** Entries put together: few at first, so that there is progress to see; the most bounds a transaction. */
const firstTogether = 100;
const mostTogether = 1000;

/** Whether something comes, or fails, before long. */
function comesSoon(next: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, quick_ms, false);
  const came = () => {
    clearTimeout(timer);
    resolve(true);
  };
  next.then(came, came);
  return promise;
}

const join = (held: Page | undefined, page: Page): Page =>
  held ? { ...page, entries: [...held.entries, ...page.entries] } : page;

/**
 * Pages that come quickly, put together, twice as many each time up to 1,000 entries. None waits long for the next one,
 * and what came before a failure is handed on before that is thrown.
 */
export async function* gatherPages(
  pages: AsyncGenerator<Page, void, undefined>,
): AsyncGenerator<Page, void, undefined> {
  let held: Page | undefined;
  let together = firstTogether;
  for (;;) {
    const next = pages.next();
    if (held && !(await comesSoon(next))) {
      yield held;
      held = undefined;
    }
    const { value, failure } = await next.then(
      ({ value: page }) => ({ value: page, failure: undefined }),
      (error: unknown) => ({ value: undefined, failure: { error } }),
    );
    if (value) held = join(held, value);
    if (held && (!value || held.entries.length >= together)) {
      yield held;
      held = undefined;
      together = Math.min(together * 2, mostTogether);
    }
    if (failure) throw failure.error;
    if (!value) return;
  }
}
