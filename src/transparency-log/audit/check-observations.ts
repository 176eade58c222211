import { kinds } from '../../evidence/kinds/index.ts';
import { toCanonicalJson } from '../../evidence/log/leaf.ts';
import { essenceOf, keyOf } from '../../evidence/observation/compare-looks.ts';
import type { ObservationChange } from '../../evidence/observation/observation.ts';
import type { RecordedChange } from '../../store/contract/observations.ts';
import type { ShownFact, ShownObservations } from './evidence-reader.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';

const tallies = new Set(kinds.filter(({ isTally }) => isTally).map(({ kind }) => kind));

type Essence = ObservationChange['after'];

/** A change that is recorded item by item leaves the details out, and a stale fact the state. */
function isAsSaid(fact: ShownFact, { after, items }: ObservationChange): boolean {
  const shown = essenceOf(fact.state === 'stale' ? { ...fact, state: after.state } : fact);
  const { details: _, ...short } = shown;
  return toCanonicalJson(items ? short : shown) === toCanonicalJson({ ...after });
}

const toText = ({ value, state }: Essence) => `${toShownValue(value)} (${state})`;

/** What each fact was last changed to, and by which entry. */
function newestChanges(changes: readonly RecordedChange[]) {
  const oldestFirst = changes.toSorted((a, b) => a.log_index - b.log_index);
  return new Map(
    oldestFirst.flatMap(({ log_index, changes: facts }) =>
      facts.map((fact) => [keyOf(fact), { log_index, fact }] as const),
    ),
  );
}

/** Where the current facts of a listing are not as their newest change says. */
export function findObservationFaults(handle: string, { current, changes }: ShownObservations): AuditFault[] {
  const newest = newestChanges(changes);
  const compared = current.filter(({ kind }) => !tallies.has(kind));
  return compared.flatMap((fact) => {
    const last = newest.get(keyOf(fact));
    const where = `${fact.kind} of ${handle}`;
    if (!last) return [rowFault(where, `it is shown as ${toText(fact)}, but no change of it is stored`)];
    if (isAsSaid(fact, last.fact)) return [];
    const said = `its newest change, log entry ${last.log_index}, says ${toText(last.fact.after)}`;
    return [rowFault(where, `it is shown as ${toText(fact)}, but ${said}`)];
  });
}
