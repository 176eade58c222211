import { toCheckpoint } from '../evidence/log/checkpoint.ts';
import { treeRoot } from '../evidence/log/merkle.ts';
import type { LogHead } from '../store/contract/transparency-log.ts';
import { saveCheckpoint } from './checkpoint-file.ts';
import { type LogContext, openLogKey } from './keys.ts';

/** A signed checkpoint, and the log it belongs to. */
export interface IssuedCheckpoint {
  readonly head: LogHead;
  /** Entries it covers. */
  readonly size: number;
  readonly text: string;
}

/** A checkpoint, and the signature lines of the witnesses that cosigned it, by their names in the policy. */
export interface CosignedCheckpoint {
  readonly checkpoint: IssuedCheckpoint;
  readonly lines: ReadonlyMap<string, string>;
}

/** The checkpoints of this process, and the one that witnesses cosigned last; shared by all requests. */
export interface CheckpointCache {
  cosigned?: CosignedCheckpoint;
  /** The newest one, or the one that is being signed. */
  last?: { readonly at_ms: number; readonly checkpoint: Promise<IssuedCheckpoint> };
  /** The one after it, for all whom `last` does not serve: one is signed at a time, so that trees and file only grow. */
  next?: Promise<IssuedCheckpoint> | undefined;
}

/** What issuing a checkpoint needs of a context. */
export type IssuingContext = LogContext & { readonly checkpoints: CheckpointCache };

const signAtMostEvery_ms = 1000;

async function sign(context: LogContext, head: LogHead): Promise<IssuedCheckpoint> {
  const root = await treeRoot(context.store.log.tree(head.id), head.size);
  const text = toCheckpoint({ size: head.size, root }, await openLogKey(context, head.id));
  await saveCheckpoint(context, text);
  return { head, size: head.size, text };
}

async function issue(context: LogContext, last: IssuedCheckpoint | undefined): Promise<IssuedCheckpoint> {
  const heads = await context.store.log.heads();
  const head = heads.at(-1) ?? heads[0];
  const isSame = last?.head.id === head.id && last.size === head.size;
  if (!isSame) return sign(context, head);
  await saveCheckpoint(context, last.text);
  return last;
}

/** A checkpoint of what the log contains now; those who ask while another is being signed share the one after it. */
function issueNext(context: IssuingContext): Promise<IssuedCheckpoint> {
  const { checkpoints, clock } = context;
  checkpoints.next ??= (async () => {
    const before = await checkpoints.last?.checkpoint.catch(() => undefined);
    const checkpoint = issue(context, before);
    checkpoints.last = { at_ms: clock().getTime(), checkpoint };
    checkpoints.next = undefined;
    return checkpoint;
  })();
  return checkpoints.next;
}

/**
 * The newest checkpoint of the open log. It is signed at most once a second, and saved to the checkpoint file before it
 * is published (docs/trust.md section 4).
 */
export async function currentCheckpoint(context: IssuingContext): Promise<IssuedCheckpoint> {
  const { last } = context.checkpoints;
  const isNew = last && Math.abs(context.clock().getTime() - last.at_ms) < signAtMostEvery_ms;
  const known = isNew ? await last.checkpoint.catch(() => undefined) : undefined;
  return known ?? issueNext(context);
}

/** The text of a checkpoint with the cosignatures that have arrived for it. */
export function withCosignatures({ cosigned }: CheckpointCache, { text }: IssuedCheckpoint): string {
  return cosigned?.checkpoint.text === text ? text + [...cosigned.lines.values()].join('') : text;
}

const covers = ({ head, size }: IssuedCheckpoint, log_index: number) => log_index < head.base + size;

/**
 * A checkpoint that covers an entry of the open log: the one that witnesses cosigned, the newest one, or one signed now if
 * the entry was appended after both.
 */
export async function checkpointCovering(
  context: IssuingContext,
  log_index: number,
): Promise<IssuedCheckpoint> {
  const newest = await currentCheckpoint(context);
  const cosigned = context.checkpoints.cosigned?.checkpoint;
  if (cosigned && cosigned.head.id === newest.head.id && covers(cosigned, log_index)) return cosigned;
  if (covers(newest, log_index)) return newest;
  return issueNext(context);
}
