import { html } from 'hono/html';
import type { Config } from '../../config/config.ts';
import { amount, counted } from '../../evidence/text/plural.ts';
import type { ImportRun } from '../../store/store.ts';
import { type Html, minute } from '../layout/html.ts';

/** What is known of the import: the newest run, and the newest one that ended well. */
export interface ImportState {
  readonly run: ImportRun | undefined;
  readonly done: ImportRun | undefined;
  /** Listings shown at this moment. */
  readonly listings: number;
  /** Whether somebody works on the newest run; one that was cut off waits for the next import. */
  readonly isWorkedOn: boolean;
}

const countNames: Readonly<Record<string, string>> = {
  rows_seen: 'rows read',
  rows_new: 'rows new',
  rows_changed: 'rows changed',
  rows_unchanged: 'rows unchanged',
  rows_quarantined: 'rows that could not be read',
  rows_deprecated: 'rows called deprecated by the registry',
  rows_deleted: 'rows called deleted by the registry',
  older_versions: 'older versions kept',
  listings_new: 'listings new',
  listings_changed: 'listings changed',
  listings_withdrawn: 'listings withdrawn',
  repositories_changed: 'recorded repositories changed',
};

/** What a run counted, in words; what it counted none of is left out. */
export const countsOf = (run: ImportRun): [name: string, count: number][] =>
  Object.entries(JSON.parse(run.counts) as Record<string, unknown>).flatMap(([name, count]) =>
    typeof count === 'number' && count > 0 ? [[countNames[name] ?? name.replaceAll('_', ' '), count]] : [],
  );

const shownWhileRunning = ['rows read', 'listings new', 'listings changed'];

function progress(run: ImportRun) {
  const seen = countsOf(run)
    .filter(([name]) => shownWhileRunning.includes(name))
    .map(([name, count]) => `${amount(count)} ${name}`);
  return html`An import has been running since ${minute(run.started_at)}: ${seen.join(', ') || 'nothing read yet'}.`;
}

const isWeb = (source: string) => /^https?:/.test(source);

/** Whether the service asks the source of a run again by itself: only the registry it is set to. */
const isAskedAgain = ({ source }: ImportRun, { registryUrl }: Config) =>
  isWeb(registryUrl) && URL.parse(source)?.host === new URL(registryUrl).host;

function trouble(run: ImportRun, config: Config) {
  const stays = 'What is shown stays as old as it says.';
  if (run.state === 'held')
    return html`The import of ${minute(run.started_at)} is held: it would take away or move more than a fifth of the known listings. It waits for a look by the operator. ${stays}`;
  // Only RegistryError speaks here, in our own words (registry/source.ts).
  return html`The import of ${minute(run.started_at)} did not complete${run.error && html`: ${run.error}`}. ${isAskedAgain(run, config) ? 'It is tried again by itself.' : 'It is not tried again by itself.'} ${stays}`;
}

function newest({ run, isWorkedOn }: ImportState, config: Config) {
  if (run?.state === 'failed' || run?.state === 'held') return trouble(run, config);
  if (run?.state !== 'running') return undefined;
  return isWorkedOn
    ? progress(run)
    : html`The import of ${minute(run.started_at)} was stopped before its end; the next one goes on there.`;
}

function age({ done }: ImportState) {
  if (!done?.finished_at) return 'No import has completed yet.';
  return done.source === 'sample'
    ? 'This is the sample the service ships with; no import from a registry has completed yet.'
    : html`Last completed import: ${minute(done.finished_at)}.`;
}

const hour_s = 3600;
const every = (interval_s: number) =>
  interval_s % hour_s === 0
    ? counted(interval_s / hour_s, 'hour')
    : counted(Math.ceil(interval_s / 60), 'minute');

/** What keeps the listings fresh, as the service is set. */
function upkeep({ registryUrl, importInterval_s }: Config): string {
  if (isWeb(registryUrl)) return `The registry is asked for changes every ${every(importInterval_s)}.`;
  return registryUrl === 'off'
    ? 'No registry is set: nothing is imported by itself.'
    : 'The listings come from a saved copy of a registry, which is read once.';
}

/** How fresh the listings are, what the import is doing, and whether it goes on by itself. */
export function importState(state: ImportState, config: Config): Html {
  const now = newest(state, config);
  return html`
<div class="freshness">
<p>${counted(state.listings, 'listing')}. ${age(state)} ${upkeep(config)}</p>
${now && html`<p class="progress">${now}</p>`}
</div>`;
}
