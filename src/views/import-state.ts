import { html } from 'hono/html';
import type { ImportRun } from '../store/store.ts';
import { amount, counted, type Html, minute } from './html.ts';

/** What is known of the import: the newest run, and the newest one that ended well. */
export interface ImportState {
  readonly run: ImportRun | undefined;
  readonly done: ImportRun | undefined;
  /** Listings shown at this moment. */
  readonly listings: number;
}

/** The counts of a run: whatever the import counted. */
export const countsOf = (run: ImportRun): [string, number][] =>
  Object.entries(JSON.parse(run.counts) as Record<string, unknown>).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );

function progress(run: ImportRun) {
  const seen = countsOf(run).map(([name, count]) => `${name.replaceAll('_', ' ')} ${amount(count)}`);
  return html`<p class="progress">An import has been running since ${minute(run.started_at)}${seen.length > 0 ? `: ${seen.join(', ')}` : ''}.</p>`;
}

const trouble = (run: ImportRun) =>
  html`<p class="progress">The import of ${minute(run.started_at)} ${run.state === 'held' ? 'was held for a look by the operator' : 'did not finish'}; it will be tried again. What is shown stays as old as it says.</p>`;

/** How fresh the listings are, and what the import is doing. */
export const importState = ({ run, done, listings }: ImportState): Html => html`
<div class="freshness">
<p>${counted(listings, 'listing')}. ${done?.finished_at ? (done.source === 'sample' ? 'This is the sample the service ships with; no import from the registry has completed yet.' : html`Last completed import: ${minute(done.finished_at)}.`) : 'No import has completed yet.'}</p>
${run?.state === 'running' ? progress(run) : ''}
${run?.state === 'failed' || run?.state === 'held' ? trouble(run) : ''}
</div>`;
