import type { Context } from '../context.ts';
import { memoize } from '../core/lazy.ts';
import { readAll, readPages } from '../core/paging/pages.ts';
import type { ListingFacts } from '../document/record.ts';
import type { Listing } from '../listings/listing.ts';
import { type FileConfig, readCheckpointFile } from '../log/checkpoint-file.ts';
import { findKeyOfOrigin, logOfOrigin } from '../log/checkpoints.ts';
import { readCheckpoint, verifierOf } from '../log/notes.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import { type AuditedLog, createListingReader, type EntryRecord, type EvidenceReader } from './served.ts';
import type { AskService } from './service.ts';

const batchSize = 100;

const toWhole = <T extends object>(listing: T): T => ({
  ...listing,
  withdrawn: undefined,
  hidden: undefined,
});

type ReadFacts = (handle: string) => Promise<ListingFacts | undefined>;

/**
 * Shows withdrawn and hidden listings too, because they may be shown again; asks for no checks. Reads nothing
 * from memory but the facts of one listing, until `readAgain`, which gives them as stored.
 */
export function toAuditedContext(context: Context): { audited: Context; readAgain: ReadFacts } {
  const { store, config, log } = context;
  const { listings, documents } = store;
  const read: ReadFacts = async (handle) =>
    (await documents.factsOfAll([handle], context.clock().toISOString()))[0];
  let kept = memoize(read, 1);
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
      documents: {
        ...documents,
        async facts(handle) {
          const facts = await kept(handle);
          return facts && { ...facts, listing: toWhole(facts.listing) };
        },
      },
    },
  };
  const readAgain: ReadFacts = (handle) => {
    kept = memoize(read, 1);
    return kept(handle);
  };
  return { audited, readAgain };
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

async function readOwnRows({ store }: OwnContext, { handle, withdrawn, hidden }: Listing) {
  const derived = await readAll<DerivedRow>(batchSize, (last) =>
    store.ratings.derived(handle, { after: last?.log_index, limit: batchSize }),
  );
  const { timelines = [] } = (await store.observations.ofListing(handle)) ?? {};
  return { withdrawn, hidden, derived: new Map(derived.map((row) => [row.id, row])), timelines };
}

/**
 * Reads the log from the database, because an app gives out neither every node of the tree nor the records of
 * closed logs and of withdrawn and hidden ratings.
 */
export function createOwnEvidence(
  context: OwnContext,
  ask: AskService,
  readAgain: ReadFacts,
): EvidenceReader {
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
      const facts = await readAgain(handle);
      const shown = await readListing(handle);
      if (!facts || !shown) return undefined;
      const { root, root_generation, first_proved_at } = facts.claim ?? {};
      const claim = shown.claim && { ...shown.claim, root, root_generation, first_proved_at };
      return { ...shown, claim, own: await readOwnRows(context, facts.listing) };
    },
  };
}
