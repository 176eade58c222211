import { html } from 'hono/html';
import type { ImportedSignal, ListingDocument } from '../evidence/listing-document.ts';
import { day, type Html } from './html.ts';
import { signalText, words } from './listing-words.ts';

/** A value that is a time is shown as its day. */
const shown = (signal: ImportedSignal) =>
  typeof signal.value === 'string' && /^\d{4}-\d\d-\d\dT/.test(signal.value)
    ? day(signal.value)
    : signalText(signal);

const row = (signal: ImportedSignal) => html`
<tr${signal.state === 'observed' ? '' : html` class="unknown"`}><th scope="row">${words(signal.kind)}</th><td class="foreign">${shown(signal)}</td><td>${signal.source}</td><td>${day(signal.observed_at)}</td></tr>`;

/** The block of imported signals: facts from elsewhere, each with source and date; never ratings. */
export const importedBlock = ({ signals: { imported } }: ListingDocument): Html => html`
<section class="evidence imported" aria-labelledby="imported">
<h2 id="imported">Imported signals</h2>
<p class="source">Facts recorded elsewhere. They are not ratings and are never counted as ratings.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Imported signals"><table>
<thead><tr><th scope="col">Fact</th><th scope="col">Value</th><th scope="col">Source</th><th scope="col">Seen</th></tr></thead>
<tbody>${imported.map(row)}</tbody>
</table></div>
</section>`;
