import { own, phrase, Words, type WordsPart, within } from '../../core/words.ts';
import type { NoAnswer, OutcomeWithoutValue } from '../../net/answer.ts';

export type Outcome = 'seen' | OutcomeWithoutValue;

const words: Readonly<Record<Outcome, Words>> = {
  seen: own('seen'),
  nothing: own('looked for, none stated'),
  asks: own('it asks for credentials first'),
  absent: own('looked for, not found'),
  otherwise: own('something else was returned'),
  silent: own('no usable answer came'),
  refused: own('the check was refused'),
  not_asked: own('not asked, or asked to wait'),
};
export const outcomes = Object.keys(words) as [Outcome, ...Outcome[]];

const asksFor = {
  credentials: words.asks,
  payment: own('it asks for a payment first'),
  secret: own('it refuses without the secret that its record requires'),
} as const;

interface Ended {
  readonly outcome: Outcome;
  readonly asks_for?: NoAnswer['asks_for'] | undefined;
}

export const outcomeWords = ({ outcome, asks_for }: Ended): Words =>
  asks_for ? asksFor[asks_for] : words[outcome];

/** With its reason, if one is known, for the middle of a sentence. */
export const endedWords = ({
  why = [],
  ...ended
}: Ended & { readonly why?: readonly WordsPart[] | undefined }) =>
  ended.outcome === 'asks' || why.length === 0 ? outcomeWords(ended) : within(phrase(new Words(why)));

export const isLearnedOutcome = (outcome: Outcome): boolean =>
  outcome === 'seen' || outcome === 'nothing' || outcome === 'asks' || outcome === 'absent';

/** `silent`: no usable answer came. `otherwise`: something else came. */
export const isUnanswered = (outcome: Outcome): boolean => outcome === 'silent' || outcome === 'otherwise';
