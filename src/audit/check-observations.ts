import { toCanonicalJson } from '../log/leaf.ts';
import { isLearnedOutcome } from '../observations/asked/outcome.ts';
import { kinds, rulesOf } from '../observations/known/kinds.ts';
import type { ObservationChange } from '../observations/known/observation.ts';
import {
  changes,
  essenceOf,
  isSame,
  keyOf,
  states,
  type Timeline,
} from '../observations/known/timeline/timeline.ts';
import { type AuditFault, rowFault, toShownValue } from './fault.ts';
import type { ShownListing } from './served.ts';

interface LoggedChange extends ObservationChange {
  readonly at: string;
  readonly log_index: number;
}

const tallies: ReadonlySet<string> = new Set(kinds.filter(({ isTally }) => isTally).map(({ kind }) => kind));

const toShownState = ({ value, outcome }: ObservationChange['after']) =>
  `${toShownValue(value)} (${outcome})`;

type ShownFact = ShownListing['observations']['current'][number];

function isAsSaid(fact: ShownFact, { before, after, alternates_since }: LoggedChange): boolean {
  // The reason may differ from day to day without a log entry.
  if (!isLearnedOutcome(fact.outcome) && !isLearnedOutcome(after.outcome)) return true;
  // Later changes between two alternating states are no entries.
  const said = before && alternates_since ? [after, before] : [after];
  return said.some((one) => toCanonicalJson(essenceOf(fact)) === toCanonicalJson(essenceOf(one)));
}

function findFactFault(fact: ShownFact, last: LoggedChange | undefined): string | undefined {
  const shown = `it is shown as ${toShownState(fact)}`;
  if (!last) return `${shown}, but no change of it is stored`;
  return isAsSaid(fact, last)
    ? undefined
    : `${shown}, but its newest change, log entry ${last.log_index}, says ${toShownState(last.after)}`;
}

/** Each change has its entry and, unless spans are folded, each entry has its state. */
function findTimelineFaults(timeline: Timeline, said: readonly LoggedChange[]): string[] {
  const { spans, tally } = timeline;
  if (tally) return [];
  const rules = rulesOf(timeline);
  const unsaid = changes(spans, rules).filter(({ is }) => !said.some(({ after }) => isSame(after, is)));
  const isFolded = spans.some(({ folded }) => folded !== undefined);
  const known = states(spans, rules);
  const since = spans[0]?.from ?? '';
  const gone = said.filter(
    ({ at, after }) =>
      !isFolded && at >= since && isLearnedOutcome(after.outcome) && !known.some((one) => isSame(one, after)),
  );
  return [
    ...unsaid.map(
      ({ is }) => `its readings changed to ${toShownState(is)} at ${is.from}, and no log entry says so`,
    ),
    ...gone.map(
      ({ log_index, after }) =>
        `log entry ${log_index} says that it changed to ${toShownState(after)}, which its readings do not show`,
    ),
  ];
}

export function findObservationFaults({ handle, observations, own }: ShownListing): AuditFault[] {
  const oldestFirst = observations.changes.toSorted((a, b) => a.log_index - b.log_index);
  const said = Map.groupBy(
    oldestFirst.flatMap(({ at, log_index, changes: all }) =>
      all.map((one): LoggedChange => ({ ...one, at, log_index })),
    ),
    keyOf,
  );
  const shown = observations.current.filter(({ kind }) => !tallies.has(kind));
  const toFault = (kind: string, message: string) => rowFault(`${kind} of ${handle}`, message);
  return [
    ...shown.flatMap((fact) => {
      const fault = findFactFault(fact, said.get(keyOf(fact))?.at(-1));
      return fault ? [toFault(fact.kind, fault)] : [];
    }),
    ...(own?.timelines ?? []).flatMap((one) =>
      findTimelineFaults(one, said.get(keyOf(one)) ?? []).map((fault) => toFault(one.kind, fault)),
    ),
  ];
}
