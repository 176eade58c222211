import { type Action, NotModerated, readTarget } from '../actions/action.ts';
import { actions, applyAction, erase, undoAction } from '../actions/actions.ts';
import type { Config } from '../config/config.ts';
import { usageError } from '../core/process.ts';
import { NotErasable } from '../log/checkpoints.ts';
import {
  type ModerationReason,
  type ModerationTarget,
  type RestoreReason,
  restoreReasons,
} from '../moderation/moderation.ts';
import type { Transaction } from '../store/store.ts';
import { print, withStore } from './shell.ts';

const listed = 200;

function toTarget(text: string, allowed: readonly string[]): ModerationTarget {
  const target = readTarget(text);
  if (target && allowed.includes(target.target_kind)) return target;
  throw usageError(
    `${text}: name ${allowed.join(', ')}, as in <rating id>, response:<rating id>, <handle>, <capability id>, namespace:com.example, account:github.com/example, account:example.com, network:192.0.2.0/24 or network:2001:db8::/48`,
  );
}

function requireReason<T extends string>(reason: string, reasons: readonly T[]): T {
  const known = reasons.find((one) => one === reason);
  if (!known) throw usageError(`--reason ${reason}: one of ${reasons.join(', ')}`);
  return known;
}

const requireRestoreReason = (reason: string) =>
  requireReason(reason, Object.keys(restoreReasons) as RestoreReason[]);

/** A refusal means wrong usage, and no change. */
async function writeAction<T>(config: Config, work: (tx: Transaction, at: string) => Promise<T>): Promise<T> {
  try {
    return await withStore(config, (store) => store.write((tx) => work(tx, new Date().toISOString())));
  } catch (error) {
    if (error instanceof NotModerated || error instanceof NotErasable)
      throw usageError(`${error.message}; nothing was changed`);
    throw error;
  }
}

async function undoActive(
  tx: Transaction,
  { target, only }: { target: ModerationTarget; only?: string },
  undoing: { readonly reason: RestoreReason; readonly at: string },
): Promise<number[]> {
  const active = await tx.moderation.active(target);
  const undone: number[] = [];
  for (const one of active.toReversed()) {
    const action = actions.find(({ name }) => name === one.action);
    const isMeant = only === undefined ? action && !action.isFinal : one.action === only;
    if (action && isMeant) undone.push(await undoAction(tx, action, { active: one, ...undoing }));
  }
  if (undone.length === 0) throw new NotModerated(`no action in force on ${target.target} can be undone`);
  return undone;
}

function entriesText(log_indexes: readonly number[]): string {
  const [only, other] = log_indexes;
  return other === undefined
    ? `entry ${only} of the log says so`
    : `entries ${log_indexes.slice(0, -1).join(', ')} and ${log_indexes.at(-1)} of the log say so`;
}

export async function runAction(
  config: Config,
  action: Action,
  { text, reason, undo }: { readonly text: string; readonly reason: string; readonly undo?: boolean },
): Promise<void> {
  const target = toTarget(text, action.targets);
  if (undo) {
    const undoing = { reason: requireRestoreReason(reason) };
    const undone = await writeAction(config, (tx, at) =>
      undoActive(tx, { target, only: action.name }, { ...undoing, at }),
    );
    return print(`undid ${action.name} ${text}; ${entriesText(undone)}`);
  }
  const known: ModerationReason = requireReason(reason, action.reasons);
  const applied = await writeAction(config, (tx, at) =>
    applyAction(tx, action, { target, reason: known, at }),
  );
  print(`${action.name} ${text}; ${entriesText([applied.log_index])}`);
  print(applied.statement);
  if (action !== erase || (await withStore(config, (store) => store.dropDeleted()))) return;
  print(
    'Free space in the files of the database may still have the text, until VACUUM (SQLite) or VACUUM FULL (PostgreSQL) rewrites them.',
  );
}

export async function runRestore(config: Config, text: string, reason: string): Promise<void> {
  const target = toTarget(text, [...new Set(actions.flatMap(({ targets }) => targets))]);
  const known = requireRestoreReason(reason);
  const undone = await writeAction(config, (tx, at) => undoActive(tx, { target }, { reason: known, at }));
  print(`restored ${text}; ${entriesText(undone)}`);
}

export const runListActions = (config: Config): Promise<void> =>
  withStore(config, async (store) => {
    const active = await store.moderation.list(listed);
    for (const { log_index, at, action, target_kind, target, reason } of active)
      print(`${log_index}  ${at}  ${action}  ${target_kind} ${target}  ${reason}`);
    if (active.length === 0) print('No action is in force.');
    if (active.length === listed) print(`The newest ${listed}; /transparency.json counts all.`);
  });
