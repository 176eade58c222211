import { z } from 'zod';
import type { Json } from '../../core/json.ts';
import { own, type Words, type WordsPart, wordsSchema } from '../../core/words.ts';
import type { OpenExchange } from '../asked/endpoint/conversation.ts';
import { type Outcome, outcomes } from '../asked/outcome.ts';
import type { RecordedSubject } from '../asked/run.ts';
import type { CheckEnd, Tally } from './timeline/tally.ts';
import type { Essence, Gap, Reading } from './timeline/timeline.ts';

/** The weightiest first, each as it begins a phrase. */
export const changeClassWords = {
  secret: own('a newly secret argument in'),
  hints: own('changed hints of'),
  words: own('changed words in'),
  files: own('changed files in'),
  removed: own('removed'),
  required: own('a newly required argument in'),
  arguments: own('changed arguments in'),
  result: own('a changed result schema in'),
  added: own('added'),
};
export type ChangeClass = keyof typeof changeClassWords;
export const changeClasses = Object.keys(changeClassWords) as [ChangeClass, ...ChangeClass[]];

export type ChangeCounts = Readonly<Partial<Record<ChangeClass, number>>>;

export function sumOfClasses(all: readonly ChangeCounts[]): ChangeCounts | undefined {
  const sums = changeClasses.flatMap((name) => {
    const sum = all.reduce((total, counts) => total + (counts[name] ?? 0), 0);
    return sum > 0 ? [[name, sum]] : [];
  });
  return sums.length > 0 ? Object.fromEntries(sums) : undefined;
}

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

export const questions = Object.keys(questionTitles) as [Question, ...Question[]];

export const questionName = z.enum(questions);

const value = z.unknown() as z.ZodType<Json>;
const untrusted = z.record(z.string(), z.unknown()).optional();
const maybe = z.string().optional();

const changedMember = {
  change: z.enum(['added', 'removed', 'changed']),
  class: z.enum(changeClasses),
  arguments: z.array(z.string()).optional(),
};

const changedFrom = z.object({
  value,
  value_digest: maybe,
  outcome: z.enum(outcomes),
  seen_until: z.string(),
  seen_from: z.string().describe('The first check that saw the change'),
  turns: z
    .object({ since: z.string(), states: z.number(), changes: z.number() })
    .optional()
    .describe('How often it changed among states that each came back'),
  tools: z
    .array(z.object({ tool: z.string(), ...changedMember }))
    .optional()
    .describe('The tools that differ and how: at most 20, the weightiest first'),
  members: z
    .array(z.object({ name: z.string(), ...changedMember }))
    .optional()
    .describe('The prompts, resources or skills that differ and how: at most 20, the weightiest first'),
  counts: z
    .partialRecord(z.enum(changeClasses), z.number())
    .optional()
    .describe('How many members differ in each class'),
  difference: z
    .object({ items: z.array(z.unknown()), counts: z.record(z.string(), z.number()) })
    .optional()
    .describe('What differs between the two whole values: at most 20 items, all of them counted'),
});

export const observation = z.object({
  kind: z.string(),
  subject: maybe.describe('The thing that it is about, such as an endpoint or a package'),
  question: questionName,
  value,
  value_digest: maybe.describe('SHA-256 (RFC 8785) of {"value": …} before the value was shortened'),
  unit: z.string().optional(),
  outcome: z.enum(outcomes).describe('How the check ended'),
  asks_for: z
    .enum(['credentials', 'payment', 'secret'])
    .optional()
    .describe('What it asks for first, if the outcome is asks; secret: as recorded, so it refused'),
  response: z
    .object({ status: z.number(), media_type: maybe, redirects_to: maybe.describe('A different host') })
    .optional()
    .describe('The HTTP response that came instead of a value in the newest check'),
  is_stale: z.literal(true).optional().describe('Older than three intervals of checks'),
  reason: wordsSchema.optional(),
  details: untrusted.describe('Untrusted data beside the value'),
  as_seen: untrusted.describe('Untrusted data that may differ from check to check, as last seen'),
  source: z.string(),
  source_url: z.string().optional(),
  observed_at: maybe.describe('When Dossier last saw this; absent if it has not checked'),
  first_seen_at: maybe.describe('Since when Dossier has seen it unchanged'),
  not_asked_since: maybe.describe('Until first_seen_at: the first check that did not find it in the record'),
  changed_from: changedFrom.optional().describe('What was seen before the last change, and until when'),
  earlier_changes: z
    .array(
      z.object({
        value,
        value_digest: maybe,
        first_seen_at: z.string(),
        changed_from: changedFrom,
        details: untrusted.describe('The numbers among the details after this change'),
      }),
    )
    .optional()
    .describe('The weightiest of the changes before the last one, at most six; the history has all'),
  parts: z
    .record(z.string(), z.object({ since: z.string(), before_until: maybe }))
    .optional()
    .describe(
      'Since when parts of the value are the same, or none of the payees is new, and until when it was otherwise',
    ),
  missed_since: maybe.describe(
    'Since when checks have not seen this again, although it was seen before; `reason` says why',
  ),
  unanswered_since: maybe.describe('The first check since `missed_since` without a usable answer'),
  vantage: z.string(),
  method_version: z.string(),
});

/** Without what later checks, or their lack, add to it; JSON has only the whole reason. */
export const ownReason = Symbol('own reason');
/** Why checks since `missed_since` did not see the fact. */
export const missedReason = Symbol('reason of checks that did not see it again');
/** As it was when a check last saw a value, if the newest state has none. */
export const lastKnown = Symbol('as last seen');
/** When the newest check asked about it, whether or not that saw it again. */
export const checked_at = Symbol('time of the newest check');
/** Since when the listing is not known to have had another, wherever its record pointed. */
export const sameSince = Symbol('since when the listing has the same');
/** How the checks of each day ended; JSON has only their sums. */
export const daysOfChecks = Symbol('how the checks of each day ended');
export type EarlierChange = NonNullable<z.infer<typeof observation>['earlier_changes']>[number];

export type Observation = z.infer<typeof observation> & {
  readonly [ownReason]?: Words | undefined;
  readonly [missedReason]?: Words;
  readonly [lastKnown]?: Observation;
  readonly [checked_at]?: string | undefined;
  readonly [daysOfChecks]?: Tally;
  readonly [sameSince]?: StoredObservation['same'];
};

export type DatedObservation = Observation & Required<Pick<Observation, 'observed_at' | 'first_seen_at'>>;

export const isDated = (one: Observation): one is DatedObservation =>
  one.observed_at !== undefined && one.first_seen_at !== undefined;

export function knowingOf({ value, outcome }: Pick<Observation, 'value' | 'outcome'>) {
  if (outcome === 'not_asked') return 'not_known';
  return value === null || outcome === 'absent' ? 'not_seen' : 'known';
}

export const currentOutcome = (one?: Pick<Observation, 'outcome' | 'is_stale'>): Outcome | undefined =>
  one?.is_stale ? undefined : one?.outcome;

/**
 * `rare`: without a value, stored only if the fact was known before. `together`: about all subjects of the
 * kind, stored only if no value was seen before. `unsure`: says nothing against what is known, because the
 * check did not see all.
 */
type FindingRule = 'rare' | 'together' | 'unsure';

export interface Finding<Value extends Json = Json>
  extends RecordedSubject,
    Omit<Essence, 'value'>,
    Pick<Reading, 'source' | 'source_url' | 'by' | 'mayPass' | 'details' | 'one_session_at' | 'as_seen'> {
  readonly value: Value | null;
  /** The whole value, if `value` is a summary of it. Two findings are equal if their whole values are. */
  readonly whole?: Json;
  /** The digest by which whole values are compared, if it is not the SHA-256 (RFC 8785) of `{ value }`. */
  readonly whole_digest?: string;
  readonly response?: Exclude<Observation['response'], undefined>;
  readonly why?: Words;
  readonly rule?: FindingRule;
  /** If the fact counts checks; its value is then the tally. */
  readonly ended?: CheckEnd;
  /** Perhaps only for a time, so a fact that this exchange decided before is kept. */
  readonly open?: OpenExchange;
}

/** As its timeline says (standing.ts). Question and unit follow from the kind. */
export interface StoredObservation extends Omit<Reading, 'by' | 'open' | 'mayPass'> {
  readonly kind: string;
  readonly subject?: string;
  readonly observed_at: string;
  readonly first_seen_at: string;
  readonly checks: number;
  /** Later checks saw it too; the last one by the day asked for is no longer stored. */
  readonly beyond?: true;
  readonly changed_from?: Observation['changed_from'] & object;
  readonly earlier_changes?: EarlierChange[];
  readonly parts?: Observation['parts'] & object;
  /** As `parts`, of the whole value. */
  readonly same: NonNullable<Observation['parts']>[string];
  /** Checks after `observed_at` did not see it again; `why` is of the newest. */
  readonly missed?: {
    readonly since: string;
    /** The newest of these checks; what was stored before 30 November 2026 lacks it. */
    readonly until?: string;
    readonly why?: readonly WordsPart[];
    /** `outcome` is set if all of these checks ended in the same way. */
    readonly unanswered?: string;
    readonly outcome?: Outcome;
    readonly response?: Reading['response'];
  };
  readonly tally?: Tally;
  /** Until `first_seen_at`, no check asked about it. */
  readonly away?: Gap;
  readonly last_known?: StoredObservation;
}

/** `why`: of an end that says little by itself, the same in all readings since then. */
type RecordedEssence = Essence & Pick<Finding, 'details'> & Pick<Reading, 'why'>;

export interface ObservationChange {
  readonly kind: string;
  readonly subject?: string;
  /** Absent if the fact was seen for the first time. */
  readonly before?: RecordedEssence & {
    readonly seen_until: string;
    /** States of two methods cannot be compared. */
    readonly by_other_method?: true;
  };
  readonly after: RecordedEssence;
  /** When a check before this one found what is after, and when a later one confirmed it. */
  readonly since?: string;
  readonly confirmed_at?: string;
  /** Later changes between the two states are no entries. */
  readonly alternates_since?: string;
  readonly items?: readonly object[];
  readonly counts?: Readonly<Record<string, number>>;
}
