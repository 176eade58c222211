import { html } from 'hono/html';
import type { z } from 'zod';
import type { readNewestEntries } from '../audit/entry-proof.ts';
import { type JsonObject, readObject } from '../core/json.ts';
import { ours, type Words } from '../core/words.ts';
import { titleWords } from '../document/answers/history.ts';
import { toLogged } from '../document/answers/history-events.ts';
import { toLabel } from '../document/words.ts';
import { isChangeType } from '../log/change.ts';
import type { readLogs } from '../log/logs.ts';
import type { getProof } from '../tools/get-proof.ts';
import { day, type Html, handleLink, minute, pagePath, paste, toHtml } from './html.ts';
import { type PageSite, toPage } from './layout.ts';

const parsed = (json = ''): JsonObject => readObject(json) ?? {};

function recordBlock({
  record,
  erased_by,
  hidden_by,
  withdrawn_by,
  withheld,
}: z.output<typeof getProof.output>): Html {
  if (hidden_by !== undefined)
    return html`<p>The operator has hidden what this entry recorded; <a href="/log/entry/${hidden_by}">entry ${hidden_by}</a> says why. The entry itself stays.</p>`;
  if (withdrawn_by !== undefined)
    return html`<p>The rating was withdrawn by <a href="/log/entry/${withdrawn_by}">entry ${withdrawn_by}</a>, so its texts are not shown any more. The entry itself stays.</p>`;
  if (withheld !== undefined)
    return html`<p>The listing ${withheld === 'listing_withdrawn' ? 'was withdrawn' : 'is hidden by the operator'}, so what was seen there is not shown. The entry itself stays.</p>`;
  if (record === undefined)
    return html`<p>The record of this entry is not stored any more${erased_by !== undefined && html`; <a href="/log/entry/${erased_by}">entry ${erased_by}</a> says that it was erased`}. The entry itself stays.</p>`;
  const { handle, subject_handle } = parsed(record);
  const about = typeof subject_handle === 'string' ? subject_handle : handle;
  return html`
${typeof about === 'string' && html`<p>About <a class="handle" href="${pagePath(about)}">${about}</a>.</p>`}
<pre><code class="foreign">${JSON.stringify(parsed(record), null, 2)}</code></pre>`;
}

/** `entries`: how many the log has. */
export const toLogEntryPage = (
  site: PageSite,
  entry: z.output<typeof getProof.output>,
  entries: number,
): Html => {
  const { log_index } = entry;
  const link = (index: number, rel: string) =>
    html`<a rel="${rel}" href="/log/entry/${index}">Entry ${index}</a>`;
  const hasPrevious = log_index > 0;
  const hasNext = log_index + 1 < entries;
  const neighbours = html`${hasPrevious && link(log_index - 1, 'prev')}${hasPrevious && hasNext && ' · '}${hasNext && link(log_index + 1, 'next')}`;
  return toPage(site, {
    title: `Log entry ${entry.log_index}`,
    description: `Entry ${entry.log_index} of the append-only log of claims, ratings, observed changes and moderation.`,
    path: `/log/entry/${entry.log_index}`,
    indexed: false,
    body: html`
<p class="eyebrow"><a href="/log">The log</a></p>
<h1>Entry ${entry.log_index}: ${toHtml(titleOf(entry))}</h1>
<p class="lead">An entry shows that something was recorded, not that it is right. To cite what was recorded, use the address of the entry: it does not change.</p>
<h2>What was recorded</h2>
${recordBlock(entry)}
<h2>Check it yourself</h2>
<p>Save the proof, and check it without this service:</p>
${paste(`curl -sf ${site.config.publicUrl}/api/tools/get_proof -H 'Content-Type: application/json' -d '{"log_index": ${entry.log_index}}' -o proof.json`)}
${paste('dossier verify proof.json')}
<p>${neighbours}</p>`,
  });
};

const nameOfEntry = (members: JsonObject, name: string) =>
  typeof members[name] === 'string' ? members[name] : '';

/** Of an entry without a record, only its type is known. */
const titleOf = ({ leaf, record }: z.output<typeof getProof.output>): Words => {
  const type = String(parsed(leaf).t);
  return record === undefined ? ours(toLabel(type)) : entryWords(type, parsed(record));
};

function entryWords(type: string, members: JsonObject): Words {
  if (!isChangeType(type)) return ours(toLabel(type));
  const { source_handle: source, ...data } = members;
  const change = { id: '', seq: 0, type, handle: '', at: '', data: { ...data, source } };
  return titleWords({ change, event: members.changes ? toLogged(members) : change });
}

const timeNames = ['at', 'created_at', 'withdrawn_at', 'erased_at'] as const;

/** None in `log.continued`. */
function timeWords(members: JsonObject): Html | string {
  const time = timeNames.map((name) => nameOfEntry(members, name)).find(Boolean);
  return time === undefined ? 'no time' : minute(time);
}

type ShownEntries = Awaited<ReturnType<typeof readNewestEntries>>;

function newItem({ log_index, leaf, members, isErased }: ShownEntries[number]): Html {
  const type = String(parsed(leaf).t);
  const handle = nameOfEntry(members, 'subject_handle') || nameOfEntry(members, 'handle');
  const root = nameOfEntry(members, 'root').replace(/^dns:/, '');
  return html`
<li><span class="when">${isErased ? 'erased' : timeWords(members)}</span> <span>${handle && html`${handleLink(handle)}: `}${toHtml(entryWords(type, members))}${root && html` (<span class="foreign">${root}</span>)`} <a class="note" href="/log/entry/${log_index}">entry ${log_index}</a></span></li>`;
}

export const toLogPage = (
  site: PageSite,
  { statement, logs }: Awaited<ReturnType<typeof readLogs>>,
  { entries: shown, isNewest }: { readonly entries: ShownEntries; readonly isNewest: boolean },
): Html =>
  toPage(site, {
    title: 'The log',
    indexed: isNewest,
    description:
      'The append-only log of claims, ratings, observed changes and moderation, which anyone can check.',
    path: '/log',
    body: html`
<h1>The log</h1>
<p class="lead">${statement}</p>
${logs.map(
  ({ log, first_log_index, entries, opened_at, key }) => html`
<section><h2>${log}</h2>
<dl class="facts wide">
<div><dt>Entries</dt><dd>${entries}${entries > 0 && html`; the newest is <a href="/log/entry/${first_log_index + entries - 1}">entry ${first_log_index + entries - 1}</a>`}</dd></div>
<div><dt>Opened</dt><dd>${day(opened_at)}</dd></div>
<div><dt>Key</dt><dd><code>${key}</code></dd></div>
<div><dt>Newest checkpoint</dt><dd><a href="${log}/checkpoint">${log}/checkpoint</a></dd></div>
</dl></section>`,
)}
${shown.length > 0 && html`<section><h2>${isNewest ? 'Newest entries' : 'Older entries'}</h2><ul class="recent">${shown.map(newItem)}</ul></section>`}
${(shown.at(-1)?.log_index ?? 0) > 0 && html`<p><a rel="next" href="/log?before=${shown.at(-1)?.log_index}">Older entries</a></p>`}`,
  });
