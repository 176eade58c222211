import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import {
  claimEvent,
  claimStates,
  listingClaim,
  nativeSignals,
} from '../../evidence/listing/listing-document.ts';
import { readMembers } from '../../evidence/log/read-record.ts';
import { moderationNotice } from '../../evidence/moderation/moderation.ts';
import { observation } from '../../evidence/observation/observation.ts';
import { type RatingRecord, ratingRecord } from '../../evidence/rating/rating.ts';
import { type EvidenceReader, isWithheld, type ShownListing } from './evidence-reader.ts';
import { createServedLog, readAnswer, toJson } from './served-log.ts';
import { readServedObservations } from './served-observations.ts';
import {
  type AskService,
  createServiceClient,
  type ServiceAnswer,
  ServiceUnreadable,
} from './service-client.ts';

const manifest = z.object({
  files: z.array(z.object({ path: z.string().startsWith('/export/'), bytes: z.int().max(2 ** 30) })),
});
const listed = z.object({ ratings: z.array(ratingRecord), next_cursor: z.string().optional() });
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
const batchEntries = 256;

function readLines(path: string, { status, body }: ServiceAnswer): string[] {
  try {
    if (status === 200)
      return gunzipSync(body, { maxOutputLength: 2 ** 29 })
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
  } catch {}
  throw new ServiceUnreadable(`${path}: answered with status ${status} and not with a file of the export`);
}

/** The listings of which the newest dump of the service, up to an hour old, shows anything that the log must have. */
async function* readDumped(ask: AskService): AsyncGenerator<string> {
  const { files } = readAnswer('/export/manifest.json', await ask('/export/manifest.json'), manifest);
  const file = files.find(({ path }) => path.startsWith('/export/evidence-'));
  if (!file) throw new ServiceUnreadable('/export/manifest.json: it names no file of evidence');
  for (const line of readLines(file.path, await ask(file.path, undefined, file.bytes))) {
    const shown = dumped.safeParse(toJson(Buffer.from(line))).data;
    if (!shown) throw new ServiceUnreadable(`${file.path}: a line is not in the form of this version`);
    const { handle, state, history, signals, observations, moderation } = shown;
    const { recent, voided } = signals.native;
    const parts = [history, recent, moderation, observations.filter(({ vantage }) => vantage !== '')];
    if (state !== 'imported' || voided > 0 || parts.some((part = []) => part.length > 0)) yield handle;
  }
}

/** The listings that the log's records name. */
async function* readNamed({
  logs,
  records,
}: Pick<EvidenceReader, 'logs' | 'records'>): AsyncGenerator<string> {
  for (const { base, size } of await logs())
    for (let from = base; from < base + size; from += batchEntries) {
      const indexes = Array.from(
        { length: Math.min(batchEntries, base + size - from) },
        (_, at) => from + at,
      );
      for (const record of (await records(indexes)).values()) {
        const named =
          typeof record === 'object' && !isWithheld(record) ? readMembers(record.record) : undefined;
        const handle = named?.subject_handle ?? named?.handle;
        if (typeof handle === 'string') yield handle;
      }
    }
}

async function readRatings(ask: AskService, handle: string): Promise<RatingRecord[]> {
  const ratings: RatingRecord[] = [];
  let cursor: string | undefined;
  do {
    const path = '/api/tools/list_ratings';
    const page = readAnswer(path, await ask(path, { handle, ...(cursor && { cursor }) }), listed);
    ratings.push(...page.ratings);
    cursor = page.next_cursor;
  } while (cursor);
  return ratings;
}

const toPath = (handle: string) => `/agents/${handle.split('/').map(encodeURIComponent).join('/')}`;

async function readListing(ask: AskService, handle: string): Promise<ShownListing | undefined> {
  const path = toPath(handle);
  const answer = await ask(`${path}.json`);
  if (answer.status === 410 || answer.status === 404) return undefined;
  const {
    evidence_snapshot_date: read_on,
    state,
    claim,
    history = [],
    signals,
    observations: shown,
    moderation,
  } = readAnswer(path, answer, document);
  return {
    handle,
    read_on,
    ratings: await readRatings(ask, handle),
    claim: claim && { ...claim, state },
    events: claim?.history ?? history,
    observations: await readServedObservations(ask, { handle, path, shown }),
    native: signals.native,
    moderation,
  };
}

/** Reads a running service for an audit as any stranger can, over HTTP alone. Its methods throw ServiceUnreadable. */
export function createServedEvidence(url: string): EvidenceReader {
  const ask = createServiceClient(url);
  const log = createServedLog(ask);
  return {
    levelStep: 8,
    ...log,
    async *handles() {
      const seen = new Set<string>();
      const sources = [readNamed(log), readDumped(ask)];
      for (const source of sources)
        for await (const handle of source) {
          if (!seen.has(handle)) yield handle;
          seen.add(handle);
        }
    },
    listing: (handle) => readListing(ask, handle),
  };
}
