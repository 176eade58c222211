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
import { isTerminal, isWanted, print, withStore } from './shell.ts';

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

/** Its message is what would have been published. */
class Rehearsed extends Error {}

/** What was published. A rehearsal returns it too, and changes nothing; a refusal means wrong usage. */
async function writeAction(
  config: Config,
  isRehearsal: boolean,
  work: (tx: Transaction, at: string) => Promise<string>,
): Promise<string> {
  try {
    return await withStore(config, (store) =>
      store.write(async (tx) => {
        const said = await work(tx, new Date().toISOString());
        if (isRehearsal) throw new Rehearsed(said);
        return said;
      }),
    );
  } catch (error) {
    if (error instanceof Rehearsed) return error.message;
    if (error instanceof NotModerated || error instanceof NotErasable)
      throw usageError(`${error.message}; nothing was changed`);
    throw error;
  }
}

/** Shows on a terminal what will be published, and asks. False if nothing was changed. */
async function publish(
  config: Config,
  isDry: boolean | undefined,
  work: (tx: Transaction, at: string) => Promise<string>,
): Promise<boolean> {
  if (isDry || isTerminal()) {
    print(`This would be published for good:\n${await writeAction(config, true, work)}`);
    if (isDry || !(await isWanted('Publish it?'))) {
      print('Nothing was changed.');
      return false;
    }
  }
  print(await writeAction(config, false, work));
  return true;
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

interface Options {
  readonly reason: string;
  readonly undo?: boolean;
  readonly dryRun?: boolean;
}

export async function runAction(
  config: Config,
  action: Action,
  { text, reason, undo, dryRun }: Options & { readonly text: string },
): Promise<void> {
  const target = toTarget(text, action.targets);
  if (undo) {
    const undoing = { reason: requireRestoreReason(reason) };
    await publish(config, dryRun, async (tx, at) => {
      const undone = await undoActive(tx, { target, only: action.name }, { ...undoing, at });
      return `undid ${action.name} ${text}; ${entriesText(undone)}`;
    });
    return;
  }
  const known: ModerationReason = requireReason(reason, action.reasons);
  const isDone = await publish(config, dryRun, async (tx, at) => {
    const { log_index, statement } = await applyAction(tx, action, { target, reason: known, at });
    return `${action.name} ${text}; ${entriesText([log_index])}\n${statement}`;
  });
  if (!isDone || action !== erase || (await withStore(config, (store) => store.dropDeleted()))) return;
  print(
    'Free space in the files of the database may still have the text, until VACUUM (SQLite) or VACUUM FULL (PostgreSQL) rewrites them.',
  );
}

export async function runRestore(config: Config, text: string, { reason, dryRun }: Options): Promise<void> {
  const target = toTarget(text, [...new Set(actions.flatMap(({ targets }) => targets))]);
  const known = requireRestoreReason(reason);
  await publish(config, dryRun, async (tx, at) => {
    const undone = await undoActive(tx, { target }, { reason: known, at });
    return `restored ${text}; ${entriesText(undone)}`;
  });
}

export const runListActions = (config: Config): Promise<void> =>
  withStore(config, async (store) => {
    const active = await store.moderation.list(listed);
    for (const { log_index, at, action, target_kind, target, reason } of active)
      print(`${log_index}  ${at}  ${action}  ${target_kind} ${target}  ${reason}`);
    if (active.length === 0) print('No action is in force.');
    if (active.length === listed) print(`The newest ${listed}; /transparency.json counts all.`);
  });
