import { toCheckpoint } from '../evidence/log/checkpoint.ts';
import { treeRoot } from '../evidence/log/merkle.ts';
import type { LogHead } from '../store/contract/transparency-log.ts';
import type { Store } from '../store/store.ts';
import { keepCheckpoint } from './checkpoint-file.ts';
import { openLogKey, type RecordContext } from './keys.ts';

/** A signed checkpoint and what it is of. */
export interface IssuedCheckpoint {
  readonly head: LogHead;
  /** Entries it covers: head.size, or what was known when it was signed. */
  readonly size: number;
  readonly text: string;
}

const signAtMostEvery_ms = 1000;
const issued = new WeakMap<
  Store,
  { readonly at_ms: number; readonly checkpoint: Promise<IssuedCheckpoint> }
>();

async function sign(context: RecordContext, head: LogHead): Promise<IssuedCheckpoint> {
  const root = await treeRoot(context.store.log.tree(head.id), head.size);
  const text = toCheckpoint({ size: head.size, root }, await openLogKey(context, head.id));
  await keepCheckpoint(context, text);
  return { head, size: head.size, text };
}

async function issue(context: RecordContext, last: IssuedCheckpoint | undefined): Promise<IssuedCheckpoint> {
  const heads = await context.store.log.heads();
  const head = heads.at(-1) ?? heads[0];
  const isSame = last?.head.id === head.id && last.size === head.size;
  return isSame ? last : sign(context, head);
}

/**
 * The newest checkpoint of the log that is written to, signed at most once a second and kept outside the database
 * before anybody sees it (trust.md section 4).
 */
export async function currentCheckpoint(context: RecordContext): Promise<IssuedCheckpoint> {
  const now_ms = context.clock().getTime();
  const known = issued.get(context.store);
  if (known && Math.abs(now_ms - known.at_ms) < signAtMostEvery_ms) return known.checkpoint;
  const checkpoint = issue(context, await known?.checkpoint.catch(() => undefined));
  issued.set(context.store, { at_ms: now_ms, checkpoint });
  checkpoint.catch(() => issued.delete(context.store));
  return checkpoint;
}

/** A checkpoint that covers an entry: the newest one, or one signed now where that is a moment too old. */
export async function checkpointCovering(context: RecordContext, index: number): Promise<IssuedCheckpoint> {
  const newest = await currentCheckpoint(context);
  if (index < newest.head.base + newest.size) return newest;
  issued.delete(context.store);
  return currentCheckpoint(context);
}
