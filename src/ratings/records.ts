import { hash } from 'node:crypto';
import { Holder, type RecordedIdentity } from '../core/identity.ts';
import { type Moderation, toNotice } from '../moderation/moderation.ts';
import { readModerationOfRatings } from '../moderation/table.ts';
import { currentFlag, precompileQuery } from '../store/query.ts';
import { readIdentities, rederive, writeIdentities } from './derive.ts';
import { overlapStatedLater, toRelationSides, toStatedOverlap } from './groups.ts';
import { isCurrent, type RatingFilter, type RatingRecord, type ShortRating, shortRating } from './rating.ts';
import type { RatingSide, RatingSides } from './rules.ts';
import type { Db } from './schema.ts';
import { decodeContent, decodeGroup, groupCase, recordTable } from './table.ts';

export const readRatedBy = async (db: Db, handles: readonly string[]): Promise<string[]> => {
  if (handles.length === 0) return [];
  const rows = db.selectFrom('rating').select('subject_handle').distinct();
  return (await rows.where('source_handle', 'in', [...handles]).execute()).map(
    ({ subject_handle }) => subject_handle,
  );
};

export async function writeHolder(
  db: Db,
  handle: string,
  { root, at }: { readonly root: string; readonly at: string },
): Promise<string[]> {
  const holder = new Holder(root);
  const proven = { kind: 'proven', handle, first_imported_at: at } as const;
  const added = await writeIdentities(
    db,
    holder.proven.map((value) => ({ ...proven, value })),
  );
  return added.length === 0 ? [] : rederive(db, { subject: handle, holder });
}

/** By log index, because clocks of nodes differ. */
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
    .orderBy('rating.log_index', 'desc');

type StoredRatingRecord = Awaited<ReturnType<ReturnType<typeof recordsOf>['executeTakeFirstOrThrow']>>;

interface ReadAt {
  readonly now: string;
  readonly identities: readonly RecordedIdentity[];
  readonly moderation: ReadonlyMap<number, readonly Moderation[]>;
}

function toModerated(row: StoredRatingRecord, log_index: number, { moderation }: ReadAt) {
  const actions = moderation.get(log_index) ?? [];
  const hidden = actions.find(({ action }) => action === 'hide');
  // Only the named version shows the notice, although its older versions are affected too.
  const own = actions.filter(({ target }) => target === row.id);
  return {
    ...(hidden && { hidden_at: hidden.at }),
    ...(own.length > 0 && { moderation: own.map(toNotice) }),
  };
}

function toShownResponse(row: StoredRatingRecord, at: ReadAt): Pick<RatingRecord, 'response'> {
  const { response_text, responded_at: created_at, response_log_index: log_index } = row;
  if (response_text === null || created_at === null || log_index === null) return {};
  const moderated = toModerated(row, log_index, at);
  const text = moderated.hidden_at ? '' : response_text;
  const erased = row.response_erased_at ? { erased_at: row.response_erased_at } : {};
  return { response: { text, created_at, log_index, ...erased, ...moderated } };
}

/** Still shows which versions are about one interaction. */
const toHiddenInteraction = ({ erased_at, interaction_id }: StoredRatingRecord) =>
  erased_at ? {} : { interaction_sha256: hash('sha256', interaction_id) };

function toShownContent(row: StoredRatingRecord, at: ReadAt) {
  const { protocol, relationship, ...texts } = decodeContent(row);
  const moderated = toModerated(row, row.log_index, at);
  const shown = { protocol, relationship, ...moderated };
  if (row.withdrawn_at) return { ...shown, ...toHiddenInteraction(row) };
  const sent = moderated.hidden_at
    ? toHiddenInteraction(row)
    : { ...texts, interaction_id: row.interaction_id };
  return { ...shown, ...sent, ...toShownResponse(row, at) };
}

function toStatedLater(row: StoredRatingRecord, identities: readonly RecordedIdentity[]) {
  if (row.stated_overlap !== null || row.related === 1) return {};
  const overlap = toStatedOverlap(toRelationSides(row, identities));
  return overlap && overlap.at > row.first_created_at
    ? { overlap_stated_later: overlapStatedLater(overlap) }
    : {};
}

const toShownGroup = (row: StoredRatingRecord, { now, identities }: ReadAt) =>
  isCurrent(recordTable.decode(row)) ? { ...decodeGroup(row, now), ...toStatedLater(row, identities) } : {};

async function toRatingRecords(
  db: Db,
  rows: readonly StoredRatingRecord[],
  { subject, now }: { readonly subject: string; readonly now: string },
): Promise<RatingRecord[]> {
  if (rows.length === 0) return [];
  const identities = await readIdentities(db, subject, { sources: rows });
  const moderation = await readModerationOfRatings(db, subject);
  const at: ReadAt = { now, identities, moderation };
  return rows.map((row) => {
    const { id: rating_id, ...columns } = recordTable.decode(row);
    return { rating_id, ...toShownContent(row, at), ...columns, ...toShownGroup(row, at) };
  });
}

const toShortRating = (record: RatingRecord) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => field in shortRating.shape)) as ShortRating;

/** Newest first; withdrawn ones without texts. */
export async function readRecentRatings(
  db: Db,
  subject: string,
  { limit, now }: { readonly limit: number; readonly now: string },
): Promise<ShortRating[]> {
  const rows = await recordsOf(db, subject).where('superseded_by', 'is', null).limit(limit).execute();
  return (await toRatingRecords(db, rows, { subject, now })).map(toShortRating);
}

/** With a filter, only ratings that count. */
export interface RatingPage extends RatingFilter {
  /** The page begins after this log index. */
  readonly after?: number | undefined;
  readonly limit: number;
  /** For the groups, RFC 3339. */
  readonly now: string;
}

export async function readRatings(
  db: Db,
  subject: string,
  { after, limit, now, ...filter }: RatingPage,
): Promise<RatingRecord[]> {
  let query = recordsOf(db, subject);
  const { outcome, group, proof_class } = filter;
  if (Object.values(filter).some((value) => value !== undefined))
    query = query.where('is_current', '=', currentFlag);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (proof_class !== undefined) query = query.where('proof_class', '=', proof_class);
  if (group !== undefined) query = query.where(groupCase(now), '=', group);
  if (after !== undefined) query = query.where('rating.log_index', '<', after);
  return toRatingRecords(db, await query.limit(limit).execute(), { subject, now });
}

/** One statement, because all other writers wait meanwhile. */
const readSideRows = precompileQuery((db: Db, hash: string, subject: string) =>
  db
    .selectFrom('capability')
    .innerJoin('listing', (join) =>
      join.on(({ eb, ref }) => eb('listing.handle', 'in', [ref('capability.handle'), eb.val(subject)])),
    )
    .leftJoin('claim', 'claim.handle', 'listing.handle')
    .select(['capability.handle as source_handle', 'claim.state'])
    .select(['listing.handle', 'listing.repository_key', 'listing.withdrawn'])
    .select(['claim.place_key', 'claim.root', 'claim.root_generation', 'claim.first_proved_at'])
    .where('capability.hash', '=', hash),
);

type SideRow = Awaited<ReturnType<typeof readSideRows>>[number];

function toSideClaim({
  state,
  place_key,
  root,
  root_generation,
  first_proved_at,
}: SideRow): RatingSide['claim'] {
  if (place_key === null || root === null || root_generation === null || first_proved_at === null)
    return undefined;
  return { isInForce: state === 'claimed', place_key, root, root_generation, first_proved_at };
}

const toSide = (row: SideRow): RatingSide => ({
  handle: row.handle,
  repository_key: row.repository_key ?? undefined,
  withdrawn: row.withdrawn ?? undefined,
  claim: toSideClaim(row),
});

export async function readSides(
  db: Db,
  capabilityHash: string,
  handle: string,
): Promise<RatingSides | undefined> {
  const rows = await readSideRows(db, capabilityHash, handle);
  const source = rows.find((row) => row.handle === row.source_handle);
  const subject = rows.find((row) => row.handle === handle);
  return source && { source: toSide(source), subject: subject && toSide(subject) };
}
