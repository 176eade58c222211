import { Hono } from 'hono';
import { toShortListing } from '../../evidence/listing/short-listing.ts';
import type { ListingRow, Store } from '../../store/store.ts';
import { tools } from '../../tools/index.ts';
import { listTags } from '../../tools/list-tags.ts';
import { toAboutPage } from '../../views/pages/about-page.ts';
import { toHomePage } from '../../views/pages/home-page.ts';
import { toTagsPage } from '../../views/pages/tags-page.ts';
import { toToolsPage } from '../../views/pages/tools-page.ts';
import { call } from '../call.ts';
import type { Face, HttpEnvironment, Request } from '../environment.ts';
import type { CachePolicy } from '../finished.ts';
import { answerPage } from '../response/answers.ts';
import { lazy } from '../response/lazy.ts';

const shownAtHome = 5;
/** Read for "recently updated": the last updated are often the newest themselves, sometimes most of them. */
const updatedRead = [10, 40];
const quarantinedShown = 20;
/** What an import does, and whether it still does, is shown at most this late; listings never are. */
const withImports: CachePolicy = { cacheTags: 'all', maxAge_ms: 1000 };
/** A run shows every half minute that it is worked on (registry/lease.ts). */
const workedOn_ms = 120_000;

async function importsOf(c: Request) {
  const { store, clock } = c.get('context');
  const last = await store.imports.last();
  const shown_ms = Date.parse(last.run?.lease_at ?? '');
  const isWorkedOn = clock().getTime() - shown_ms < workedOn_ms;
  return { ...last, isWorkedOn, listings: await store.listings.count() };
}

/** Those updated since they were first published that are not shown as newest. */
const withoutNewest = (rows: readonly ListingRow[], newest: readonly ListingRow[]) =>
  rows
    .filter(
      ({ handle, published_at, updated_at }) =>
        updated_at > published_at && !newest.some((row) => row.handle === handle),
    )
    .slice(0, shownAtHome);

/** The last updated beside the newest: a few more rows are read only where they are needed. */
async function readUpdated({ listings }: Store, newest: readonly ListingRow[]) {
  let updated: ListingRow[] = [];
  for (const limit of updatedRead) {
    const rows = await listings.newest('updated_at', limit);
    updated = withoutNewest(rows, newest);
    if (updated.length === shownAtHome || rows.length < limit) return updated;
  }
  return updated;
}

const showHome = async (c: Request, { site }: Face) => {
  const { store } = c.get('context');
  const newest = await store.listings.newest('published_at', shownAtHome);
  const updated = await readUpdated(store, newest);
  const { tags } = await call(c, listTags, {});
  return answerPage(
    c,
    toHomePage(site, {
      tags,
      newest: newest.map((row) => toShortListing(row)),
      updated: updated.map((row) => toShortListing(row)),
      imports: await importsOf(c),
    }),
    withImports,
  );
};

const showTags = async (c: Request, { site }: Face) =>
  answerPage(c, toTagsPage(site, (await call(c, listTags, {})).tags), { cacheTags: 'all' });

const showAbout = async (c: Request, { site }: Face) => {
  const { imports } = c.get('context').store;
  const quarantined = await imports.quarantined(quarantinedShown);
  const reasons = await imports.quarantineReasons();
  return answerPage(c, toAboutPage(site, { imports: await importsOf(c), reasons, quarantined }), withImports);
};

/** The pages that are about no single listing. */
export function createPageRoutes(face: Face) {
  const toolsPage = lazy(() => String(toToolsPage(face.site, tools)));
  return new Hono<HttpEnvironment>()
    .get('/', (c) => showHome(c, face))
    .get('/tags', (c) => showTags(c, face))
    .get('/tools', (c) => answerPage(c, toolsPage(), { cacheTags: [] }))
    .get('/about', (c) => showAbout(c, face));
}
