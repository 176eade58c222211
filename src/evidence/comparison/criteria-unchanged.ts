import { type DatedObservation, isDated, type Observation } from '../observation/observation.ts';
import { endpointsOf, notForPackages, type RecordedEndpoint, unseenPriceOf } from './criteria-endpoint.ts';
import {
  type ComparedListing,
  type Criterion,
  daysSince,
  type Finding,
  numberCriterion,
  observedFinding,
  unseenFinding,
  worstOf,
} from './criterion.ts';

const evidence = 'observed';
const maxDays = 3650;

/** What did not change, in the words of the facts. */
interface Watched {
  readonly kind: string;
  /** As the beginning of a sentence: "The tools that the endpoint lists". */
  readonly subject: string;
}

const day = (time: string) => time.slice(0, 10);

/** Whether one fact has been the same for so many days, as far as it was looked at. */
function judgeOne(one: DatedObservation, days: number, { subject }: Watched): Finding {
  const [since, until] = [day(one.first_seen_at), day(one.observed_at)];
  const same = `${subject} were the same each time that Dossier saw them from ${since} to ${until}`;
  const seen_days = daysSince(one.first_seen_at, Date.parse(one.observed_at)) ?? 0;
  if (seen_days >= days) return observedFinding(one, { result: 'met', fact: `${same}.` });
  const before = one.changed_from;
  if (before && before.value !== null) {
    const fact = `${subject} changed: Dossier has seen the present ones since ${since}, and others until ${day(before.seen_until)}.`;
    return observedFinding(one, { result: 'not_met', fact });
  }
  return observedFinding(one, { result: 'unknown', fact: `${same}; that is less than was asked for.` });
}

/** The worst finding over all recorded endpoints; one without the fact is unknown unless it `needs` none. */
function unchangedFor(
  compared: ComparedListing,
  days: number,
  watched: Watched,
  needs: (endpoint: RecordedEndpoint) => boolean = () => true,
): Finding {
  const endpoints = endpointsOf(compared);
  if (endpoints.length === 0) return notForPackages(compared);
  const unseen = (one?: Observation) =>
    unseenFinding(compared, `${watched.subject} are not known to Dossier`, one);
  const findings = endpoints.flatMap((endpoint): Finding[] => {
    const one = endpoint.factOf(watched.kind);
    if (one?.state === 'observed' && isDated(one)) return [judgeOne(one, days, watched)];
    return one || needs(endpoint) ? [unseen(one)] : [];
  });
  return worstOf(findings) ?? unseen();
}

const payToUnchangedFor = numberCriterion(
  { evidence, label: 'The same addresses to pay for at least {} day(s)', max: maxDays },
  (compared, days) =>
    unchangedFor(
      compared,
      days,
      { kind: 'price.pay_to', subject: 'The addresses that the endpoint asks to be paid at' },
      (endpoint) => unseenPriceOf(endpoint) !== undefined,
    ),
);

const toolsUnchangedFor = numberCriterion(
  { evidence, label: 'The same tools for at least {} day(s)', max: maxDays },
  (compared, days) =>
    unchangedFor(compared, days, { kind: 'tools.surface', subject: 'The tools that the endpoint lists' }),
);

/** Criteria judged by how long Dossier has seen the same. */
export const unchangedCriteria = {
  pay_to_unchanged_for: payToUnchangedFor,
  tools_unchanged_for: toolsUnchangedFor,
} as const satisfies Record<string, Criterion>;
