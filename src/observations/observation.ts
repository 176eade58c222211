import { z } from 'zod';
import type { Json } from '../core/json.ts';
import { type Words, type WordsPart, wordsSchema } from '../core/words.ts';
import type { NoAnswer } from '../net/answer.ts';
import type { OpenExchange, OpeningMessage } from './endpoint/conversation.ts';
import { type Outcome, outcomes } from './outcome.ts';
import type { CheckEnd, Tally } from './tally.ts';
import { changeClasses } from './tool-change.ts';

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

const value = z.unknown() as z.ZodType<Json>;
const untrusted = z.record(z.string(), z.unknown()).optional();
const maybe = z.string().optional();

const changedFrom = z.object({
  value,
  value_digest: maybe,
  outcome: z.enum(outcomes),
  seen_until: z.string(),
  tools: z
    .array(
      z.object({
        tool: z.string(),
        change: z.enum(['added', 'removed', 'changed']),
        class: z.enum(changeClasses),
      }),
    )
    .optional()
    .describe('Of a set of tools: which differ, 20 of them, and how, what weighs most first'),
  members: z
    .array(
      z.object({
        name: z.string(),
        change: z.enum(['added', 'removed', 'changed']),
        class: z.enum(changeClasses),
      }),
    )
    .optional()
    .describe('The same of prompts, resources or skills'),
  counts: z
    .partialRecord(z.enum(changeClasses), z.number())
    .optional()
    .describe('How many of them differ in each class'),
});

/**
 * A fact that this service checked itself, with its source, date and vantage. Never a rating, never imported.
 */
export const observation = z.object({
  kind: z.string(),
  subject: maybe.describe('The endpoint, package or tool it is about, if there may be several'),
  question: questionName,
  value,
  value_digest: maybe.describe('SHA-256 (RFC 8785) of the whole value, where it is shortened'),
  unit: z.string().optional(),
  outcome: z.enum(outcomes).describe('How the check ended that this is the result of'),
  asks_for: z.enum(['credentials', 'payment']).optional().describe('Of asks: for what it asks first'),
  response: z
    .object({ status: z.number(), media_type: maybe, redirects_to: maybe.describe('Another host') })
    .optional()
    .describe('The HTTP response that came to the newest check in place of a value'),
  is_stale: z.literal(true).optional().describe('Older than three intervals of checks'),
  reason: wordsSchema.optional(),
  details: untrusted.describe('Untrusted data as the source sent it'),
  as_seen: untrusted.describe('Untrusted data of the newest run that may differ from run to run'),
  source: z.string(),
  source_url: z.string().optional(),
  observed_at: maybe.describe('When Dossier last saw this; absent if it has not checked'),
  first_seen_at: maybe.describe('Since when Dossier has seen the same'),
  changed_from: changedFrom.optional().describe('What was seen before the last change, and when last'),
  earlier_changes: z
    .array(
      z.object({
        value,
        value_digest: maybe,
        first_seen_at: z.string(),
        changed_from: changedFrom,
        details: untrusted.describe('Of its details, the numbers'),
      }),
    )
    .optional()
    .describe('Of the changes before the last one, six that weigh most; the history has all'),
  missed_since: maybe.describe(
    'Since when checks have not seen this again, for the reason stated; it is what was seen before',
  ),
  unanswered_since: maybe.describe('The first of those checks that was made and got no answer'),
  vantage: z.string(),
  method_version: z.string(),
});

/** Names the reason of a fact without the sentence that it is stale; JSON has only the whole. */
export const ownReason = Symbol('own reason');
/** Names why the checks since `missed_since` did not see a fact again; JSON has it within its reason. */
export const missedReason = Symbol('reason of checks that did not see it again');
/** A change before the last one: what it was to and from. */
export type EarlierChange = NonNullable<z.infer<typeof observation>['earlier_changes']>[number];

export type Observation = z.infer<typeof observation> & {
  readonly [ownReason]?: Words | undefined;
  readonly [missedReason]?: Words;
};

/** An observation that Dossier has looked for, which has dates. */
export type DatedObservation = Observation & Required<Pick<Observation, 'observed_at' | 'first_seen_at'>>;

/** Whether an observation has the dates of a run. */
export const isDated = (one: Observation): one is DatedObservation =>
  one.observed_at !== undefined && one.first_seen_at !== undefined;

/**
 * Which of the three states of knowing, on every adapter, a fact is in: `known`, a value with its date;
 * `not_seen`, looked for, and not there or not shown, with the date; `not_known`, not asked. What is stale or
 * was missed is known as of its date.
 */
export function knowingOf({ value, outcome }: Pick<Observation, 'value' | 'outcome'>) {
  if (outcome === 'not_asked') return 'not_known';
  return value === null || outcome === 'absent' ? 'not_seen' : 'known';
}

/** The outcome of a fact that is not stale: what a rule may decide by. */
export const currentOutcome = (one?: Pick<Observation, 'outcome' | 'is_stale'>): Outcome | undefined =>
  one?.is_stale ? undefined : one?.outcome;

/** What of a listing's record a fact is about: one endpoint, host, package or repository. */
export interface RecordedSubject {
  /** As it is shown; absent if the listing has only one. */
  readonly subject?: string;
  /**
   * As the record has it, if that is more than the subject says: `npm:name@1.0.0`. A fact about anything else
   * is history.
   */
  readonly recorded?: string;
}

/**
 * What is particular about a finding when it is joined with what was known (compare.ts). `rare`: without a
 * value there is no such fact until one was seen. `together`: said of all subjects of the kind, only while a
 * value was seen of none. `part`: only a part of the value was learned, so that it changes nothing that was
 * seen. `passing`: the same as `rare`, and another answer may come the next time, so that what was seen
 * stands. `gone`: the value says that something is not there, and counts as `absent` does.
 */
type CompareRule = 'rare' | 'together' | 'part' | 'passing' | 'gone';

/** What one check found, before it is dated. */
export interface Finding<Value extends Json = Json> extends RecordedSubject {
  readonly value: Value | null;
  /** SHA-256 of the whole value (RFC 8785), where the value is stored shortened. */
  readonly value_digest?: string;
  readonly outcome: Outcome;
  readonly asks_for?: NoAnswer['asks_for'];
  /** The HTTP response that came in place of a value. */
  readonly response?: Exclude<Observation['response'], undefined>;
  /** What else is to be said of it, in whole sentences. */
  readonly why?: Words;
  readonly details?: Readonly<Record<string, unknown>>;
  /** What may differ from run to run without a change of the fact: digests, signatures with an end. */
  readonly as_seen?: Readonly<Record<string, unknown>>;
  readonly rule?: CompareRule;
  /** Of a tally, which counts it: how the check ended. Its value is the tally. */
  readonly ended?: CheckEnd;
  /** Of a fact from an endpoint: the exchange that decided it. */
  readonly by?: OpeningMessage;
  /**
   * The exchange that had no lasting answer: a fact that it decided stands, and what it decides the next time
   * is no change.
   */
  readonly open?: OpenExchange;
  /** Its details are stored shortened, so that they say nothing of what they lack. */
  readonly isShort?: true;
  readonly source: string;
  readonly source_url?: string;
}

const lastFields = [
  ...(['value', 'outcome', 'asks_for', 'details', 'observed_at', 'first_seen_at'] as const),
  ...(['changed_from', 'earlier_changes', 'method_version', 'rule', 'value_digest', 'by', 'open'] as const),
] as const;
/** A value as it was last seen, stored behind a state without one. */
export type LastValue = Pick<StoredObservation, (typeof lastFields)[number]>;
export const toLast = (known: StoredObservation) =>
  Object.fromEntries(
    lastFields.filter((name) => name in known).map((name) => [name, known[name]]),
  ) as LastValue;

/** An observation as it is stored; its question and unit follow from its kind. */
export interface StoredObservation extends Omit<Finding, 'why' | 'open' | 'ended'> {
  readonly kind: string;
  readonly why?: readonly WordsPart[];
  readonly open?: { readonly exchange: OpeningMessage; readonly why: readonly WordsPart[] };
  readonly observed_at: string;
  readonly first_seen_at: string;
  readonly changed_from?: Observation['changed_from'] & object;
  readonly earlier_changes?: EarlierChange[];
  readonly vantage: string;
  readonly method_version: string;
  /** Since when, and why, checks after `observed_at` have not seen it again. */
  readonly missed?: {
    readonly since: string;
    readonly why?: readonly WordsPart[];
    /**
     * The first of them that was made, and got no answer; the outcome of all of these, if it was the same.
     */
    readonly unanswered?: string;
    readonly outcome?: Outcome;
    /** Of the newest of them. */
    readonly response?: Finding['response'];
  };
  /** The first of the checks that found it gone, while only one is not enough to say so. */
  readonly absent_since?: string;
  readonly last?: LastValue;
  readonly tally?: Tally;
}

/** What of a fact is compared between runs. */
export type Essence = Pick<Finding, 'value' | 'value_digest' | 'outcome' | 'asks_for'>;

/** What a change records of a fact: also what is shown of it. */
type RecordedEssence = Essence & Pick<Finding, 'details'>;

/** One change of a fact between two runs; the log commits to it. */
export interface ObservationChange {
  readonly kind: string;
  readonly subject?: string;
  /** Absent if the fact was seen for the first time. */
  readonly before?: RecordedEssence & {
    readonly seen_until: string;
    /** The first check that an endpoint did not answer, of those that led to the change. */
    readonly unanswered_since?: string;
  };
  readonly after: RecordedEssence;
  /**
   * The change item by item, where its kind has one: for a set of tools, which differ and how, the 100 that
   * weigh most.
   */
  readonly items?: readonly object[];
  /** How many items there are of each class. */
  readonly counts?: Readonly<Record<string, number>>;
}
