import { hash } from 'node:crypto';
import { type Page, RegistryError, type RegistrySource } from './source.ts';

const mostPages = 100_000;

/** Which part of a source to read. */
export interface PageRange {
  readonly cursor: string | undefined;
  readonly updatedSince: string | undefined;
  readonly signal: AbortSignal | undefined;
}

const digestOf = (cursor: string | undefined) => hash('sha256', cursor ?? '', 'base64');

/**
 * The pages of a source from a cursor on; the next page is fetched while one is processed. Throws RegistryError if a
 * cursor repeats or the list does not end.
 */
export async function* readPages(
  source: RegistrySource,
  range: PageRange,
): AsyncGenerator<Page, void, undefined> {
  const { signal, updatedSince } = range;
  const fetchPage = (cursor: string | undefined) => {
    const page = source.page({ cursor, updatedSince, signal });
    page.catch(() => undefined); // reported when it is awaited; an earlier failure may prevent that
    return page;
  };
  // Digests: a registry may give cursors of 4 KiB without end.
  const seen = new Set([digestOf(range.cursor)]);
  let next = fetchPage(range.cursor);
  for (;;) {
    const page = await next;
    signal?.throwIfAborted();
    const { nextCursor } = page;
    if (nextCursor === undefined) return yield page;
    if (seen.has(digestOf(nextCursor)))
      throw new RegistryError('the registry gave a cursor that it had given before', false);
    if (seen.size >= mostPages)
      throw new RegistryError(`the list does not end within ${mostPages} pages`, false);
    seen.add(digestOf(nextCursor));
    next = fetchPage(nextCursor);
    yield page;
  }
}

/** How long a collected batch waits for the next page. */
const quick_ms = 100;
/** Entries in a batch: few at first, so that progress shows early; at most as many as one transaction should write. */
const firstBatch = 100;
const largestBatch = 1000;

/** Whether a promise settles within `quick_ms`. */
function settlesSoon(next: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, quick_ms, false);
  const settled = () => {
    clearTimeout(timer);
    resolve(true);
  };
  next.then(settled, settled);
  return promise;
}

const join = (batch: Page | undefined, page: Page): Page =>
  batch ? { ...page, entries: [...batch.entries, ...page.entries] } : page;

/**
 * Joins pages that arrive quickly into batches, each twice as large as the last, up to 1,000 entries. No page waits long
 * for the next one, and pages before a failure are yielded before it is thrown.
 */
export async function* batchPages(
  pages: AsyncGenerator<Page, void, undefined>,
): AsyncGenerator<Page, void, undefined> {
  let batch: Page | undefined;
  let size = firstBatch;
  for (;;) {
    const next = pages.next();
    if (batch && !(await settlesSoon(next))) {
      yield batch;
      batch = undefined;
    }
    const { value, failure } = await next.then(
      ({ value: page }) => ({ value: page, failure: undefined }),
      (error: unknown) => ({ value: undefined, failure: { error } }),
    );
    if (value) batch = join(batch, value);
    if (batch && (!value || batch.entries.length >= size)) {
      yield batch;
      batch = undefined;
      size = Math.min(size * 2, largestBatch);
    }
    if (failure) throw failure.error;
    if (!value) return;
  }
}
