import type { Context } from '../context.ts';
import { memoize } from '../core/lazy.ts';
import { readAll, readPages } from '../core/paging/pages.ts';
import { type FileConfig, readCheckpointFile } from '../log/checkpoint-file.ts';
import { findKeyOfOrigin, logOfOrigin } from '../log/checkpoints.ts';
import { readCheckpoint, verifierOf } from '../log/notes.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import type { AuditedLog, EntryRecord, EvidenceReader } from './evidence-reader.ts';
import { createListingReader } from './served.ts';
import type { AskService } from './service.ts';

const batchSize = 100;

const toWhole = <T extends object>(listing: T): T => ({
  ...listing,
  withdrawn: undefined,
  hidden: undefined,
});

/**
 * Shows withdrawn and hidden listings too, because they may be shown again; asks for no checks. Reads nothing
 * from memory but the facts of one listing, for the requests between two calls of `forget`.
 */
export function toAuditedContext(context: Context): { audited: Context; forget: () => void } {
  const { store, config, log } = context;
  const { listings, documents } = store;
  const readFacts = async (handle: string) => {
    const [found] = await documents.factsOfAll([handle], context.clock().toISOString());
    return found && { ...found, listing: toWhole(found.listing) };
  };
  let facts = memoize(readFacts, 1);
  const audited: Context = {
    ...context,
    config: { ...config, hasLimits: false },
    askedChecks: {},
    log: log.child({}, { level: 'error' }),
    store: {
      ...store,
      listings: {
        ...listings,
        async byHandle(handle) {
          const listing = await listings.byHandle(handle);
          return listing && toWhole(listing);
        },
      },
      documents: { ...documents, facts: (handle) => facts(handle) },
    },
  };
  const forget = () => {
    facts = memoize(readFacts, 1);
  };
  return { audited, forget };
}

type OwnContext = Pick<Context, 'store'> & { readonly config: FileConfig };

/** The checkpoint in the file may be of any log. */
async function readOwnCheckpoint({ store, config }: OwnContext) {
  const file = await readCheckpointFile(config);
  if (file === undefined || file.otherDatabase !== undefined) return undefined;
  const [text = ''] = file.texts;
  const origin = readCheckpoint(text)?.origin ?? '';
  const key = await findKeyOfOrigin({ store }, origin);
  return { log: logOfOrigin(origin), checkpoint: text, key: key && verifierOf(key) };
}

async function readLogs(context: OwnContext): Promise<AuditedLog[]> {
  const heads = await context.store.log.heads();
  const newest = heads.at(-1)?.id ?? 1;
  const file = await readOwnCheckpoint(context);
  // A node has closed older logs already; a later log is a fault, because this database lacks it.
  const known = file && file.log >= newest ? file : undefined;
  return heads.map(({ id, base, size, closed_with: closedWith }) => ({
    id,
    base,
    size,
    closedWith,
    ...(id === newest && known),
  }));
}

async function readOwnRows({ store }: OwnContext, handle: string) {
  const listing = await store.listings.byHandle(handle);
  const derived = await readAll<DerivedRow>(batchSize, (last) =>
    store.ratings.derived(handle, { after: last?.log_index, limit: batchSize }),
  );
  const { timelines = [] } = (await store.observations.ofListing(handle)) ?? {};
  return {
    withdrawn: listing?.withdrawn,
    hidden: listing?.hidden,
    derived: new Map(derived.map((row) => [row.id, row])),
    timelines,
  };
}

/**
 * Reads the log from the database, because an app gives out neither every node of the tree nor the records of
 * closed logs and of withdrawn and hidden ratings.
 */
export function createOwnEvidence(context: OwnContext, ask: AskService, forget: () => void): EvidenceReader {
  const { store } = context;
  const readListing = createListingReader(ask, () => store.log.size());
  return {
    levelStep: 1,
    logs: () => readLogs(context),
    leaves: ({ base }, from, limit) => store.log.leaves(base + from, limit),
    nodes: ({ id }, level, { from, limit }) => store.log.nodes(id, level, from, limit),
    async records(indexes) {
      const stored = await store.log.records(indexes);
      return new Map(indexes.map((index): [number, EntryRecord] => [index, stored.get(index) ?? 'absent']));
    },
    async *handles() {
      for await (const page of readPages<string>(batchSize, (last = '') =>
        store.documents.withEvidence(last, batchSize),
      ))
        yield* page;
    },
    async listing(handle) {
      forget();
      const shown = await readListing(handle);
      if (!shown) return undefined;
      const { root, root_generation, first_proved_at } = (await store.claims.claim(handle)) ?? {};
      const claim = shown.claim && { ...shown.claim, root, root_generation, first_proved_at };
      return { ...shown, claim, own: await readOwnRows(context, handle) };
    },
  };
}
