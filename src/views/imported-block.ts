import { html } from 'hono/html';
import type { ImportedSignal, ListingDocument } from '../evidence/listing-document.ts';
import { day, type Html } from './html.ts';
import { signalText, words } from './listing-words.ts';

/** A value that is a time is shown as its day; that there is none stands in a broken box. */
function shown(signal: ImportedSignal): Html | string {
  const text = signalText(signal);
  if (signal.state !== 'observed' || signal.value === null)
    return html`<span class="state unknown">${text}</span>`;
  const isTime = typeof signal.value === 'string' && /^\d{4}-\d\d-\d\dT/.test(signal.value);
  return isTime ? day(text) : text;
}

const row = (signal: ImportedSignal) => html`
<tr><th scope="row">${words(signal.kind)}</th><td class="foreign">${shown(signal)}</td><td>${day(signal.observed_at)}</td></tr>`;

const source = ([name, signals]: readonly [string, readonly ImportedSignal[]]) => html`
<table>
<caption>Source: ${name === 'no source' ? 'none. Nobody has looked at these' : html`<span class="foreign">${name}</span>`}</caption>
<thead><tr><th scope="col">Fact</th><th scope="col">Value</th><th scope="col">${name === 'no source' ? 'As of' : 'Seen'}</th></tr></thead>
<tbody>${signals.map(row)}</tbody>
</table>`;

/** The block of imported signals: facts from elsewhere by source, each with its date; never ratings. */
export const importedBlock = ({ signals: { imported } }: ListingDocument): Html => html`
<section class="evidence imported" aria-labelledby="imported">
<h2 id="imported">Imported signals</h2>
<p class="source">Facts recorded elsewhere. They are not ratings and are never counted as ratings.</p>
${[...Map.groupBy(imported, (signal) => signal.source)].map(source)}
</section>`;
