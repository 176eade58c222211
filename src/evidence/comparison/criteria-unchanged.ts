import { type DatedObservation, isDated } from '../observation/observation.ts';
import {
  type ComparedListing,
  type Criterion,
  daysSince,
  type Finding,
  numberCriterion,
  observedFinding,
  unseenFinding,
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

/** Whether one fact has been the same for so many days. Without a change seen, only the time since the first look counts. */
function judgeOne(one: DatedObservation, { subject }: Watched, isLongEnough: boolean): Finding {
  const since = day(one.first_seen_at);
  if (one.changed_from?.state === 'observed' && !isLongEnough) {
    const fact = `${subject} changed: Dossier has seen the present ones since ${since}, and others until ${day(one.changed_from.seen_until)}.`;
    return observedFinding(one, { result: 'not_met', fact });
  }
  if (isLongEnough)
    return observedFinding(one, {
      result: 'met',
      fact: `${subject} were the same in every look since ${since}.`,
    });
  const fact = `${subject} were the same in every look since ${since}; what was there before, Dossier has not seen.`;
  return observedFinding(one, { result: 'unknown', fact });
}

const order = { not_met: 0, unknown: 1, met: 2 } as const;

/** The worst finding over all endpoints of a listing. */
function unchangedFor(compared: ComparedListing, days: number, watched: Watched): Finding {
  const found = compared.listing.observations.filter(({ kind }) => kind === watched.kind);
  const unseen = found.find(({ state }) => state !== 'observed');
  const findings = found
    .filter(isDated)
    .filter(({ state }) => state === 'observed')
    .map((one) => judgeOne(one, watched, (daysSince(one.first_seen_at, compared.now_ms) ?? 0) >= days));
  if (unseen || findings.length === 0)
    findings.push(unseenFinding(compared, `${watched.subject} are not known to Dossier`, unseen));
  return findings.toSorted((a, b) => order[a.result] - order[b.result])[0] as Finding;
}

const payToUnchangedFor = numberCriterion(
  { evidence, label: 'The same addresses to pay for at least {} day(s)', max: maxDays },
  (compared, days) =>
    unchangedFor(compared, days, {
      kind: 'price.pay_to',
      subject: 'The addresses that the endpoint asks to be paid at',
    }),
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
