import { toCanonicalJson } from '../../evidence/log/leaf.ts';
import type { ModerationNotice } from '../../evidence/moderation/moderation.ts';
import { type AuditFault, rowFault } from './fault.ts';

type Members = Readonly<Record<string, unknown>>;

/** An action of the operator as it is shown: at a rating, or the response to it, or else at a listing. */
export interface ShownNotice {
  readonly where: string;
  readonly notice: ModerationNotice;
  readonly rating_id?: string;
  readonly handle?: string;
}

/** Actions of the operator that are shown, by log index. */
export type ShownNotices = Map<number, readonly ShownNotice[]>;

/** Actions of the operator as the log's entries say them. */
export interface SaidActions {
  /** Those that stand or stood, by log index. */
  readonly applied: Map<number, Members>;
  /** Which entry ended each of those that do not stand any more. */
  readonly ended: Map<number, number>;
  /** Entries of closed logs, whose records this audit cannot read. */
  readonly unread: Set<number>;
}

/** Remembers an entry `moderation.applied`. */
export function noteAction({ applied, ended }: SaidActions, members: Members, log_index: number): void {
  if (typeof members.ends === 'number') ended.set(members.ends, log_index);
  else applied.set(log_index, members);
}

/** Whether an action had ended when the log had `size` entries; what was ended later may have been read before. */
const hadEnded = ({ ended }: SaidActions, log_index: number, size: number): boolean =>
  (ended.get(log_index) ?? size) < size;

const reaches = (indexes: unknown, index: number) => Array.isArray(indexes) && indexes.includes(index);

/** Whether the operator has hidden, by an entry that stands, what an entry of the log recorded. */
export const isHidden = (said: SaidActions, record_index: number, size: number): boolean =>
  [...said.applied].some(
    ([log_index, { action, record_indexes }]) =>
      action === 'hide' && reaches(record_indexes, record_index) && !hadEnded(said, log_index, size),
  );

/** Whether an action of the operator says that it erased what an entry of the log recorded. */
export const isErasedByAction = ({ applied }: SaidActions, record_index: number): boolean =>
  [...applied.values()].some(
    ({ action, record_indexes }) => action === 'erase' && reaches(record_indexes, record_index),
  );

const noticeFields = ['action', 'reason', 'statement', 'at'] as const;
const pick = (members: Members) => toCanonicalJson(noticeFields.map((field) => members[field] ?? null));

/** Whether an action is about what shows it: a block of a namespace or account names no listing. */
const isAbout = ({ target_kind, target, handle }: Members, shown: ShownNotice): boolean =>
  shown.rating_id === undefined
    ? target_kind !== 'rating' &&
      target_kind !== 'response' &&
      (handle === undefined || handle === shown.handle)
    : (target_kind === 'rating' || target_kind === 'response') && target === shown.rating_id;

function findShownFault(actions: SaidActions, shown: ShownNotice, size: number): AuditFault | undefined {
  const { where, notice } = shown;
  const { log_index } = notice;
  if (actions.unread.has(log_index)) return undefined;
  const said = actions.applied.get(log_index);
  const text = `it shows the action "${notice.action}" of the operator by entry ${log_index}`;
  if (!said) return rowFault(where, `${text}, and no such entry says so`);
  if (hadEnded(actions, log_index, size)) return rowFault(where, `${text}, which another entry ended`);
  if (!isAbout(said, shown))
    return rowFault(where, `${text}, which is about ${said.target_kind} ${said.target}`);
  return pick(said) === pick(notice) ? undefined : rowFault(where, `${text}, which says something else`);
}

/** Kinds whose effect readers must be told of where a listing is shown. */
const shownKinds = ['rating', 'response', 'listing', 'capability'];

/** Shown actions that no entry says, and entries that stand and are shown nowhere. `isShown` tells whether a listing is. */
export function* findModerationFaults(
  said: SaidActions,
  shown: ShownNotices,
  { size, isShown }: { readonly size: number; readonly isShown: (said: Members) => boolean },
): Generator<AuditFault> {
  for (const one of [...shown.values()].flat()) {
    const fault = findShownFault(said, one, size);
    if (fault) yield fault;
  }
  for (const [log_index, members] of said.applied) {
    const mustShow = shownKinds.includes(String(members.target_kind)) && isShown(members);
    if (log_index < size && mustShow && !said.ended.has(log_index) && !shown.has(log_index))
      yield rowFault(
        `entry ${log_index}`,
        `it records the action "${members.action}" of the operator on ${members.target_kind} ${members.target}, which is shown nowhere`,
      );
  }
}
