import type { NotKnownItem } from '../listing/listing-document.ts';
import type { FactGroup, NotKnownSummary } from './agent-summary.ts';

/** States that say all that there is to say without the reason. */
const plainStates: readonly NotKnownItem['state'][] = ['not_checked', 'not_stated', 'not_found'];

/**
 * What is not known, an item for each question and state. The kinds are named where something else is known about the
 * question; the reason where the state alone does not say it.
 */
export function toNotKnownSummary(
  items: readonly NotKnownItem[],
  facts: readonly FactGroup[],
): NotKnownSummary[] {
  const groups = Map.groupBy(items, ({ question, state, reason }) =>
    JSON.stringify([question, state, plainStates.includes(state) ? '' : reason]),
  );
  return [...groups].map(([key, ofGroup]) => {
    const [question, state, reason] = JSON.parse(key) as [
      NotKnownItem['question'],
      NotKnownItem['state'],
      string,
    ];
    const ofQuestion = items.filter((item) => item.question === question);
    const isPart = ofGroup.length < ofQuestion.length || facts.some((group) => group.question === question);
    return {
      question,
      state,
      ...(isPart && { kinds: ofGroup.map(({ kind }) => kind) }),
      ...(reason && { reason }),
    };
  });
}
