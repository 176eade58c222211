import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { ownMember } from '../core/json.ts';
import { usageError } from '../core/process.ts';
import { isWebAddress } from '../core/text.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import { documentForm, readDocuments } from './documents.ts';
import { ask, toBase, unreachable } from './service.ts';

export interface LockSource extends AsyncDisposable {
  /** `from` of a lock file. */
  readonly name: string;
  read(handle: string): Promise<ListingDocument | 'withdrawn' | 'not listed'>;
}

/** Stands for DATABASE_URL. */
export const ownDatabase = 'the own database';

const problemForm = z.object({ code: z.string() });
const goneCodes: Readonly<Record<string, 'withdrawn' | 'not listed'>> = {
  listing_withdrawn: 'withdrawn',
  unknown_handle: 'not listed',
};

/** Only a problem of Dossier says that it is gone: a proxy may send its own 404. */
async function readOverHttp(base: string, handle: string) {
  const path = `/agents/${handle}.json`;
  const { status, json } = await ask(base, path);
  const document = documentForm.safeParse(json);
  if (document.success) {
    const answered = document.data.handle;
    // The service also answers for other capitals.
    if (answered.toLowerCase() === handle.toLowerCase()) return document.data as unknown as ListingDocument;
    throw unreachable(`${base}${path}: the answer is about ${answered}`);
  }
  const gone = ownMember(goneCodes, problemForm.safeParse(json).data?.code ?? '');
  if (gone) return gone;
  throw unreachable(
    `${base}${path}: HTTP status ${status}, and neither a listing nor a problem of a Dossier`,
  );
}

async function openDatabase(config: Config): Promise<LockSource> {
  const [{ openStore }, { toListingDocument }] = await Promise.all([
    import('../app/open.ts'),
    import('../document/document.ts'),
  ]);
  const store = await openStore(config);
  return {
    name: ownDatabase,
    async read(handle) {
      const now = new Date();
      const facts = await store.documents.facts(handle, now.toISOString());
      if (!facts) return 'not listed';
      return facts.listing.withdrawn ? 'withdrawn' : toListingDocument(facts, config, now);
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

export async function openLockSource(
  from: string | undefined,
  config: () => Promise<Config>,
): Promise<LockSource> {
  const nothing = { async [Symbol.asyncDispose]() {} };
  if (from === undefined || from === ownDatabase) return openDatabase(await config());
  if (isWebAddress(from)) {
    const base = toBase(from);
    return { name: base, read: (handle) => readOverHttp(base, handle), ...nothing };
  }
  const documents = readDocuments(from);
  return { name: from, read: async (handle) => documents.get(handle) ?? 'not listed', ...nothing };
}

/** Each listing is read, so larger views are refused. */
const mostOfView = 10_000;
/** Pages may be empty, because changed listings are left out. */
const mostPages = 1000;

const pageForm = z.object({
  servers: z.array(z.object({ server: z.object({ name: z.string() }) })),
  metadata: z.object({ nextCursor: z.string().optional() }),
});

async function readPage(base: string, view: string, cursor: string | undefined) {
  const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) });
  const path = `/views/${encodeURIComponent(view)}/v0.1/servers?${query}`;
  const { status, json } = await ask(base, path);
  if (status === 404 && json !== undefined)
    throw usageError(`${base} has no view ${view}; ${base}/views lists its views`);
  const read = pageForm.safeParse(json).data;
  if (!read) throw unreachable(`${base}${path}: HTTP status ${status}, and no page of a registry`);
  return read;
}

export async function readViewHandles(from: string | undefined, view: string): Promise<string[]> {
  if (from === undefined || !isWebAddress(from))
    throw usageError(
      '--view reads the listings of a view from a running Dossier; name its address with --from or DOSSIER_URL',
    );
  const base = toBase(from);
  const handles: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    pages += 1;
    const { servers, metadata } = await readPage(base, view, cursor);
    handles.push(...servers.map(({ server }) => server.name));
    cursor = metadata.nextCursor;
  } while (cursor !== undefined && handles.length < mostOfView && pages < mostPages);
  const refuse = (why: string) => usageError(`${why}; nothing was written`);
  if (cursor !== undefined && pages === mostPages)
    throw refuse(`the view ${view} of ${base} has more than ${mostPages} pages`);
  if (cursor !== undefined) throw refuse(`the view ${view} of ${base} has more than ${mostOfView} listings`);
  if (handles.length === 0) throw refuse(`no listing is in the view ${view} of ${base}`);
  return handles;
}
