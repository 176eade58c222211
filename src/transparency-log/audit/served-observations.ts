import { z } from 'zod';
import { type Observation, observationStates } from '../../evidence/observation/observation.ts';
import type { RecordedChange } from '../../store/contract/observations.ts';
import type { ShownObservations } from './evidence-reader.ts';
import { readAnswer } from './served-log.ts';
import type { AskService } from './service-client.ts';

const fact = z.object({
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  state: z.enum(observationStates),
  details: z.record(z.string(), z.unknown()).optional(),
});
const history = z.object({
  changes: z.array(
    z.object({
      kind: z.string(),
      subject: z.string().optional(),
      before: z.looseObject({ ...fact.shape, seen_until: z.string() }).optional(),
      after: z.looseObject(fact.shape),
      items: z.array(z.looseObject({})).optional(),
      at: z.string(),
      vantage: z.string(),
      log_index: z.int(),
    }),
  ),
  next_before: z.int().optional(),
});
type ServedChange = z.output<typeof history>['changes'][number];

/** Changes one by one as the looks that found them. */
function toLooks(handle: string, changes: readonly ServedChange[]): RecordedChange[] {
  const looks = Map.groupBy(changes, ({ log_index }) => log_index);
  return [...looks].map(([log_index, found]) => {
    const { at = '', vantage = '' } = found[0] ?? {};
    const facts = found.map(({ at: _at, vantage: _vantage, log_index: _index, ...change }) => change);
    return { handle, log_index, at, vantage, changes: facts as RecordedChange['changes'] };
  });
}

/** Without those of kinds that were never looked for, which say so and have no vantage. */
const isSeen = ({ vantage }: Pick<Observation, 'vantage'>) => vantage !== '';

/** What a service shows that it observed of a listing: its current facts, and the pages of its history. */
export async function readServedObservations(
  ask: AskService,
  { handle, path, shown }: { handle: string; path: string; shown: readonly Observation[] },
): Promise<ShownObservations> {
  const changes: RecordedChange[] = [];
  for (let before: number | undefined; ; ) {
    const page = `${path}/history.json${before === undefined ? '' : `?before=${before}`}`;
    const answer = readAnswer(page, await ask(page), history);
    changes.push(...toLooks(handle, answer.changes));
    // A page that does not lead on ends the history: what is missing is found in the log.
    if (answer.next_before === undefined || answer.next_before >= (before ?? Infinity)) break;
    before = answer.next_before;
  }
  return { current: shown.filter(isSeen), changes };
}
