import type { Question } from '../../evidence/observation/question.ts';

/** One fact that answers a question, in words. */
export interface Known {
  readonly title: string;
  readonly text: string;
  /** What it means, one sentence. */
  readonly means?: string;
  /** What must be read with it, as that an endpoint did not answer the last time. */
  readonly reason?: string;
  readonly source: string;
  /** RFC 3339. */
  readonly at: string;
  /** Since when Dossier has seen the same, if not only at `at`. */
  readonly since?: string;
  /** What it is about, where there are several. */
  readonly subjects: readonly string[];
}

/** What was not seen, or is not known, about a question: a sentence, and what kind of not knowing it is. */
export interface Unknown {
  readonly text: string;
  readonly state: string;
  /** The place that it is said of, if something else is known of another. */
  readonly at?: string;
}

/** A buyer's question in the three states of knowing: what is known, what was looked for and not seen, what is not known. */
export interface Answer {
  readonly question: Question;
  readonly title: string;
  readonly known: readonly Known[];
  readonly notSeen: readonly Unknown[];
  readonly unknown: readonly Unknown[];
}
