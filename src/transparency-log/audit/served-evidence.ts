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
import { createServedLog, readAnswer } from './served-log.ts';
import { readServedObservations } from './served-observations.ts';
import { type AskService, createServiceClient } from './service-client.ts';

const found = z.object({
  listings: z.array(z.object({ handle: z.string() })),
  next_cursor: z.string().optional(),
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

/** Searches that together find every listing that shows a rating or a claim. */
const searches = [{ has_native_ratings: true }, { state: 'claimed' }, { state: 'suspended' }];
const batchEntries = 256;

async function* search(ask: AskService, filter: object): AsyncGenerator<string> {
  let cursor: string | undefined;
  do {
    const path = '/api/tools/search_agents';
    const page = readAnswer(
      path,
      await ask(path, { ...filter, limit: 50, ...(cursor && { cursor }) }),
      found,
    );
    for (const { handle } of page.listings) yield handle;
    cursor = page.next_cursor;
  } while (cursor);
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
      const sources = [readNamed(log), ...searches.map((filter) => search(ask, filter))];
      for (const source of sources)
        for await (const handle of source) {
          if (!seen.has(handle)) yield handle;
          seen.add(handle);
        }
    },
    listing: (handle) => readListing(ask, handle),
  };
}
