import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { toListingDocument } from '../../evidence/listing/document.ts';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import { openStore } from '../../store/open.ts';
import { createServiceClient, ServiceUnreadable } from '../../transparency-log/audit/service-client.ts';

/** Where listings are read from: a Dossier over HTTP, a file of saved documents, or the own database. */
export interface LockSource {
  /** What `from` of a lock file says; the same text opens the source again. */
  readonly name: string;
  /** The document of a listing; 'withdrawn' or 'not listed' where there is none. Throws ExitError. */
  read(handle: string): Promise<ListingDocument | 'withdrawn' | 'not listed'>;
  close(): Promise<void>;
}

/** `from` of a lock file that was made from the database of DATABASE_URL. */
const ownDatabase = 'the own database';

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

const unreachable = (why: string) =>
  new ExitError(exitCodes.upstreamUnavailable, `${why}; nothing was compared`);

/** The status and JSON of an answer of a Dossier, at most 8 MiB; undefined for any other body. Throws ExitError. */
async function ask(base: string, path: string): Promise<{ status: number; json: unknown }> {
  const { status, body } = await createServiceClient(base)(path).catch((error: unknown) => {
    throw error instanceof ServiceUnreadable ? unreachable(error.message) : error;
  });
  try {
    return { status, json: JSON.parse(body.toString()) };
  } catch {
    return { status, json: undefined };
  }
}

const problemForm = z.object({ code: z.string() });
const goneCodes: Readonly<Record<string, 'withdrawn' | 'not listed'>> = {
  listing_withdrawn: 'withdrawn',
  unknown_handle: 'not listed',
};

/** Only a problem of Dossier says that a listing is gone: a proxy has a 404 of its own. */
async function readOverHttp(base: string, handle: string) {
  const path = `/agents/${handle}.json`;
  const { status, json } = await ask(base, path);
  const document = documentForm.safeParse(json);
  if (document.success) return document.data as unknown as ListingDocument;
  const gone = goneCodes[problemForm.safeParse(json).data?.code ?? ''];
  if (gone) return gone;
  throw unreachable(
    `${base}${path}: HTTP status ${status}, and neither a listing nor a problem of a Dossier`,
  );
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
    name: ownDatabase,
    async read(handle) {
      const now = new Date();
      const facts = await store.listings.facts(handle, now.toISOString());
      if (!facts) return 'not listed';
      return facts.listing.withdrawn ? 'withdrawn' : toListingDocument(facts, config, now);
    },
    close: () => store.close(),
  };
}

const isAddress = (from: string | undefined): from is string => from !== undefined && /^https?:/i.test(from);
const toBase = (from: string) => from.replace(/\/+$/, '');

/** Opens where to read from: an address, a file, or, without either, the own database. Throws ExitError. */
export async function openLockSource(from: string | undefined, config: () => Config): Promise<LockSource> {
  const close = async () => undefined;
  if (from === undefined || from === ownDatabase) return openDatabase(config());
  if (isAddress(from)) {
    const base = toBase(from);
    return { name: base, read: (handle) => readOverHttp(base, handle), close };
  }
  const documents = readDocuments(from);
  return { name: from, read: async (handle) => documents.get(handle) ?? 'not listed', close };
}

const pageSize = 100;
/** Each listing of a view is read when it is locked. */
const mostOfView = 10_000;

const pageForm = z.object({
  servers: z.array(z.object({ server: z.object({ name: z.string() }) })),
  metadata: z.object({ nextCursor: z.string().optional() }),
});

async function readPage(base: string, view: string, cursor: string | undefined) {
  const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) });
  const path = `/views/${encodeURIComponent(view)}/v0.1/servers?${query}`;
  const { status, json } = await ask(base, path);
  if (status === 404 && json !== undefined)
    throw new ExitError(exitCodes.usage, `${base} has no view ${view}; ${base}/views has those it has`);
  const read = pageForm.safeParse(json).data;
  if (!read) throw unreachable(`${base}${path}: HTTP status ${status}, and no page of a registry`);
  return read;
}

/** The handles of the listings that are in a view of a Dossier now. Throws ExitError, also if there are more than 10,000. */
export async function readViewHandles(from: string | undefined, view: string): Promise<string[]> {
  if (!isAddress(from))
    throw new ExitError(
      exitCodes.usage,
      '--view reads the listings of a view from a running Dossier; name its address with --from or DOSSIER_URL',
    );
  const base = toBase(from);
  const handles: string[] = [];
  let cursor: string | undefined;
  do {
    const { servers, metadata } = await readPage(base, view, cursor);
    handles.push(...servers.map(({ server }) => server.name));
    cursor = metadata.nextCursor;
  } while (cursor !== undefined && handles.length < mostOfView);
  const refuse = (why: string) => new ExitError(exitCodes.usage, `${why}; nothing was written`);
  if (cursor !== undefined) throw refuse(`the view ${view} of ${base} has more than ${mostOfView} listings`);
  if (handles.length === 0) throw refuse(`no listing is in the view ${view} of ${base}`);
  return handles;
}
