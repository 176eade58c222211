import { html } from 'hono/html';
import type { Change } from '../../evidence/change.ts';
import { isRecordedTag } from '../../evidence/listing/record/recorded-kinds.ts';
import type { StatusDocument } from '../../evidence/status-document.ts';
import { connectDossier } from '../connect/connect-block.ts';
import { day, type Html } from '../layout/html.ts';
import { toPage } from '../layout/layout.ts';
import type { Site } from '../layout/site.ts';
import { briefList } from '../listing/listing-list.ts';
import { plainSearchForm } from '../search/search-form.ts';
import { importState } from './import-state.ts';
import { recentChanges } from './recent-changes.ts';
import { type TagCount, tagCloud } from './tags-page.ts';

const tagsShown = 24;

/** What the first page shows. */
export interface Home {
  readonly tags: readonly TagCount[];
  readonly status: StatusDocument;
  /** The newest changes of listings that are shown, newest first. */
  readonly changes: readonly Change[];
}

/** The first page: search, freshness, tags, what changed, new and recently updated listings. */
export const toHomePage = (site: Site, { tags, status, changes }: Home): Html =>
  toPage(site, {
    title: site.config.serviceName,
    description: 'Independent evidence before an agent-service purchase.',
    path: '/',
    feeds: '',
    body: html`
<section class="hero">
<h1>Evidence before you buy an agent service</h1>
<p class="lead">What is known about a listing, from whom, as of when, and what is not known. No score, no star, no recommendation.</p>
${plainSearchForm()}
${importState(status)}
<p><a href="/about#import">Import report</a></p>
</section>
<section aria-labelledby="tags"><h2 id="tags">Browse by tag</h2>${tagCloud(tags.filter(({ tag }) => !isRecordedTag(tag)).slice(0, tagsShown))}<p><a href="/tags">All tags</a></p></section>
${recentChanges(changes)}
<div class="columns">
<section aria-labelledby="newest"><h2 id="newest">Newest</h2>${briefList(status.newest, ({ published_at }) => html`Published ${day(published_at)}`)}</section>
<section aria-labelledby="updated"><h2 id="updated">Recently updated</h2>${status.updated.length > 0 ? briefList(status.updated, ({ updated_at, version }) => html`Updated ${day(updated_at)}, version <span class="foreign">${version}</span>`) : html`<p>No update is recorded among the latest entries, apart from those under Newest.</p>`}</section>
</div>
<section aria-labelledby="connect"><h2 id="connect">Ask from your agent</h2>
<p>Connect over MCP; no account, no key.</p>
${connectDossier(site.config.publicUrl)}
</section>`,
  });
