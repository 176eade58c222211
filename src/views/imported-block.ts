import { html } from 'hono/html';
import type { ImportedSignal, ListingDocument } from '../evidence/listing-document.ts';
import { amount, day, type Html } from './html.ts';

const stateTexts = {
  observed: 'observed',
  not_found: 'looked for, not found',
  not_checked: 'not checked',
  refused: 'refused',
} as const;

const words = (kind: string) => kind.replaceAll('_', ' ');

function valueText({ kind, value, unit, state }: ImportedSignal): string {
  if (state !== 'observed' || value === null) return stateTexts[state];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  const count = amount(value);
  return unit && !kind.includes(unit.replace(/s$/, '')) ? `${count} ${words(unit)}` : count;
}

/** A value that is a time is shown as its day. */
const shown = (signal: ImportedSignal) =>
  typeof signal.value === 'string' && /^\d{4}-\d\d-\d\dT/.test(signal.value)
    ? day(signal.value)
    : valueText(signal);

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
