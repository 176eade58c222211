import { Problem } from '../core/problem.ts';
import { type LogContext, logPath, openLogKey } from './checkpoints.ts';
import type { LogHead } from './entries.ts';
import { consistencyProof, parseTilePath, type TileRange, tileWidth, toEntryBundle } from './merkle.ts';
import { toVerifierText, verifierOf } from './notes.ts';

export async function findLog(log: number, { store }: Pick<LogContext, 'store'>): Promise<LogHead> {
  const head = (await store.log.heads()).find(({ id }) => id === log);
  if (!head) throw new Problem('not_found', 'There is no such log.');
  return head;
}

export const readKeyText = async (log: number, context: LogContext): Promise<string> =>
  toVerifierText(verifierOf(await openLogKey(context, log)));

function toRange(path: string, complete: number): TileRange {
  const range = parseTilePath(path, complete);
  if (!range) throw new Problem('not_found', 'The tree has no such tile.');
  return range;
}

/**
 * C2SP tlog-tiles.
 * @throws not_found
 */
export async function readTile(
  head: LogHead,
  level: string,
  path: string,
  { store: { log } }: Pick<LogContext, 'store'>,
): Promise<Buffer<ArrayBuffer>> {
  if (level === 'entries') {
    const { from, width } = toRange(path, head.size);
    return toEntryBundle(await log.leaves(head.base + from, width));
  }
  if (!/^([0-9]|[1-5]\d|6[0-3])$/.test(level)) throw new Problem('not_found');
  const { from, width } = toRange(path, Math.floor(head.size / tileWidth ** Number(level)));
  return Buffer.concat(await log.nodes(head.id, Number(level) * 8, from, width));
}

/** @throws not_found */
export async function readConsistency(
  head: LogHead,
  [from, to]: readonly [number, number],
  { store }: Pick<LogContext, 'store'>,
): Promise<readonly Buffer[]> {
  if (from <= to && to <= head.size) return consistencyProof(store.log.tree(head.id), from, to);
  throw new Problem('not_found', `Sizes are whole numbers up to ${head.size}, the smaller one first.`);
}

const statement =
  'This is an append-only log of claims, ratings, observed changes and moderation (RFC 6962 hashing, C2SP tiles and signed checkpoints). Anyone with an earlier checkpoint can prove a rewrite. An entry shows that something was recorded, not that it is right.';

export async function readLogs(context: LogContext) {
  const heads = await context.store.log.heads();
  const logs = await Promise.all(
    heads.map(async (head) => ({
      log: `${context.config.publicUrl}${logPath(head.id)}`,
      first_log_index: head.base,
      entries: head.size,
      opened_at: head.opened_at,
      key: await readKeyText(head.id, context),
      ...(head.closed_with && {
        closed:
          'The database was older than a published checkpoint, for example because a backup was restored; later entries are lost.',
        closed_with: head.closed_with,
      }),
    })),
  );
  return { statement, logs };
}

export const countEntries = ({ store }: Pick<LogContext, 'store'>): Promise<number> => store.log.size();
