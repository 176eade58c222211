import { createHash } from 'node:crypto';
import { type Moderation, toNotice } from '../../../evidence/moderation/moderation.ts';
import { overlapStatedLater } from '../../../evidence/rating/groups.ts';
import type { RecordedIdentity } from '../../../evidence/rating/identity.ts';
import { type RatingRecord, type ShortRating, shortRating } from '../../../evidence/rating/rating.ts';
import { toRelationSides, toStatedOverlap } from '../../../evidence/rating/relation.ts';
import type { RatingReads } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
import { readModerationOfRatings } from '../moderation.ts';
import { isCurrent } from './counts.ts';
import { groupCase } from './group-case.ts';
import { readIdentitiesOf } from './relations.ts';
import { decodeColumns, decodeContent, decodeGroup } from './rows.ts';

/** Ratings of a subject, newest first, each with its response; those columns are null where there is none. */
const recordsOf = (db: Db, subject: string) =>
  db
    .selectFrom('rating')
    .leftJoin('rating_response as response', 'response.rating_id', 'rating.id')
    .selectAll('rating')
    .select([
      'response.text as response_text',
      'response.created_at as responded_at',
      'response.log_index as response_log_index',
      'response.erased_at as response_erased_at',
    ])
    .where('subject_handle', '=', subject)
    .orderBy('rating.created_at', 'desc')
    .orderBy('rating.id', 'desc');

type StoredRecord = Awaited<ReturnType<ReturnType<typeof recordsOf>['executeTakeFirstOrThrow']>>;

const toResponse = ({ response_text, responded_at, response_log_index, response_erased_at }: StoredRecord) =>
  response_text !== null &&
  responded_at !== null &&
  response_log_index !== null && {
    response: {
      ...{ text: response_text, created_at: responded_at, log_index: response_log_index },
      ...(response_erased_at && { erased_at: response_erased_at }),
    },
  };

/** When records are read, what their two sides named until then, and what the operator did, by log index. */
interface ReadAt {
  readonly now: string;
  readonly identities: readonly RecordedIdentity[];
  readonly moderation: ReadonlyMap<number, readonly Moderation[]>;
}

/** What the operator did to a rating or the response to it, given by its entry, and since when its text is hidden. */
function toModerated(row: StoredRecord, log_index: number, { moderation }: ReadAt) {
  // Erasing a rating reaches the entries of its older versions too.
  const actions = moderation.get(log_index)?.filter(({ target }) => target === row.id) ?? [];
  if (actions.length === 0) return undefined;
  const hidden = actions.find(({ action }) => action === 'hide');
  return { ...(hidden && { hidden_at: hidden.at }), moderation: actions.map(toNotice) };
}

/** A rating that is hidden or erased takes the response to it along; one that is voided does not. */
function toShownResponse(row: StoredRecord, at: ReadAt): Pick<RatingRecord, 'response'> {
  const answered = toResponse(row);
  if (!answered) return {};
  const { response } = answered;
  const moderated = toModerated(row, response.log_index, at);
  return { response: { ...response, ...(moderated?.hidden_at && { text: '' }), ...moderated } };
}

/** Versions of a rating that is withdrawn or hidden still show that they are of one interaction. */
const toHiddenInteraction = ({ erased_at, interaction_id }: StoredRecord) =>
  erased_at ? {} : { interaction_sha256: createHash('sha256').update(interaction_id).digest('hex') };

/** What the rater and the rated listing wrote; no longer shown for a withdrawn rating, or where it is hidden. */
function toShownContent(
  row: StoredRecord,
  at: ReadAt,
): Pick<
  RatingRecord,
  'protocol' | 'relationship' | 'response' | 'hidden_at' | 'moderation' | 'interaction_sha256'
> {
  const { protocol, relationship, ...texts } = decodeContent(row);
  const moderated = toModerated(row, row.log_index, at);
  const shown = { protocol, relationship, ...moderated };
  if (row.withdrawn_at) return { ...shown, ...toHiddenInteraction(row) };
  const sent = moderated?.hidden_at
    ? toHiddenInteraction(row)
    : { ...texts, interaction_id: row.interaction_id };
  return { ...shown, ...sent, ...toShownResponse(row, at) };
}

/** The overlap that a record of either side stated after the rating was made, if none was stated before. */
function toStatedLater(
  row: StoredRecord,
  identities: readonly RecordedIdentity[],
): Pick<RatingRecord, 'overlap_stated_later'> {
  if (row.stated_overlap !== null || row.related === 1) return {};
  const overlap = toStatedOverlap(toRelationSides(row, identities));
  return overlap && overlap.at > row.first_created_at
    ? { overlap_stated_later: overlapStatedLater(overlap) }
    : {};
}

/** The public form of a stored rating. A withdrawn one is a tombstone: its texts are not shown. */
function toRatingRecord(row: StoredRecord, at: ReadAt): RatingRecord {
  const { id: rating_id, ...columns } = decodeColumns(row);
  return {
    rating_id,
    ...toShownContent(row, at),
    ...columns,
    ...decodeGroup(row, at.now),
    ...toStatedLater(row, at.identities),
  };
}

async function toRatingRecords(
  db: Db,
  rows: readonly StoredRecord[],
  { subject, now }: { readonly subject: string; readonly now: string },
): Promise<RatingRecord[]> {
  if (rows.length === 0) return [];
  const handles = new Set([subject, ...rows.map(({ source_handle }) => source_handle)]);
  const identities = await readIdentitiesOf(db, [...handles]);
  const moderation = await readModerationOfRatings(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toRatingRecord(row, { now, identities, moderation }));
}

const toShortRating = (record: RatingRecord) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => field in shortRating.shape)) as ShortRating;

/** The short form of a subject's newest ratings, only the latest version of each; tombstones of withdrawn ones included. */
export async function readRecentRatings(
  db: Db,
  subject: string,
  { limit, now }: { readonly limit: number; readonly now: string },
): Promise<ShortRating[]> {
  const rows = await recordsOf(db, subject).where('superseded_by', 'is', null).limit(limit).execute();
  return (await toRatingRecords(db, rows, { subject, now })).map(toShortRating);
}

/** A page of a subject's public records (contract/ratings.ts). */
export async function readRatings(
  db: Db,
  ...[subject, { after, limit, now, ...filter }]: Parameters<RatingReads['list']>
): Promise<RatingRecord[]> {
  let query = recordsOf(db, subject);
  const { outcome, group, proof_class } = filter;
  if (Object.values(filter).some((value) => value !== undefined))
    query = query.where('is_current', '=', isCurrent);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (proof_class !== undefined) query = query.where('proof_class', '=', proof_class);
  if (group !== undefined) query = query.where(groupCase(now), '=', group);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('rating.created_at', 'rating.id'), '<', tuple(after.created_at, after.id)),
    );
  }
  return toRatingRecords(db, await query.limit(limit).execute(), { subject, now });
}
