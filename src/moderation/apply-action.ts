import { toLeaf } from '../evidence/log/leaf.ts';
import type { Moderation, ModerationTarget } from '../evidence/moderation/moderation.ts';
import {
  type ModerationReason,
  moderationReasons,
  type RestoreReason,
  restoreReasons,
} from '../evidence/moderation/reasons.ts';
import type { Transaction } from '../store/store.ts';
import { type Action, type FoundTarget, NotModerated } from './action.ts';
import { findTarget } from './find-target.ts';

const operator = 'The operator of this directory';
const day = (at: string) => at.slice(0, 10);

interface Said {
  readonly action: string;
  readonly reason: string;
  readonly statement: string;
  readonly at: string;
  /** The entry that this one ends. */
  readonly ends?: number;
}

/** Appends `moderation.applied`, and tells it in the changes of every listing concerned, and to registry mirrors. Of a network, no address is published. */
async function append(tx: Transaction, found: FoundTarget, said: Said): Promise<number> {
  const { target_kind, target, handle, record_indexes, told } = found;
  const record = {
    ...said,
    target_kind,
    ...(target_kind !== 'network' && { target }),
    ...(handle !== undefined && { handle }),
    ...(record_indexes.length > 0 && { record_indexes }),
  };
  const { action, reason, ends, at } = said;
  if (target_kind === 'listing') await tx.listings.relistVersions(target, at);
  const data = { action, target_kind, reason, ...(ends !== undefined && { ends }) };
  const [first, ...others] = told;
  const log_index = await tx.log.append(
    toLeaf('moderation.applied', record),
    first === undefined ? undefined : { handle: first, at, data },
  );
  await tx.changes.add(
    [...new Set(others)]
      .filter((other) => other !== first)
      .map((other) => ({
        type: 'moderation.applied' as const,
        handle: other,
        at,
        data: { log_index, ...data },
      })),
  );
  return log_index;
}

async function findFor(tx: Transaction, action: Action, target: ModerationTarget): Promise<FoundTarget> {
  const found = await findTarget(tx, target);
  const { record_indexes, older = [] } = found;
  if (action.reach === 'own_record') return { ...found, record_indexes: record_indexes.slice(0, 1) };
  if (action.reach !== 'older_versions') return found;
  const all = [...record_indexes, ...older.flatMap((version) => version.record_indexes)];
  return { ...found, record_indexes: [...new Set(all)] };
}

/** Applies an action in the caller's transaction: its row, its entry of the log, its effect. Throws NotModerated. */
export async function applyAction(
  tx: Transaction,
  action: Action,
  { target, reason, at }: { target: ModerationTarget; reason: ModerationReason; at: string },
): Promise<Moderation> {
  const found = await findFor(tx, action, target);
  const standing = await tx.moderation.standing(target);
  const same = standing.find((one) => one.action === action.name);
  if (same) throw new NotModerated(`entry ${same.log_index} did that already, and stands`);
  const statement = `${operator} ${action.did(target)} on ${day(at)}, because ${moderationReasons[reason]}. ${action.consequence(target)}`;
  const said = { action: action.name, reason, statement, at };
  const log_index = await append(tx, found, said);
  const { handle, record_indexes } = found;
  const moderation = { log_index, ...target, ...said, reason, handle, record_indexes };
  await tx.moderation.add(moderation);
  await action.apply?.(tx, found, { at, reason });
  return moderation;
}

/** Ends an action that stands, in the caller's transaction: what it changed is as before. Throws NotModerated. */
export async function undoAction(
  tx: Transaction,
  action: Action,
  { standing, reason, at }: { standing: Moderation; reason: RestoreReason; at: string },
): Promise<number> {
  if (action.isFinal) throw new NotModerated(`nothing undoes ${action.name}`);
  const { target_kind, target, log_index } = standing;
  const found = await findFor(tx, action, { target_kind, target });
  const statement = `${operator} undid on ${day(at)} what entry ${log_index} says, because ${restoreReasons[reason]}.`;
  const said = { action: action.name, reason, statement, at, ends: log_index };
  const ended_by = await append(tx, found, said);
  await tx.moderation.end(standing, { ended_by, ended_at: at, end_reason: reason });
  await action.undo?.(tx, found);
  return ended_by;
}
