import { overlapStatedLater } from '../../../evidence/rating/groups.ts';
import type { RecordedIdentity } from '../../../evidence/rating/identity.ts';
import { type RatingRecord, type ShortRating, shortRating } from '../../../evidence/rating/rating.ts';
import { toStatedOverlap } from '../../../evidence/rating/relation.ts';
import type { RatingReads } from '../../contract/ratings.ts';
import type { Db } from '../../engine.ts';
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

/** What the rater and the rated listing wrote; no longer shown for a withdrawn rating. */
function toShownContent(row: StoredRecord): Pick<RatingRecord, 'protocol' | 'relationship' | 'response'> {
  const content = decodeContent(row);
  const { protocol, relationship } = content;
  return row.withdrawn_at ? { protocol, relationship } : { ...content, ...toResponse(row) };
}

/** When records are read, and what their two sides named until then. */
interface ReadAt {
  readonly now: string;
  readonly identities: readonly RecordedIdentity[];
}

/** The overlap that a record of either side stated after the rating was made, if none was stated before. */
function toStatedLater(
  row: StoredRecord,
  identities: readonly RecordedIdentity[],
): Pick<RatingRecord, 'overlap_stated_later'> {
  if (row.stated_overlap !== null || row.related === 1) return {};
  const { source_handle, subject_handle, source_root } = row;
  const recorded = (handle: string) => identities.filter((identity) => identity.handle === handle);
  const ofSubject = recorded(subject_handle);
  const proven = ofSubject.filter(({ kind }) => kind === 'claim').map(({ value }) => value);
  const overlap = toStatedOverlap(
    { handle: source_handle, roots: [source_root], recorded: recorded(source_handle) },
    { handle: subject_handle, roots: proven, recorded: ofSubject },
  );
  return overlap && overlap.at > row.first_created_at
    ? { overlap_stated_later: overlapStatedLater(overlap) }
    : {};
}

/** The public form of a stored rating. A withdrawn one is a tombstone: its texts are not shown. */
function toRatingRecord(row: StoredRecord, { now, identities }: ReadAt): RatingRecord {
  const { id: rating_id, ...columns } = decodeColumns(row);
  return {
    rating_id,
    ...toShownContent(row),
    ...columns,
    ...decodeGroup(row, now),
    ...toStatedLater(row, identities),
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
  return rows.map((row) => toRatingRecord(row, { now, identities }));
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
  ...[subject, { after, limit, outcome, group, now }]: Parameters<RatingReads['list']>
): Promise<RatingRecord[]> {
  let query = recordsOf(db, subject);
  if (outcome !== undefined || group !== undefined) query = query.where('is_current', '=', isCurrent);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (group !== undefined) query = query.where(groupCase(now), '=', group);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('rating.created_at', 'rating.id'), '<', tuple(after.created_at, after.id)),
    );
  }
  return toRatingRecords(db, await query.limit(limit).execute(), { subject, now });
}
