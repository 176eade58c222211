import { kindOf, toShownValue } from '../../evidence/kinds/recorded/kind-of.ts';
import type { ImportedSignal } from '../../evidence/listing/listing-document.ts';
import { type Observation, stateWords } from '../../evidence/observation/observation.ts';
import { amount } from '../../evidence/text/plural.ts';
import { signalText, toLabel } from '../layout/labels.ts';

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);
const isDigest = (text: string) => /^[0-9a-f]{40,64}$/.test(text);

const plain = (value: Observation['value'], unit: string | undefined): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return `${amount(value)}${unit ? ` ${toLabel(unit)}` : ''}`;
  const text = value ?? 'none';
  if (isTime(text)) return text.slice(0, 10);
  return isDigest(text) ? text.slice(0, 12) : text;
};

type Shown = Pick<Observation, 'kind' | 'value' | 'state'> & Partial<Pick<Observation, 'details' | 'unit'>>;

/** What a check found, in words; of a state other than observed, that state as well. */
export function observedText({ kind, value, state, details, unit }: Shown): string {
  const text =
    kindOf(kind)?.shows?.({ value, state, source: '', ...(details && { details }) }) ??
    toShownValue(kind, plain(value, unit ?? kindOf(kind)?.unit));
  return state === 'observed' ? text : `${text} (${stateWords[state]})`;
}

/** The value of an imported fact in words. */
export function importedText(signal: ImportedSignal): string {
  const text = signalText(signal);
  return (
    kindOf(signal.kind)?.words?.[text] ?? (isTime(text) ? text.slice(0, 10) : toShownValue(signal.kind, text))
  );
}
