import { placeMember } from '../claims/claim.ts';
import { toShownKeys } from '../claims/receipt-keys.ts';
import { readAll, readPages } from '../core/paging/pages.ts';
import { dayText } from '../core/text.ts';
import { type FileConfig, readCheckpointFile } from '../log/checkpoint-file.ts';
import { findKeyOfOrigin, type LogContext, logOfOrigin } from '../log/checkpoints.ts';
import { readCheckpoint, verifierOf } from '../log/notes.ts';
import type { RecordedChange } from '../observations/table.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import type { RatingRecord } from '../ratings/rating.ts';
import type { AuditedLog, EntryRecord, EvidenceReader } from './evidence-reader.ts';

const batchSize = 100;

type AuditContext = Pick<LogContext, 'store' | 'clock'> & { readonly config: FileConfig };

/** The checkpoint in the file may be of any log. */
async function readOwnCheckpoint({ store, config }: AuditContext) {
  const file = await readCheckpointFile(config);
  if (file === undefined || file.otherDatabase !== undefined) return undefined;
  const [text = ''] = file.texts;
  const origin = readCheckpoint(text)?.origin ?? '';
  const key = await findKeyOfOrigin({ store }, origin);
  return { log: logOfOrigin(origin), checkpoint: text, key: key && verifierOf(key) };
}

async function readLogs(context: AuditContext): Promise<AuditedLog[]> {
  const heads = await context.store.log.heads();
  const newest = heads.at(-1)?.id ?? 1;
  const file = await readOwnCheckpoint(context);
  // A checkpoint of an older log is ignored, because a node has already closed that log. A checkpoint of a
  // later log is a fault, because this database lacks that log.
  const known = file && file.log >= newest ? file : undefined;
  return heads.map(({ id, base, size, closed_with: closedWith }) => ({
    id,
    base,
    size,
    closedWith,
    ...(id === newest && known),
  }));
}

/** Rows of withdrawn listings count as shown, because they are shown again if the listing returns. */
export const createStoredEvidence = (context: AuditContext): EvidenceReader => ({
  levelStep: 1,
  logs: () => readLogs(context),
  leaves: ({ base }, from, limit) => context.store.log.leaves(base + from, limit),
  nodes: ({ id }, level, { from, limit }) => context.store.log.nodes(id, level, from, limit),
  records: async (indexes) => {
    const stored = await context.store.log.records(indexes);
    return new Map(indexes.map((index): [number, EntryRecord] => [index, stored.get(index) ?? 'absent']));
  },
  async *handles() {
    const { documents } = context.store;
    for await (const page of readPages<string>(batchSize, (last = '') =>
      documents.withEvidence(last, batchSize),
    ))
      yield* page;
  },
  async listing(handle, rest) {
    const { store, clock } = context;
    const [facts] = await store.documents.factsOfAll([handle], clock().toISOString());
    const current = (await store.observations.ofListing(handle))?.observations ?? [];
    const changes = await readAll<RecordedChange>(batchSize, async (last) => {
      await rest?.();
      return store.observations.history(handle, { before: last?.log_index, limit: batchSize });
    });
    const now = clock().toISOString();
    const ratings = await readAll<RatingRecord>(batchSize, async (last) => {
      await rest?.();
      return store.ratings.list(handle, { after: last?.log_index, limit: batchSize, now });
    });
    const derived = await readAll<DerivedRow>(batchSize, async (last) => {
      await rest?.();
      return store.ratings.derived(handle, { after: last?.log_index, limit: batchSize });
    });
    const events = await store.claims.history(handle);
    const stored = facts?.claim;
    const receipt_keys = toShownKeys(facts?.receiptKeys ?? []);
    const claim = stored && { ...stored, ...placeMember(stored.kind, stored.place), receipt_keys };
    const read_on = dayText(clock());
    return {
      handle,
      read_on,
      ratings,
      derived: new Map(derived.map((row) => [row.id, row])),
      claim,
      events,
      observations: { current, changes },
      native: facts?.native,
      withdrawn: facts?.listing.withdrawn,
      isHidden: facts?.listing.hidden === true,
      moderation: facts?.moderation,
    };
  },
});
