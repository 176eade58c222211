import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { openStore } from '../../store/open.ts';

/** Where listings are read from: a Dossier over HTTP, a file of saved documents, or the own database. */
export interface LockSource {
  readonly name: string;
  /** The document of a listing; 'withdrawn' or 'not listed' where there is none. Throws ExitError. */
  read(handle: string): Promise<ListingDocument | 'withdrawn' | 'not listed'>;
  close(): Promise<void>;
}

const timeout_ms = 30_000;

/** The members of a listing document that a lock reads; what comes from elsewhere may lack any of them. */
const documentForm = z.looseObject({
  handle: z.string(),
  version: z.string(),
  updated_at: z.string(),
  origin_status: z.string(),
  state: z.string(),
  evidence_snapshot_date: z.string(),
  repository: z.string().optional(),
  remotes: z.array(z.looseObject({ type: z.string(), url: z.string() })),
  packages: z.array(z.looseObject({ registry_type: z.string(), identifier: z.string() })),
  observations: z.array(z.looseObject({ kind: z.string(), state: z.string() })),
  claim: z.looseObject({ claimed_at: z.string(), history: z.array(z.looseObject({})) }).nullish(),
});

/** A listing document. Throws on anything else. */
const readDocument = (value: unknown) => documentForm.parse(value) as unknown as ListingDocument;

/** The end of a command whose Dossier did not answer as one. */
export const unreachable = (name: string, why: string) =>
  new ExitError(exitCodes.upstreamUnavailable, `${name}: ${why}; nothing was compared`);

async function readOverHttp(base: string, handle: string) {
  const url = `${base}/agents/${handle}.json`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeout_ms) }).catch((error: unknown) => {
    throw unreachable(url, error instanceof Error ? error.message : 'no answer');
  });
  if (answer.status === 404) return 'not listed';
  if (answer.status === 410) return 'withdrawn';
  if (!answer.ok) throw unreachable(url, `HTTP status ${answer.status}`);
  try {
    return readDocument(await answer.json());
  } catch {
    throw unreachable(url, 'no listing document');
  }
}

/** Listing documents of a file: a JSON array, or one document a line. */
function readDocuments(file: string): Map<string, ListingDocument> {
  try {
    const text = readFileSync(file, 'utf8').trim();
    const documents = text.startsWith('[')
      ? (JSON.parse(text) as unknown[])
      : text.split('\n').map((line): unknown => JSON.parse(line));
    return new Map(documents.map(readDocument).map((document) => [document.handle, document]));
  } catch {
    throw new ExitError(exitCodes.io, `${file}: not a file of listing documents, as JSON or one a line`);
  }
}

async function openDatabase(config: Config): Promise<LockSource> {
  const store = await openStore(config);
  return {
    name: config.publicUrl,
    async read(handle) {
      const now = new Date();
      const facts = await store.listings.facts(handle, now.toISOString());
      if (!facts) return 'not listed';
      return facts.listing.withdrawn ? 'withdrawn' : toListingDocument(facts, config, now);
    },
    close: () => store.close(),
  };
}

/** Opens where to read from: an address, a file, or, without either, the own database. Throws ExitError. */
export async function openLockSource(from: string | undefined, config: () => Config): Promise<LockSource> {
  const close = async () => undefined;
  if (from === undefined) return openDatabase(config());
  if (/^https?:/i.test(from)) {
    const base = from.replace(/\/+$/, '');
    return { name: base, read: (handle) => readOverHttp(base, handle), close };
  }
  const documents = readDocuments(from);
  return { name: from, read: async (handle) => documents.get(handle) ?? 'not listed', close };
}
