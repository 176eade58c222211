import { differingFields, differingRatingFields } from '../evidence/log/compare-record.ts';
import { isCommittedTo } from '../evidence/log/leaf.ts';
import { leafHash, nodeHash } from '../evidence/log/merkle.ts';
import type { Dump, DumpedRow } from '../store/contract/backup.ts';
import type { LogHead } from '../store/contract/transparency-log.ts';
import type { Store } from '../store/store.ts';

/** One disagreement: which stored row or log entry, and what differs. */
export interface AuditFinding {
  readonly where: string;
  readonly message: string;
}

interface Audit {
  readonly store: Store;
  readonly heads: readonly LogHead[];
  readonly withdrawnRows: Set<string>;
  readonly withdrawnEntries: Set<string>;
}

type Found = string | undefined;
type CheckRow = (audit: Audit, row: DumpedRow) => Promise<Found>;
type Members = Readonly<Record<string, unknown>>;

const readNode = ({ store }: Audit, log: number, level: number, position: number) =>
  store.log
    .tree(log)(level, position)
    .catch(() => undefined);

/** The committed record of an entry; undefined if it is not stored. */
async function committedAt({ store }: Audit, log_index: unknown): Promise<Members | undefined> {
  const stored = await store.log.record(Number(log_index));
  return stored && (JSON.parse(stored.record) as Members);
}

const checkLeaf: CheckRow = async (audit, { log_index, leaf }) => {
  const index = Number(log_index);
  const head = audit.heads.find(({ base, size }) => index >= base && index < base + size);
  if (!head) return 'lies outside every log';
  const node = await readNode(audit, head.id, 0, index - head.base);
  if (!node?.equals(leafHash(String(leaf)))) return 'the leaf does not hash to its stored node';
  const committed = await audit.store.log.record(index);
  if (!committed) return 'its record is not stored, and no entry states that it was erased';
  return isCommittedTo(String(leaf), committed) ? undefined : 'the leaf does not commit to the stored record';
};

const checkNode: CheckRow = async (audit, { log, level, position, hash }) => {
  if (level === 0) return undefined;
  const child = (offset: number) =>
    readNode(audit, Number(log), Number(level) - 1, Number(position) * 2 + offset);
  const [left, right] = [await child(0), await child(1)];
  const isRight = left && right && nodeHash(left, right).toString('hex') === hash;
  return isRight ? undefined : 'the node is not the hash of its two children';
};

/** Whether what an entry records is still stored; its content is compared from the other side. */
const checkRecord: CheckRow = async (audit, { log_index, record }) => {
  const index = Number(log_index);
  const { ratings, log } = audit.store;
  const leaf = await log.leaf(index);
  if (!leaf) return 'a record is stored without its leaf';
  const { id, rating_id, withdrawn_at } = JSON.parse(String(record)) as Members;
  if (leaf.type === 'rating.submitted' || leaf.type === 'rating.amended')
    return (await ratings.byId(String(id)))?.log_index === index ? undefined : `rating ${id} is not stored`;
  if (leaf.type === 'rating.responded')
    return (await ratings.response(String(rating_id)))?.log_index === index
      ? undefined
      : `the response to rating ${rating_id} is not stored`;
  if (leaf.type !== 'rating.withdrawn') return undefined;
  audit.withdrawnEntries.add(String(id));
  return (await ratings.byId(String(id)))?.withdrawn_at === withdrawn_at
    ? undefined
    : `rating ${id} is not stored as withdrawn at ${withdrawn_at}`;
};

const toDifference = (fields: readonly string[]): Found =>
  fields.length === 0 ? undefined : `differs from its log entry in ${fields.join(', ')}`;

const checkRating: CheckRow = async (audit, { id, withdrawn_at, superseded_by }) => {
  const rating = await audit.store.ratings.byId(String(id));
  if (!rating) return 'disappeared during the audit';
  const committed = await committedAt(audit, rating.log_index);
  if (!committed) return `has no record at log entry ${rating.log_index}`;
  if (withdrawn_at && !superseded_by) audit.withdrawnRows.add(rating.id);
  const newer = superseded_by && (await audit.store.ratings.byId(String(superseded_by)));
  if (superseded_by && (!newer || newer.supersedes !== rating.id))
    return `is superseded by ${superseded_by}, which does not amend it`;
  return toDifference(differingRatingFields(committed, rating));
};

const checkResponse: CheckRow = async (audit, { log_index, ...row }) => {
  const committed = await committedAt(audit, log_index);
  if (!committed) return `has no record at log entry ${log_index}`;
  return toDifference(differingFields(committed, row, ['rating_id', 'text', 'created_at']));
};

const claimFields = ['handle', 'type', 'at', 'repository', 'root', 'root_generation'];

const checkClaimEvent: CheckRow = async (audit, { log_index, commit_id, ...row }) => {
  const committed = await committedAt(audit, log_index);
  if (!committed) return `has no record at log entry ${log_index}`;
  const shown = { ...row, commit: commit_id };
  return toDifference(
    differingFields(committed, shown, [...claimFields, 'commit', 'reason', 'capability_id']),
  );
};

const checks: Readonly<Record<string, readonly [name: string, key: string, check: CheckRow]>> = {
  log_leaf: ['entry', 'log_index', checkLeaf],
  log_node: ['tree node', 'position', checkNode],
  log_record: ['entry', 'log_index', checkRecord],
  rating: ['rating', 'id', checkRating],
  rating_response: ['response to rating', 'rating_id', checkResponse],
  claim_event: ['claim event', 'log_index', checkClaimEvent],
};

/**
 * Compares a dump with its transparency log, both ways, in batches; yields what differs. `store` is another connection to
 * the same database, and `entries` the number of log entries before the dump.
 */
export async function* auditDatabase(store: Store, dump: Dump, entries: number): AsyncIterable<AuditFinding> {
  const heads = await store.log.heads();
  const audit: Audit = { store, heads, withdrawnRows: new Set(), withdrawnEntries: new Set() };
  if (dump.counts.log_leaf < entries)
    yield { where: 'log', message: `${entries - dump.counts.log_leaf} of ${entries} leaves are not stored` };
  for await (const { table, rows } of dump.read()) {
    const [name, key, check] = checks[table] ?? [];
    if (!name || !key || !check) continue;
    for (const row of rows) {
      const message = await check(audit, row);
      if (message) yield { where: `${name} ${row[key]}`, message };
    }
  }
  for (const id of audit.withdrawnRows)
    if (!audit.withdrawnEntries.has(id))
      yield { where: `rating ${id}`, message: 'is withdrawn, and no log entry says so' };
}
