import { z } from 'zod';
import { counted, day_ms } from '../core/text.ts';
import type { Exchange, OpenExchange } from './endpoint/ask.ts';

/** The questions of a buyer, in the order that every adapter shows them, each in plain words. */
export const questionTitles = {
  price: 'What does it cost, and who is paid?',
  reach: 'Does it answer, and how is it reached?',
  tools: 'What can it do, and did that change?',
  access: 'What does it ask for?',
  publisher: 'Who stands behind it?',
  code: 'Is the package built from the public code?',
  upkeep: 'Is it kept up?',
  ratings: 'What happened to others?',
  terms: 'On what terms, and where does my data go?',
} as const;

export type Question = keyof typeof questionTitles;

/** The questions in their order. */
export const questions = Object.keys(questionTitles) as [Question, ...Question[]];

/** A question by its name. */
export const questionName = z.enum(questions);

/** How many checks of each day (UTC) were `answered`, or ended in each class of failure. */
type Tally = Readonly<Record<string, Readonly<Record<string, number>>>>;

const longest_days = 90;

/** The days of a tally from which on a window of this length that ends at a time counts. */
const within = (tally: Tally, at: string, days: number): Tally => {
  const from = new Date(Date.parse(at) - (days - 1) * day_ms).toISOString().slice(0, 10);
  return Object.fromEntries(Object.entries(tally).filter(([day]) => day >= from));
};

/** A tally with one more check; days before the longest window are left out. */
export function addCheck(tally: Tally, at: string, ended: string): Tally {
  const day = at.slice(0, 10);
  const { [ended]: before = 0, ...others } = tally[day] ?? {};
  return { ...within(tally, at, longest_days), [day]: { ...others, [ended]: before + 1 } };
}

function toWindow(tally: Tally, at: string, days: number) {
  const sums: Record<string, number> = {};
  for (const ofDay of Object.values(within(tally, at, days)))
    for (const [ended, times] of Object.entries(ofDay)) sums[ended] = (sums[ended] ?? 0) + times;
  const { answered = 0, ...others } = sums;
  const made = Object.values(sums).reduce((sum, times) => sum + times, 0);
  return { days, made, answered, others };
}

const toWords = ({ days, made, answered, others }: ReturnType<typeof toWindow>) => {
  const failed = Object.entries(others).map(([ended, times]) => `${ended.replaceAll('_', ' ')} ${times}`);
  const classes = failed.length > 0 ? ` (the others: ${failed.join(', ')})` : '';
  return `${answered} of ${counted(made, 'check')} in ${days} days were answered${classes}`;
};

/** What a tally says at the time of its newest check. */
export function toTallied(tally: Tally, at: string) {
  const [days_30, days_90] = [toWindow(tally, at, 30), toWindow(tally, at, longest_days)];
  const [first = at.slice(0, 10)] = Object.keys(tally).sort();
  return {
    value: `${days_30.answered} of ${days_30.made}`,
    reason: `On ${at.slice(0, 10)}, ${toWords(days_30)}, and ${toWords(days_90)}. The first check that is counted was on ${first}.`,
    details: { days_30, days_90, first_check: first },
  };
}

/**
 * How a check ended, in words, the same on every adapter; a fact is never just absent. The last three are states of prices.
 * `unreachable`: no answer, with the tries; `auth_first`: it asks for credentials before it shows anything; `refused`: it
 * (or robots.txt, or the publisher) refuses the check; `stale`: older than three intervals.
 */
export const stateWords = {
  observed: 'seen',
  not_found: 'looked for, not found',
  not_stated: 'not stated',
  auth_first: 'it asks for credentials first',
  refused: 'the check was refused',
  unreachable: 'it did not answer',
  not_checked: 'not checked by Dossier',
  unrecognised: 'in a form that Dossier does not know',
  stale: 'not checked lately',
  quoted: 'quoted by the endpoint',
  advertised: 'advertised',
  no_price_seen: 'looked for, none stated',
} as const;
export type ObservationState = keyof typeof stateWords;
export const observationStates = Object.keys(stateWords) as [ObservationState, ...ObservationState[]];

/** The states in which the value is known as of `observed_at`. */
export const valueStates: readonly ObservationState[] = ['observed', 'quoted', 'advertised'];

/** A value of JSON. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

const value = z.unknown() as z.ZodType<Json>;
const untrusted = z.record(z.string(), z.unknown()).optional();
const maybe = z.string().optional();

/** A fact that this service checked itself, with its source, date and vantage. Never a rating, never imported. */
export const observation = z.object({
  kind: z.string(),
  subject: maybe.describe('The endpoint, package or tool it is about, if there may be several'),
  question: questionName,
  value,
  value_digest: maybe.describe('SHA-256 (RFC 8785) of the whole value, where it is shortened'),
  unit: z.string().optional(),
  state: z.enum(observationStates),
  reason: z.string().optional(),
  details: untrusted.describe('Untrusted data as the source sent it'),
  as_seen: untrusted.describe('Untrusted data of the newest run that may differ from run to run'),
  source: z.string(),
  source_url: z.string().optional(),
  observed_at: maybe.describe('When Dossier last saw this; absent if it has not checked'),
  first_seen_at: maybe.describe('Since when Dossier has seen the same'),
  changed_from: z
    .object({
      ...{ value, value_digest: maybe, state: z.enum(observationStates), seen_until: z.string() },
      tools: z
        .array(z.object({ tool: z.string(), change: z.enum(['added', 'removed', 'changed']) }))
        .optional()
        .describe('Of a set of tools: which differ, the first 20'),
    })
    .optional()
    .describe('What was seen before the last change, and when last'),
  missed_since: maybe.describe(
    'Since when checks have not seen this again, for the reason stated; it is what was seen before',
  ),
  unanswered_since: maybe.describe('The first of those checks that was made and got no answer'),
  last_state: z.enum(observationStates).optional().describe('Of a stale fact: how its last check ended'),
  vantage: z.string(),
  method_version: z.string(),
});
export type Observation = z.infer<typeof observation>;

/** An observation that Dossier has looked for, which has dates. */
export type DatedObservation = Observation & Required<Pick<Observation, 'observed_at' | 'first_seen_at'>>;

/** Whether an observation has the dates of a run. */
export const isDated = (one: Observation): one is DatedObservation =>
  one.observed_at !== undefined && one.first_seen_at !== undefined;

/**
 * Which of the three states of knowing, on every adapter, a fact is in: `known`, a value with its date; `not_seen`, looked for, and not
 * there or not shown, with the date; `not_known`, not checked or not stated. What is stale or was missed is known as of its date.
 */
export function knowingOf({ value, state }: Pick<Observation, 'value' | 'state'>) {
  if (state === 'not_checked' || state === 'not_stated') return 'not_known';
  return value === null || state === 'not_found' ? 'not_seen' : 'known';
}

/** What of a listing's record a fact is about: one endpoint, host, package or repository. */
export interface RecordedSubject {
  /** As it is shown; absent if the listing has only one. */
  readonly subject?: string;
  /** As the record has it, if that is more than the subject says: `npm:name@1.0.0`. A fact about anything else is history. */
  readonly recorded?: string;
}

/** What one check found, before it is dated. */
export interface Finding extends RecordedSubject {
  readonly value: Observation['value'];
  /** SHA-256 of the whole value (RFC 8785), where the value is stored shortened. */
  readonly value_digest?: string;
  readonly state: ObservationState;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What may differ from run to run without a change of the fact: digests, signatures with an end. */
  readonly as_seen?: Readonly<Record<string, unknown>>;
  /** In which of several forms it was sent, and a digest of what all of them have in common. */
  readonly form?: { readonly name: string; readonly common: string };
  /** Of a finding without a value: there is no such fact until a value of it was seen. */
  readonly onlyIfSeen?: true;
  /** Said of all subjects of the kind together: only while a value was seen of none. */
  readonly unlessSeen?: true;
  /** Of a finding without a value: another answer may come the next time, so a value that was seen stands. */
  readonly mayPass?: true;
  /** Of a finding with a value: only a part of it was learned. It is shown until all of it is, and changes nothing that was seen. */
  readonly isPartial?: true;
  /** Of a fact from an endpoint: the exchange that decided it. */
  readonly by?: Exchange;
  /** The exchange that had no lasting answer: a fact that it decided stands, and what it decides the next time is no change. */
  readonly open?: OpenExchange;
  /** How a check ended, as a tally counts it: `answered`, or a class of failure. */
  readonly ended?: string;
  /** Of a finding with a value: it says that something is not there, and counts as `not_found` does if another value was seen. */
  readonly isAbsence?: true;
  /** Its details are stored shortened, so that they say nothing of what they lack. */
  readonly isShort?: true;
  readonly source: string;
  readonly source_url?: string;
}

const lastFields = [
  ...(['value', 'state', 'details', 'form', 'observed_at', 'first_seen_at', 'changed_from'] as const),
  ...(['method_version', 'isPartial', 'isShort', 'value_digest', 'by', 'open'] as const),
] as const;
/** A value as it was last seen, stored behind a state without one. */
export type LastValue = Pick<StoredObservation, (typeof lastFields)[number]>;
export const toLast = (known: StoredObservation) =>
  Object.fromEntries(
    lastFields.filter((name) => name in known).map((name) => [name, known[name]]),
  ) as LastValue;

/** An observation as it is stored; its question and unit follow from its kind. */
export interface StoredObservation
  extends Omit<Finding, 'onlyIfSeen' | 'unlessSeen' | 'mayPass' | 'isAbsence' | 'ended'> {
  readonly kind: string;
  readonly observed_at: string;
  readonly first_seen_at: string;
  readonly changed_from?: Observation['changed_from'] & object;
  readonly vantage: string;
  readonly method_version: string;
  /** Since when, and why, checks after `observed_at` have not seen it again. */
  readonly missed?: {
    readonly since: string;
    readonly reason: string;
    /** The first of them that was made, and got no answer. */
    readonly unanswered?: string;
  };
  /** The first of the checks that found it gone, while only one is not enough to say so. */
  readonly absent_since?: string;
  readonly last?: LastValue;
  readonly tally?: Tally;
}

/** One change of a fact between two runs; the log commits to it. */
export interface ObservationChange {
  readonly kind: string;
  readonly subject?: string;
  /** Absent if the fact was seen for the first time. */
  readonly before?: Pick<Finding, 'value' | 'state' | 'details'> & {
    readonly seen_until: string;
    /** The first check that an endpoint did not answer, of those that led to the change. */
    readonly unanswered_since?: string;
  };
  readonly after: Pick<Finding, 'value' | 'state' | 'details'>;
  /** The change item by item, where its kind has one: for a set of tools, which differ and how. */
  readonly items?: readonly object[];
}
