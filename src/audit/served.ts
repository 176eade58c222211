import { constants } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Claim, type ClaimEvent, claimEvent, claimStates } from '../claims/claim.ts';
import { attempt, parseForeignJson, readObject } from '../core/json.ts';
import { lazy } from '../core/lazy.ts';
import { counted } from '../core/text.ts';
import { type ListingDocument, listingClaim } from '../document/listing-document.ts';
import type { Listing } from '../listings/listing.ts';
import { logOfOrigin, logPath } from '../log/checkpoints.ts';
import type { CommittedRecord } from '../log/leaf.ts';
import { readEntryBundle, tileWidth, toTilePath } from '../log/merkle.ts';
import { type NoteVerifier, openCheckpoint, readVerifier } from '../log/notes.ts';
import { savedProof } from '../log/verify.ts';
import { type ModerationNotice, moderationNotice } from '../moderation/moderation.ts';
import { type Observation, observation } from '../observations/known/observation.ts';
import type { RecordedChange } from '../observations/known/table.ts';
import type { Essence, Timeline } from '../observations/known/timeline/timeline.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import {
  fromListed,
  listedRatings,
  type NativeSignals,
  nativeSignals,
  type RatingRecord,
} from '../ratings/rating.ts';
import { type AskService, ServiceUnreadable } from './service.ts';

export interface AuditedLog {
  readonly id: number;
  readonly base: number;
  readonly size: number;
  /** The newest published; undefined for a closed log, and if none can be read. */
  readonly checkpoint?: string | undefined;
  /** If it covers entries that the log lacks, the service states their loss. */
  readonly closedWith?: string | undefined;
  readonly key?: NoteVerifier | undefined;
}

/**
 * The record with its salt, or why it is unread. `absent`: not stored, or hidden by the operator.
 * `withdrawn_by`: the entry that withdrew the rating; undefined if the listing is withdrawn or hidden.
 * `refused`: it disagrees with the log. `closed`: its log is closed.
 */
export type EntryRecord =
  | CommittedRecord
  | { readonly withdrawn_by: number | undefined }
  | 'absent'
  | 'refused'
  | 'closed';

export const isWithheld = (
  record: EntryRecord | undefined,
): record is Extract<EntryRecord, { withdrawn_by: unknown }> =>
  typeof record === 'object' && 'withdrawn_by' in record;

/** The control root is set only if a database is read. */
export interface AuditedClaim
  extends Pick<
      NonNullable<ListingDocument['claim']>,
      'kind' | 'claimed_at' | 'repository' | 'domain' | 'commit' | 'suspended_reason' | 'receipt_keys'
    >,
    Partial<Pick<Claim, 'root' | 'root_generation' | 'first_proved_at'>> {
  readonly state: string;
  /** True if the operator has hidden the texts of the listing. */
  readonly hasHiddenKeys?: boolean | undefined;
}

/** Only the database shows this. */
export interface OwnRows extends Pick<Listing, 'withdrawn' | 'hidden'> {
  readonly derived: ReadonlyMap<string, DerivedRow>;
  readonly timelines: readonly Timeline[];
}

export interface ShownListing {
  readonly handle: string;
  /** By the clock of the service. */
  readonly read_on: string;
  readonly ratings: readonly RatingRecord[];
  readonly claim?: AuditedClaim | undefined;
  /** The newest 20 changes of keys and 100 other events at most, oldest first. */
  readonly events: readonly ClaimEvent[];
  readonly observations: {
    readonly current: readonly (Pick<Observation, 'kind' | 'subject'> & Essence)[];
    readonly changes: readonly RecordedChange[];
  };
  readonly moderation?: readonly ModerationNotice[] | undefined;
  readonly native: Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings'>;
  readonly own?: OwnRows;
}

/** Reads public answers (served.ts), with or without the rows of one's own database (own.ts). */
export interface EvidenceReader {
  /** Oldest first. */
  logs(): Promise<AuditedLog[]>;
  leaves(log: AuditedLog, from: number, limit: number): Promise<string[]>;
  /** 1 if every level of tree nodes can be read, 8 if only every eighth can, as in tiles. */
  readonly levelStep: 1 | 8;
  nodes(log: AuditedLog, level: number, range: { from: number; limit: number }): Promise<Buffer[]>;
  records(indexes: readonly number[]): Promise<ReadonlyMap<number, EntryRecord>>;
  /** Those that may show ratings, claim events or observations. */
  handles(): AsyncIterable<string>;
  /** Undefined if nothing of it can be read. */
  listing(handle: string): Promise<ShownListing | undefined>;
}

const logs = z.object({
  logs: z.array(
    z.object({
      log: z.string(),
      first_log_index: z.int().min(0),
      entries: z.int().min(0),
      key: z.string(),
      closed_with: z.string().optional(),
    }),
  ),
});

/** The service says that its stored entry is not what the log commits to. */
const admission = z.object({
  code: z.literal('internal'),
  detail: z.string().includes('disagrees with the log'),
});

const proof = savedProof.pick({ record: true, salt: true }).extend({
  withdrawn_by: z.int().optional(),
  withheld: z.string().optional(),
});

const hash_bytes = 32;
const together = 8;

function readAnswer<T extends z.ZodType>(
  path: string,
  { status, body }: Awaited<ReturnType<AskService>>,
  form: T,
): z.output<T> {
  const answer = form.safeParse(status === 200 ? parseForeignJson(body.toString('utf8')) : undefined);
  if (answer.success) return answer.data;
  throw new ServiceUnreadable(
    `${path}: answered with status ${status} and not in the form that this version of Dossier reads`,
  );
}

const readHeads = async (ask: AskService) => readAnswer('/log', await ask('/log'), logs).logs;

async function readLogs(ask: AskService): Promise<AuditedLog[]> {
  const last = logOfOrigin((await readHeads(ask)).at(-1)?.log ?? '');
  // Read after the checkpoint, so that no log is smaller than it.
  const newest = (await ask(`${logPath(last)}/checkpoint`)).body.toString('utf8');
  return (await readHeads(ask)).map(({ log, first_log_index, entries, key, closed_with: closedWith }) => {
    const id = logOfOrigin(log);
    const checkpoint = id === last ? newest : undefined;
    return { id, base: first_log_index, size: entries, key: readVerifier(key), checkpoint, closedWith };
  });
}

async function readTile(
  ask: AskService,
  { id }: AuditedLog,
  level: string,
  { from, limit }: { from: number; limit: number },
) {
  const first = from - (from % tileWidth);
  const path = `${logPath(id)}/tile/${level}/${toTilePath({ from: first, width: from - first + limit })}`;
  const { status, body } = await ask(path);
  if (status !== 200) throw new ServiceUnreadable(`${path}: answered with status ${status}`);
  return { body, skipped: from - first };
}

const isInClosedLog = async (ask: AskService, index: number) =>
  (await readHeads(ask)).some(
    ({ first_log_index: base, entries, closed_with }) =>
      closed_with !== undefined && index >= base && index < base + entries,
  );

async function readRecord(ask: AskService, log_index: number): Promise<EntryRecord> {
  const path = '/api/tools/get_proof';
  const answer = await ask(path, { log_index });
  // Any other failure with this status says nothing about the entry.
  if (answer.status === 500 && admission.safeParse(parseForeignJson(answer.body.toString('utf8'))).success)
    return 'refused';
  if (answer.status === 404) return (await isInClosedLog(ask, log_index)) ? 'closed' : 'absent';
  const { record, salt, withdrawn_by, withheld } = readAnswer(path, answer, proof);
  if (withdrawn_by !== undefined || withheld !== undefined) return { withdrawn_by };
  return record === undefined || salt === undefined ? 'absent' : { record, salt };
}

function createServedLog(ask: AskService): Pick<EvidenceReader, 'logs' | 'leaves' | 'nodes' | 'records'> {
  const known = new Map<number, EntryRecord>();
  return {
    logs: () => readLogs(ask),
    async leaves(log, from, limit) {
      const { body, skipped } = await readTile(ask, log, 'entries', { from, limit });
      return readEntryBundle(body).slice(skipped);
    },
    async nodes(log, level, range) {
      const { body, skipped } = await readTile(ask, log, String(level / 8), range);
      return Array.from({ length: body.length / hash_bytes - skipped }, (_, at) =>
        body.subarray((at + skipped) * hash_bytes, (at + skipped + 1) * hash_bytes),
      );
    },
    async records(indexes) {
      const missing = indexes.filter((index) => !known.has(index));
      for (let at = 0; at < missing.length; at += together)
        await Promise.all(
          missing
            .slice(at, at + together)
            .map(async (index) => known.set(index, await readRecord(ask, index))),
        );
      return new Map(indexes.map((index): [number, EntryRecord] => [index, known.get(index) ?? 'absent']));
    },
  };
}

const fact = observation.pick({ value: true, value_digest: true, outcome: true, asks_for: true });
const check = z.object({
  type: z.literal('check'),
  at: z.string(),
  vantage: z.string(),
  log_index: z.int().optional(),
  changes: z.array(
    // Members unknown to this version are compared too.
    z
      .looseObject({
        kind: z.string(),
        subject: z.string().optional(),
        before: z.looseObject({ ...fact.shape, seen_until: z.string() }).optional(),
        after: z.looseObject(fact.shape),
      })
      // `texts` is computed, so it is in no log entry.
      .transform(({ texts: _, ...change }) => change as RecordedChange['changes'][number]),
  ),
});
const history = z.object({
  events: z.array(z.union([check, z.object({ type: z.string().regex(/\./) })])),
  next_cursor: z.string().optional(),
});

function toRuns(handle: string, event: z.output<typeof history>['events'][number]): RecordedChange[] {
  // A change that is told from the timelines alone has no entry.
  if (!('changes' in event) || event.log_index === undefined) return [];
  const { type: _, log_index, ...run } = event;
  return [{ handle, log_index, ...run }];
}

/** Without a check there is no vantage. */
const isSeen = ({ vantage }: Pick<Observation, 'vantage'>) => vantage !== '';

/** More pages than the log has entries, because a history also shows changes of records. */
const mostUnloggedPages = 1000;

/**
 * Ends before a page that was read. Throws ServiceUnreadable if the signed logs are too small for so many
 * pages.
 */
function createPages(readSigned: () => Promise<number>) {
  const signed = lazy(readSigned);
  return async <T extends { readonly next_cursor?: string | undefined }>(
    path: string,
    readPage: (cursor: string) => Promise<T>,
  ): Promise<T[]> => {
    const read = new Map<string, T>();
    for (let cursor = ''; !read.has(cursor); ) {
      const most = mostUnloggedPages + (await signed());
      if (read.size >= most)
        throw new ServiceUnreadable(
          `${path}: it names more than ${counted(most, 'page')}, and the service signed a log of only ${counted(most - mostUnloggedPages, 'entry')}`,
        );
      const page = await readPage(cursor);
      read.set(cursor, page);
      cursor = page.next_cursor ?? '';
    }
    return [...read.values()];
  };
}

async function readSignedSize(ask: AskService): Promise<number> {
  const checkpoints = (await readLogs(ask)).map(({ checkpoint, closedWith, key }) =>
    key ? openCheckpoint(checkpoint ?? closedWith ?? '', key) : undefined,
  );
  return checkpoints.reduce((sum, checkpoint) => sum + (checkpoint?.size ?? 0), 0);
}

const manifest = z.object({
  files: z.array(z.object({ path: z.string().startsWith('/export/'), bytes: z.int().max(2 ** 30) })),
});
const listed = listedRatings.extend({ next_cursor: z.string().optional() });
const document = z.object({
  evidence_snapshot_date: z.string(),
  state: z.enum(claimStates),
  claim: listingClaim.optional(),
  history: z.array(claimEvent).optional(),
  signals: z.object({ native: nativeSignals }),
  observations: z.array(observation),
  moderation: z.array(moderationNotice).optional(),
});

const dumped = document.extend({ handle: z.string() });

function readLines(path: string, { status, body }: Awaited<ReturnType<AskService>>): string[] {
  const limits = { maxOutputLength: constants.MAX_STRING_LENGTH };
  const read = () => gunzipSync(body, limits).toString('utf8').split('\n');
  const lines = status === 200 ? attempt(read) : undefined;
  if (lines) return lines.filter((line) => line !== '');
  throw new ServiceUnreadable(`${path}: answered with status ${status} and not with a file of the export`);
}

/** Those of which the newest dump, perhaps hours old, shows anything that the log must have. */
async function* readDumped(ask: AskService): AsyncGenerator<string> {
  const { files } = readAnswer('/export/manifest.json', await ask('/export/manifest.json'), manifest);
  const file = files.find(({ path }) => path.startsWith('/export/evidence-'));
  if (!file) throw new ServiceUnreadable('/export/manifest.json: it names no file of evidence');
  for (const line of readLines(file.path, await ask(file.path, undefined, file.bytes))) {
    const shown = dumped.safeParse(parseForeignJson(line)).data;
    if (!shown)
      throw new ServiceUnreadable(
        `${file.path}: a line is not in the form that this version of Dossier reads`,
      );
    const { handle, state, history, signals, observations, moderation } = shown;
    const { recent, voided } = signals.native;
    const parts = [history, recent, moderation, observations.filter(isSeen)];
    if (state !== 'imported' || voided > 0 || parts.some((part = []) => part.length > 0)) yield handle;
  }
}

async function* readNamed({ logs, records }: Pick<EvidenceReader, 'logs' | 'records'>) {
  for (const { base, size } of await logs())
    for (let from = base; from < base + size; from += tileWidth) {
      const indexes = Array.from({ length: Math.min(tileWidth, base + size - from) }, (_, at) => from + at);
      for (const record of (await records(indexes)).values()) {
        const named =
          typeof record === 'object' && !isWithheld(record) ? readObject(record.record) : undefined;
        const handle = named?.subject_handle ?? named?.handle;
        if (typeof handle === 'string') yield handle;
      }
    }
}

/** The returned function gives undefined if nothing of a listing is shown. */
export function createListingReader(ask: AskService, readSigned: () => Promise<number>) {
  const pages = createPages(readSigned);
  return async (handle: string): Promise<ShownListing | undefined> => {
    const path = `/agents/${handle.split('/').map(encodeURIComponent).join('/')}`;
    const answer = await ask(`${path}.json`);
    if (answer.status === 410 || answer.status === 404) return undefined;
    const shown = readAnswer(path, answer, document);
    const { claim, history: events = [], moderation } = shown;
    const hasHiddenKeys = !claim?.receipt_keys && moderation?.some(({ action }) => action === 'hide');
    const tool = '/api/tools/list_ratings';
    const ratings = await pages(tool, async (cursor) =>
      readAnswer(tool, await ask(tool, { handle, ...(cursor && { cursor }) }), listed),
    );
    const checks = await pages(`${path}/history.json`, async (cursor) => {
      const page = `${path}/history.json${cursor && `?cursor=${cursor}`}`;
      return readAnswer(page, await ask(page), history);
    });
    return {
      handle,
      read_on: shown.evidence_snapshot_date,
      ratings: ratings.flatMap(fromListed),
      claim: claim && { ...claim, state: shown.state, hasHiddenKeys },
      events: claim?.history ?? events,
      observations: {
        current: shown.observations.filter(isSeen),
        changes: checks.flatMap((page) => page.events.flatMap((event) => toRuns(handle, event))),
      },
      native: shown.signals.native,
      moderation,
    };
  };
}

/** Uses only public requests. The methods throw ServiceUnreadable. */
export function createServedEvidence(ask: AskService): EvidenceReader {
  const log = createServedLog(ask);
  return {
    levelStep: 8,
    ...log,
    async *handles() {
      const seen = new Set<string>();
      for (const source of [readNamed(log), readDumped(ask)])
        for await (const handle of source) {
          if (!seen.has(handle)) yield handle;
          seen.add(handle);
        }
    },
    listing: createListingReader(ask, () => readSignedSize(ask)),
  };
}
