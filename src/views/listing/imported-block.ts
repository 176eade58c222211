import { html } from 'hono/html';
import type { ImportedSignal, ListingDocument } from '../../evidence/listing/listing-document.ts';
import { day, type Html } from '../layout/html.ts';
import { signalText, toLabel } from '../layout/labels.ts';

/** The value of a signal, a time as its day; a missing value is marked as such. */
function shown(signal: ImportedSignal): Html | string {
  const text = signalText(signal);
  if (signal.state !== 'observed' || signal.value === null)
    return html`<span class="state unknown">${text}</span>`;
  const isTime = typeof signal.value === 'string' && /^\d{4}-\d\d-\d\dT/.test(signal.value);
  return isTime ? day(text) : text;
}

const fact = (signal: ImportedSignal) => html`
<div><dt>${toLabel(signal.kind)}</dt><dd class="foreign">${shown(signal)}${signal.reason && html` <span class="note">${signal.reason}</span>`}</dd><dd class="when">as of ${day(signal.observed_at)}</dd></div>`;

const source = ([name, signals]: readonly [string, readonly ImportedSignal[]]) => html`
<h3>${name === 'no source' ? 'Not checked by Dossier' : html`Source: <span class="foreign">${name}</span>`}</h3>
<dl class="ledger">${signals.map(fact)}</dl>`;

/** The block of imported signals: facts recorded elsewhere, grouped by source, each with its date; never ratings. */
export const importedBlock = ({ signals: { imported } }: ListingDocument): Html => html`
<section class="evidence imported" aria-labelledby="imported">
<h2 id="imported">Imported signals</h2>
<p class="source">Facts recorded elsewhere. They are not ratings and are never counted as ratings.</p>
${[...Map.groupBy(imported, (signal) => signal.source)].map(source)}
</section>`;
