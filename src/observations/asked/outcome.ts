import { own, type Words } from '../../core/words.ts';
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

export const isLearnedOutcome = (outcome: Outcome): boolean =>
  outcome === 'seen' || outcome === 'nothing' || outcome === 'asks' || outcome === 'absent';

/** `silent`: no usable answer came. `otherwise`: something else came. */
export const isUnanswered = (outcome: Outcome): boolean => outcome === 'silent' || outcome === 'otherwise';
