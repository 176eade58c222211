import type { ListingDocument, NotKnownItem, NotSeenItem } from '../listing/listing-document.ts';
import { toSplitKinds } from '../listing/sentences/not-known.ts';
import type { FactGroup, NotKnownSummary, NotSeenSummary } from './agent-summary.ts';

/** What is not known, an item for each question and state. The kinds are named if something else is known about the question. */
export function toNotKnownSummary(
  items: readonly NotKnownItem[],
  about: readonly Pick<FactGroup, 'question'>[],
): NotKnownSummary[] {
  const groups = Map.groupBy(items, ({ question, state }) => `${question} ${state}`);
  return [...groups.values()].map((ofGroup) => {
    const [{ question, state }] = ofGroup as [NotKnownItem];
    const others = [...items.filter((item) => !ofGroup.includes(item)), ...about];
    const isPart = others.some((one) => one.question === question);
    return { question, state, ...(isPart && { kinds: ofGroup.map(({ kind }) => kind) }) };
  });
}

/** States that say all that there is to say without the reason. */
const plainStates: readonly NotSeenItem['state'][] = ['not_found', 'no_price_seen', 'auth_first'];

/**
 * What was looked for and not seen, an item for each state and day, with the reason if the state alone does not say it, and
 * the place if another one answered differently. The ratings have a statement of their own.
 */
export function toNotSeenSummary({
  not_seen,
  observations,
}: Pick<ListingDocument, 'not_seen' | 'observations'>): NotSeenSummary[] {
  const split = toSplitKinds(observations);
  const facts = not_seen
    .filter(({ question }) => question !== 'ratings')
    .map(({ subject, ...item }) => ({ ...item, ...(split.has(item.kind) && subject && { at: subject }) }));
  const groups = Map.groupBy(facts, ({ state, reason, as_of, at }) =>
    [state, as_of, plainStates.includes(state) ? '' : reason, at].join('\n'),
  );
  return [...groups.values()].map((ofGroup) => {
    const [{ state, reason, as_of, at }] = ofGroup as [(typeof facts)[number]];
    const kinds = [...new Set(ofGroup.map(({ kind }) => kind))];
    return { state, ...(at && { at }), kinds, ...(!plainStates.includes(state) && { reason }), as_of };
  });
}
