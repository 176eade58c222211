import type { Words } from '../core/words.ts';
import type { Finding, Observation, Question, RecordedSubject } from './observation.ts';
import type { Run, Subject } from './run.ts';

/** What of a finding is shown in words. */
export type ShownFinding = Pick<Observation, 'value' | 'details' | 'as_seen'>;

/** One kind of fact, defined once: every adapter is a loop over the list of kinds (kinds.ts). */
export interface Kind {
  /** Dotted name, as `endpoint.answers`. */
  readonly kind: string;
  /** The buyer's question that it helps to answer. */
  readonly question: Question;
  /** Its name in plain words. */
  readonly title: string;
  /** What it means, one sentence. */
  readonly means: string;
  /** What must not be concluded from it, one sentence. */
  readonly doesNotMean: string;
  readonly unit?: string;
  /** What a change means, in the present tense and without a full stop, as "It lists other tools"; its date is added. */
  readonly changed?: string;
  /** A value that is observed, in words, where the value itself says little to people, as a digest. */
  readonly say?: (found: ShownFinding) => Words;
  /** Changes when the check, and with it the meaning of the fact, changes. */
  readonly method_version: string;
  /** What of a listing's record its facts are about; none if the kind does not apply to the listing. */
  readonly about: (listing: Subject) => readonly RecordedSubject[];
  /** Whether it may be absent without a word; any other is `not_checked` until it was looked for. */
  readonly isOptional?: true;
  /** Its details are a list of tools, which has room of its own. */
  readonly isList?: true;
  /** Every check changes its facts, so that no change of them is recorded. */
  readonly isTally?: true;
  /** Finds the facts of one listing; none if the kind does not apply to it. Absent: it comes from the registry's record. */
  readonly check?: (run: Run) => Promise<readonly Finding[]>;
}

/** Defines a kind of fact. */
export const defineKind = <const K extends Kind>(kind: K): K & Kind => kind;
