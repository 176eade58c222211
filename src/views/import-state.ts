import { html } from 'hono/html';
import { ownMember } from '../core/json.ts';
import { amount, counted } from '../core/text.ts';
import type { ImportReport, StatusDocument } from '../document/listing-document.ts';
import { day, type Html, minute } from './html.ts';

/** Others have their name in the report. */
const countNames: Readonly<Record<string, string>> = {
  rows_seen: 'rows read',
  rows_quarantined: 'rows that could not be read',
  rows_deprecated: 'rows that the registry marks as deprecated',
  rows_deleted: 'rows that the registry marks as deleted',
  older_versions: 'older versions stored',
  repositories_changed: 'recorded repositories changed',
};

export const countsOf = ({ counts }: ImportReport): [name: string, count: number][] =>
  Object.entries(counts).flatMap(([name, count]) =>
    count > 0 ? [[ownMember(countNames, name) ?? name.replaceAll('_', ' '), count]] : [],
  );

const shownWhileRunning = ['rows read', 'listings new', 'listings changed'];

function progress(run: ImportReport) {
  const seen = countsOf(run)
    .filter(([name]) => shownWhileRunning.includes(name))
    .map(([name, count]) => `${amount(count)} ${name}`);
  return html`An import has been running since ${minute(run.started_at)}: ${seen.join(', ') || 'nothing read yet'}.`;
}

function stopped(run: ImportReport, lastSeen_at: string | undefined) {
  const what = lastSeen_at
    ? html`was interrupted: its node was last seen at ${minute(lastSeen_at)}`
    : html`was stopped before it completed`;
  return html`The import of ${minute(run.started_at)} ${what}. The next import continues it.`;
}

const stays = 'The listings shown are as old as their dates say.';

const held = (run: ImportReport) =>
  html`The import of ${minute(run.started_at)} is held: more than a fifth of the known listings would lose their shown version, or change their repository or the host of their endpoint. The operator has to review it. ${stays}`;

/** Completed imports of another source stay. */
function failed(run: ImportReport, { error, is_retried, last_completed: done }: StatusDocument['import']) {
  const isOther = done !== undefined && done.source !== run.source && done.source !== 'sample';
  const what = isOther
    ? html`The completed import is from another source. ${run.source} could not be read at ${minute(run.started_at)}`
    : html`The import of ${minute(run.started_at)} did not complete`;
  const isWithout = done === undefined || done.source === 'sample';
  const offline =
    isWithout && html` Without a network, <code>dossier import --from FILE</code> reads a saved copy.`;
  return html`${what}${error && html`: ${error}`}. ${is_retried ? 'It is retried automatically.' : 'It is not retried automatically.'}${offline} ${stays}`;
}

function current(status: StatusDocument['import']): Html | undefined {
  const { state, newest: run } = status;
  if (!run) return undefined;
  if (state === 'failed') return failed(run, status);
  if (state === 'held') return held(run);
  if (state === 'stopped') return stopped(run, status.last_seen_at);
  return state === 'running' ? progress(run) : undefined;
}

function age({ last_completed: done }: StatusDocument['import']) {
  if (!done?.finished_at) return 'No import has completed yet.';
  return done.source === 'sample'
    ? 'Last completed import: the sample that ships with this service.'
    : html`Last completed import: ${minute(done.finished_at)}${done.newest_change && html`, from a saved copy whose newest change is dated ${day(done.newest_change)}`}.`;
}

const hour_s = 3600;
/** After "every": `hour` or `2 hours`. */
export const every = (interval_s: number) =>
  (interval_s % hour_s === 0
    ? counted(interval_s / hour_s, 'hour')
    : counted(Math.ceil(interval_s / 60), 'minute')
  ).replace(/^1 /, '');

function updates({ updates_from, interval_s = hour_s }: StatusDocument['import']): string {
  if (updates_from === 'registry') return `The registry is checked for changes every ${every(interval_s)}.`;
  return updates_from === 'nothing'
    ? 'No registry is configured: nothing is imported automatically.'
    : 'The listings come from a saved copy of a registry. The copy is read once.';
}

export function importState({ import: status }: StatusDocument): Html {
  const now = current(status);
  return html`
<div class="freshness">
<p>${age(status)} ${updates(status)}</p>
${now && html`<p class="progress">${now}</p>`}
</div>`;
}
