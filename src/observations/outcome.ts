import { own, type Words } from '../core/words.ts';
import type { NoAnswer, OutcomeWithoutValue } from '../net/answer.ts';

export type Outcome = 'seen' | OutcomeWithoutValue;

/** The words of each outcome, the same on every adapter. Only `silent` says that there was no answer. */
const words: Readonly<Record<Outcome, Words>> = {
  seen: own('seen'),
  nothing: own('looked for, none stated'),
  asks: own('it asks for credentials first'),
  absent: own('looked for, not found'),
  otherwise: own('something else was returned'),
  silent: own('no answer came'),
  refused: own('the check was refused'),
  not_asked: own('not asked'),
};
export const outcomes = Object.keys(words) as [Outcome, ...Outcome[]];

const payment = own('it asks for a payment first');

export const outcomeWords = ({
  outcome,
  asks_for,
}: {
  readonly outcome: Outcome;
  readonly asks_for?: NoAnswer['asks_for'] | undefined;
}): Words => (asks_for === 'payment' ? payment : words[outcome]);

/**
 * Tells whether a check learned something about the service: a value, that it states none, what it asks for,
 * or that it is not there.
 */
export const isLearnedOutcome = (outcome: Outcome): boolean =>
  outcome === 'seen' || outcome === 'nothing' || outcome === 'asks' || outcome === 'absent';

/** Tells whether a check was made and the address did not answer as what it is recorded as. */
export const isUnanswered = (outcome: Outcome): boolean => outcome === 'silent' || outcome === 'otherwise';
