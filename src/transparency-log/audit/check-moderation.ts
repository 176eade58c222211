import { toCanonicalJson } from '../../evidence/log/leaf.ts';
import type { ModerationNotice } from '../../evidence/moderation/moderation.ts';
import { type AuditFault, rowFault } from './fault.ts';

type Members = Readonly<Record<string, unknown>>;

/** Actions of the operator that are shown, by log index, with where they are shown. */
export type ShownNotices = Map<number, { readonly where: string; readonly notice: ModerationNotice }>;

/** Actions of the operator as the log's entries say them. */
export interface SaidActions {
  /** Those that stand or stood, by log index. */
  readonly applied: Map<number, Members>;
  /** Log indexes of those that another entry ended. */
  readonly ended: Set<number>;
}

/** Remembers an entry `moderation.applied`. */
export function noteAction({ applied, ended }: SaidActions, members: Members, log_index: number): void {
  if (typeof members.ends === 'number') ended.add(members.ends);
  else applied.set(log_index, members);
}

/** Whether the operator has hidden, by an entry that stands, what an entry of the log recorded. */
export const isHidden = ({ applied, ended }: SaidActions, record_index: number): boolean =>
  [...applied].some(
    ([log_index, said]) =>
      said.action === 'hide' && said.record_index === record_index && !ended.has(log_index),
  );

const noticeFields = ['action', 'reason', 'statement', 'at'] as const;
const pick = (members: Members) => toCanonicalJson(noticeFields.map((field) => members[field] ?? null));

function findShownFault(
  { applied, ended }: SaidActions,
  [log_index, { where, notice }]: [number, { readonly where: string; readonly notice: ModerationNotice }],
): AuditFault | undefined {
  const said = applied.get(log_index);
  const text = `it shows the action "${notice.action}" of the operator by entry ${log_index}`;
  if (!said) return rowFault(where, `${text}, and no such entry says so`);
  if (ended.has(log_index)) return rowFault(where, `${text}, which another entry ended`);
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
  for (const one of shown) {
    const fault = findShownFault(said, one);
    if (fault && one[0] < size) yield fault;
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
