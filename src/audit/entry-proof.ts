import { type JsonObject, readObject } from '../core/json.ts';
import { Problem } from '../core/problem.ts';
import { counted } from '../core/text.ts';
import { howToCite } from '../document/service.ts';
import type { Listing } from '../listings/listing.ts';
import {
  checkpointCovering,
  type IssuingContext,
  type LogContext,
  logPath,
  openLogKey,
  withCosignatures,
} from '../log/checkpoints.ts';
import type { LogHead } from '../log/entries.ts';
import { type CommittedRecord, isCommittedTo, toCanonicalJson } from '../log/leaf.ts';
import { inclusionProof, isIncluded, leafHash, type TreeHead } from '../log/merkle.ts';
import { readCheckpoint, toProofText, toVerifierText, verifierOf } from '../log/notes.ts';
import { type RatingRecord, ratingContent } from '../ratings/rating.ts';
import type { Rating } from '../ratings/table.ts';
import { measure } from '../telemetry/metrics.ts';

const whatIsLogged =
  'Claims, ratings, responses, what checks saw first or saw changed, and actions of the operator get entries; an imported record gets none.';

/** Groups and flags are computed at each reading, so a log entry does not commit to them. */
const ratingFields = [
  ...Object.keys(ratingContent.shape),
  'id',
  'subject_handle',
  'source_handle',
  'source_root',
  'source_root_generation',
  'created_at',
  'proof_class',
  'proof_commitment',
];

/** A withdrawn or hidden rating does not show these. */
const textFields = [
  'interaction_id',
  'operation',
  'subject_version',
  'latency_ms',
  'tags',
  'comment',
  'evidence',
];

export const shownRatingFields = ({
  withdrawn_at,
  hidden_at,
}: Pick<RatingRecord, 'withdrawn_at' | 'hidden_at'>): readonly string[] =>
  withdrawn_at === undefined && hidden_at === undefined
    ? ratingFields
    : ratingFields.filter((field) => !textFields.includes(field));

const isSameProof = (a: unknown, b: unknown) => toCanonicalJson([a ?? null]) === toCanonicalJson([b ?? null]);

/** A missing field equals null. */
export const differingFields = (committed: JsonObject, shown: JsonObject, fields: readonly string[]) =>
  fields.filter((field) => !isSameProof(committed[field], shown[field]));

interface StoredEntry {
  readonly leaf: string;
  readonly committed: CommittedRecord | undefined;
  readonly index: number;
  readonly path: readonly Buffer[];
  readonly tree: TreeHead;
}

function ratingFault({ leaf, committed }: StoredEntry, rating: Rating): string | undefined {
  if (!/"t":"rating\.(submitted|amended)"/.test(leaf)) return 'the log entry is of a different type';
  if (!committed) return undefined;
  const fields = differingFields(JSON.parse(committed.record) as JsonObject, { ...rating }, ratingFields);
  return fields.length === 0 ? undefined : `the stored rating differs in ${fields.join(', ')}`;
}

function findFault(entry: StoredEntry, rating: Rating | undefined): string | undefined {
  const { leaf, committed, index, path, tree } = entry;
  if (!isIncluded(leafHash(leaf), { index, ...tree }, path)) return 'the leaf is not in the tree';
  if (committed && !isCommittedTo(leaf, committed)) return 'the leaf does not commit to the stored record';
  return rating && ratingFault(entry, rating);
}

function reportFault({ log }: Pick<LogContext, 'log'>, log_index: number, fault: string): Problem {
  measure('dossier_log_mismatches_total');
  log.error({ log_index, fault }, 'the database disagrees with the transparency log');
  return new Problem(
    'internal',
    'The database disagrees with the log about this entry, so no proof is given.',
  );
}

async function notAnEntry({ store, config }: IssuingContext, log_index: number): Promise<Problem> {
  const size = await store.log.size();
  const has = `The log has ${counted(size, 'entry')}, none with the index ${log_index}.`;
  return new Problem('not_found', `${has} ${whatIsLogged} ${howToCite(config)}`);
}

async function findHead(context: IssuingContext, log_index: number, rating?: Rating): Promise<LogHead> {
  const heads = await context.store.log.heads();
  const head = heads.find(({ base, size }) => log_index >= base && log_index < base + size);
  if (!head && rating) throw reportFault(context, log_index, 'the stored rating has no log entry');
  if (!head) throw await notAnEntry(context, log_index);
  if (head.closed_with !== undefined)
    throw new Problem(
      'not_found',
      'The entry belongs to a closed log, so no proof is given. The last checkpoint of that log is still served.',
    );
  return head;
}

async function readEntry(context: IssuingContext, log_index: number, rating?: Rating) {
  const { log } = context.store;
  const head = await findHead(context, log_index, rating);
  const checkpoint = await checkpointCovering(context, log_index);
  const stored = await log.leaf(log_index);
  if (!stored) throw reportFault(context, log_index, 'the leaf is missing');
  const index = log_index - head.base;
  const path = await inclusionProof(log.tree(head.id), index, checkpoint.size);
  const committed = await log.record(log_index);
  const tree = readCheckpoint(checkpoint.text);
  if (!tree) throw new Error('a malformed checkpoint was issued');
  const { leaf, erased_by } = stored;
  const entry = { leaf, committed, index, path, tree };
  const fault = findFault(entry, rating);
  if (fault) throw reportFault(context, log_index, fault);
  return { ...entry, erased_by, head, checkpoint };
}

/** Given out unless the operator has hidden that entry. */
async function findWithheldRating(
  { store }: IssuingContext,
  log_index: number,
  { id, rating_id }: JsonObject,
) {
  const rating = await store.ratings.byId(String(rating_id ?? id));
  if (!rating) return undefined;
  const hiding = await store.moderation.hiding(rating.subject_handle, log_index);
  if (hiding) return { hidden_by: hiding.log_index };
  const { withdrawn_by } = rating;
  return withdrawn_by === undefined || withdrawn_by === log_index ? undefined : { withdrawn_by };
}

const isWithheld = ({ withdrawn, hidden }: Listing) => withdrawn !== undefined || hidden === true;

/** An observation may contain text of the publisher. */
async function findWithheldListing({ store }: IssuingContext, handle: unknown) {
  const listing = await store.listings.byHandle(String(handle));
  if (!listing || !isWithheld(listing)) return undefined;
  return { withheld: listing.withdrawn ? ('listing_withdrawn' as const) : ('listing_hidden' as const) };
}

async function findWithheld(
  context: IssuingContext,
  log_index: number,
  { leaf, committed }: Pick<StoredEntry, 'leaf' | 'committed'>,
) {
  const type = String(readObject(leaf)?.t);
  const members = readObject(committed?.record ?? '') ?? {};
  if (type.startsWith('rating.')) return findWithheldRating(context, log_index, members);
  return type === 'observation.changed' ? findWithheldListing(context, members.handle) : undefined;
}

/**
 * Proves it under a checkpoint that covers it.
 * @throws not_found, also for an entry of a closed log
 * @throws internal if the stored entry disagrees with the log, or is not that of `rating`
 */
export async function proveEntry(context: IssuingContext, log_index: number, rating?: Rating) {
  const { head, leaf, committed, erased_by, index, path, checkpoint } = await readEntry(
    context,
    log_index,
    rating,
  );
  const withheld = await findWithheld(context, log_index, { leaf, committed });
  return {
    log_index,
    log: `${context.config.publicUrl}${logPath(head.id)}`,
    leaf,
    ...(withheld ?? committed),
    ...(erased_by !== null && { erased_by }),
    proof: toProofText(index, path, withCosignatures(context.checkpoints, checkpoint)),
    key: toVerifierText(verifierOf(await openLogKey(context, head.id))),
  };
}

const entriesShown = 20;

/** Newest first, without what was seen at a withdrawn or hidden listing. `before` is a log index. */
export async function readNewestEntries({ store }: Pick<IssuingContext, 'store'>, before = Infinity) {
  const end = Math.min(before, await store.log.size());
  const from = Math.max(0, end - entriesShown);
  const leaves = await store.log.leaves(from, end - from);
  const records = await store.log.records(leaves.map((_, at) => from + at));
  const entries = leaves.map((leaf, at) => {
    const record = records.get(from + at)?.record;
    return { log_index: from + at, leaf, isErased: !record, members: readObject(record ?? '') ?? {} };
  });
  const handles = entries.map(({ members: { handle } }) => String(handle));
  const found = await store.listings.byHandles([...new Set(handles)]);
  const withheld = new Set(found.filter(isWithheld).map(({ handle }) => handle));
  return entries.toReversed().map(({ members: { changes, ...members }, ...entry }) => ({
    ...entry,
    members: withheld.has(String(members.handle))
      ? members
      : { ...members, ...(changes !== undefined && { changes }) },
  }));
}
