import type { JsonObject } from '../core/json.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import { type AuditSteps, rowFault } from './fault.ts';

/** `rating_id` is set for a rating and its response. */
export interface ShownNotice {
  readonly where: string;
  readonly handle: string;
  readonly notice: ModerationNotice;
  readonly rating_id?: string;
}

export const createSaidActions = () => ({
  /** By log index, including ended ones. */
  applied: new Map<number, JsonObject>(),
  ended: new Set<number>(),
});
type SaidActions = ReturnType<typeof createSaidActions>;

export function noteAction({ applied, ended }: SaidActions, members: JsonObject, log_index: number): void {
  if (typeof members.ends === 'number') ended.add(members.ends);
  else applied.set(log_index, members);
}

const reaches = (indexes: unknown, index: number) => Array.isArray(indexes) && indexes.includes(index);

/** An action that hides reaches an entry only until it ends. */
export const isReached = ({ applied, ended }: SaidActions, by: 'hide' | 'erase', record_index: number) =>
  [...applied].some(
    ([log_index, { action, record_indexes }]) =>
      action === by && reaches(record_indexes, record_index) && !(by === 'hide' && ended.has(log_index)),
  );

export const standingOn = ({ applied, ended }: SaidActions, handle: string, name: string) =>
  [...applied].find(
    ([log_index, { action, target, target_kind }]) =>
      action === name && target_kind === 'listing' && target === handle && !ended.has(log_index),
  )?.[0];

const noticeFields = ['action', 'reason', 'statement', 'at'] as const;
const pick = (members: JsonObject) => toCanonicalJson(noticeFields.map((field) => members[field] ?? null));

const isOnRating = (kind: unknown) => kind === 'rating' || kind === 'response';

/** A block of a namespace, for example, may be shown with any listing. */
const isAbout = ({ target_kind, target, handle }: JsonObject, shown: ShownNotice): boolean =>
  shown.rating_id === undefined
    ? !isOnRating(target_kind) && (handle === undefined || handle === shown.handle)
    : isOnRating(target_kind) && target === shown.rating_id;

function findNoticeFault({ applied, ended }: SaidActions, shown: ShownNotice): string | undefined {
  const { log_index } = shown.notice;
  const said = applied.get(log_index);
  if (!said) return 'that entry records no action';
  if (ended.has(log_index)) return 'another entry ended that action';
  if (!isAbout(said, shown)) return `that entry is about ${said.target_kind} ${said.target}`;
  return pick(said) === pick({ ...shown.notice }) ? undefined : 'that entry says something else';
}

/** While a listing is shown, readers must see actions on these. */
const shownKinds = ['rating', 'response', 'listing', 'capability'];

export function* findModerationFaults(
  said: SaidActions,
  shown: readonly ShownNotice[],
  {
    isShown,
    isUnread,
  }: {
    readonly isShown: (said: JsonObject) => boolean;
    readonly isUnread: (log_index: number) => boolean;
  },
): AuditSteps {
  for (const one of shown) {
    const { where, handle, notice } = one;
    const fault = isUnread(notice.log_index) ? undefined : findNoticeFault(said, one);
    yield fault
      ? rowFault(
          where,
          `it shows the action "${notice.action}" of the operator by entry ${notice.log_index}, but ${fault}`,
          handle,
        )
      : undefined;
  }
  const indexes = new Set(shown.map(({ notice }) => notice.log_index));
  for (const [log_index, members] of said.applied)
    if (shownKinds.includes(String(members.target_kind)) && isShown(members))
      yield said.ended.has(log_index) || indexes.has(log_index)
        ? undefined
        : rowFault(
            `entry ${log_index}`,
            `it records the action "${members.action}" of the operator on ${members.target_kind} ${members.target}, but the action is shown nowhere`,
            String(members.handle),
          );
}
