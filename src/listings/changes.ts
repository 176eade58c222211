import { Problem } from '../core/problem.ts';
import {
  type Change,
  type ChangeFilter,
  type ChangeType,
  type FailedCriterion,
  isChangeId,
  type NewChange,
  toChangeId,
} from '../log/change.ts';
import { addChanges } from '../log/entries.ts';
import { changeTable } from '../log/schema.ts';
import type { Reads } from '../store/store.ts';
import type { RowOf } from '../store/table.ts';
import type { Db } from './schema.ts';

/** Those values are texts of the publisher. */
function withoutPinned(failed: FailedCriterion): FailedCriterion {
  const { fact: _fact, from: _from, to: _to, ...kept } = failed;
  return kept.criterion.startsWith('pin:') ? kept : failed;
}

export function decodeChange(row: RowOf<typeof changeTable> & { readonly withdrawn: string | null }): Change {
  const change = { id: toChangeId(row), ...changeTable.decode(row) };
  if (row.withdrawn === null) return change;
  const { version: _version, from_version: _from, moved: _moved, left_tags: _tags, ...kept } = change.data;
  const { failed } = kept as { readonly failed?: readonly FailedCriterion[] };
  return { ...change, data: { ...kept, ...(failed && { failed: failed.map(withoutPinned) }) } };
}

export const selectChanges = (db: Db, { handle, namespace }: ChangeFilter = {}) =>
  db
    .selectFrom('evidence_change')
    .leftJoin('listing', 'listing.handle', 'evidence_change.handle')
    .selectAll('evidence_change')
    .select('listing.withdrawn')
    .$if(handle !== undefined, (query) => query.where('evidence_change.handle', '=', handle ?? ''))
    .$if(namespace !== undefined, (query) =>
      // '0' is the character after '/'.
      query
        .where('evidence_change.handle', '>', `${namespace}/`)
        .where('evidence_change.handle', '<', `${namespace}0`),
    );

export const createChangeReads = (db: Db) => ({
  async after(seq: number, limit: number, filter?: ChangeFilter) {
    const rows = selectChanges(db, filter).where('evidence_change.seq', '>', seq);
    return (await rows.orderBy('evidence_change.seq').limit(limit).execute()).map(decodeChange);
  },
  /** Without `types`, changes that checks saw are left out: the history of observations has them. */
  async ofRecord(
    handle: string,
    {
      before,
      limit,
      types,
    }: { readonly before: number; readonly limit: number; readonly types?: readonly ChangeType[] },
  ) {
    const all = selectChanges(db, { handle }).where('evidence_change.seq', '<', before);
    const rows =
      types === undefined
        ? all.where('evidence_change.type', '<>', 'observation.changed')
        : all.where('evidence_change.type', 'in', [...types]);
    return (await rows.orderBy('evidence_change.seq', 'desc').limit(limit).execute()).map(decodeChange);
  },
  /** When an import last found it listed again, after one that read that the registry had deleted it. */
  async away(handle: string) {
    const last = { before: Number.MAX_SAFE_INTEGER, limit: 1 };
    const [back] = await this.ofRecord(handle, { ...last, types: ['listing.restored'] });
    const before = back?.seq ?? 0;
    const [gone] = await this.ofRecord(handle, { ...last, before, types: ['listing.withdrawn'] });
    const { reason, gave_reason } = gone?.data ?? {};
    const why = typeof gave_reason === 'boolean' && { gave_reason };
    return back && gone && reason === 'deleted' ? { from: gone.at, until: back.at, ...why } : undefined;
  },
  async at(seq: number) {
    const row = await selectChanges(db).where('evidence_change.seq', '=', seq).executeTakeFirst();
    return row && decodeChange(row);
  },
  async handlesAfter(seq: number, types: readonly Change['type'][]): Promise<ReadonlySet<string>> {
    const rows = db.selectFrom('evidence_change').select('handle').distinct().where('seq', '>', seq);
    return new Set((await rows.where('type', 'in', [...types]).execute()).map(({ handle }) => handle));
  },
  async newest(limit: number, filter?: ChangeFilter) {
    const rows = await selectChanges(db, filter)
      .orderBy('evidence_change.seq', 'desc')
      .limit(limit)
      .execute();
    return rows.map(decodeChange);
  },
});

export const createChangeWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createChangeReads(db),
  async add(changes: readonly NewChange[]) {
    for (const { handle } of changes) touch(handle);
    await addChanges(db, changes);
  },
});

export const beginning = '0';

/** The position of the last change before a day. Nothing is indexed by time, so it is searched for. */
async function lastBefore(day: string, changes: Reads['changes']): Promise<number> {
  const [newest] = await changes.newest(1);
  let low = 0;
  let high = newest?.seq ?? 0;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await changes.after(middle, 1);
    if (next && next.at < day) low = next.seq;
    else high = middle;
  }
  return low;
}

/** Oldest first; `since`: a day, or an id. Throws position_gone if the stream has no change with this id. */
export async function readAfter(
  since: string,
  limit: number,
  { store: { changes } }: { readonly store: Reads },
): Promise<readonly Change[]> {
  if (since === beginning) return changes.after(0, limit);
  if (!isChangeId(since)) return changes.after(await lastBefore(since, changes), limit);
  const [known, ...later] = await changes.after(Number.parseInt(since, 10) - 1, limit + 1);
  if (known?.id !== since) throw new Problem('position_gone');
  return later;
}
