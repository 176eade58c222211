import { setTimeout as wait } from 'node:timers/promises';
import { cachedOnce } from '../cached-once.ts';
import { vantageOf } from '../config/vantage.ts';
import type { Context } from '../context.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import type { DatedFinding } from '../evidence/observation/compare-looks.ts';
import type { Subject } from '../evidence/observation/look.ts';
import { looks } from '../observability/events.ts';
import { createOutboundClient } from '../outbound/client.ts';
import type { Lease } from '../store/contract/leases.ts';
import { unlessAborted } from '../unless-aborted.ts';
import { createDns } from './endpoint/dns.ts';
import { createLook, type LookParts } from './look.ts';
import { findAll, type LookReport, observeListing } from './observe-listing.ts';
import { createPackageRegistries } from './packages/registries.ts';
import { createHostQueue } from './polite/host-queue.ts';
import { createPoliteFetch } from './polite/polite-fetch.ts';
import { createPoliteRepositories } from './polite/polite-repositories.ts';
import { createRobots } from './polite/robots.ts';
import { createPriceCatalogs } from './price-catalogs.ts';
import { findRefusal } from './refusal.ts';
import { observerRules } from './rules.ts';
import { openObserverKey, signRequest } from './signature.ts';

/** What the observer needs of a context. */
export type ObserverContext = Pick<
  Context,
  'store' | 'config' | 'repositories' | 'log' | 'clock' | 'timeouts'
>;

/** How often a look waits for that of another process. */
const takenPause_ms = 500;

/** Looks at listings, one request at a time to each host, and one look at a time at each listing, over all nodes. */
export interface Observer {
  /** Looks at one listing and stores what it found; calls `onWait` if another process looks at it, and waits until that ended. */
  observe(listing: Listing, onWait?: () => void): Promise<LookReport>;
  /** The same, unless another process looks at it, or `isDue` says that one has. */
  observeIfDue(listing: Listing, isDue: () => Promise<boolean>): Promise<LookReport | 'leased' | 'not_due'>;
  /** Until when a host of the listing's remotes asked to be left alone, RFC 3339; undefined if none does. */
  pausedUntil(listing: Listing): Promise<string | undefined>;
  /** Looks at an endpoint that may not be listed; nothing is stored. */
  inspect(url: string): Promise<readonly DatedFinding[]>;
  /** Gives back the hosts that this process has. */
  close(): Promise<void>;
}

function createParts(
  context: ObserverContext,
  signal: AbortSignal,
): LookParts & { readonly queue: ReturnType<typeof createHostQueue> } {
  const { config, repositories, clock, timeouts } = context;
  const key = cachedOnce(() => openObserverKey(context));
  const queue = createHostQueue(context, signal);
  const rules = observerRules(config);
  const reachedAt = (url: URL) => rules.reach(url)?.url ?? url;
  const fetch = createPoliteFetch({
    client: createOutboundClient(rules),
    queue,
    timeouts,
    pauses: 'address',
    sign: async (url) =>
      signRequest(await key(), { authority: reachedAt(url).host, agent: config.publicUrl, now: clock() }),
  });
  const robots = createRobots(fetch, clock);
  return {
    ...{ fetch, queue, robots, timeouts },
    repositories: createPoliteRepositories(repositories, config.repositoryHosts, queue),
    reach: (url) => rules.reach(url),
    dns: createDns(config, timeouts.observerDns_ms, signal),
    catalogs: createPriceCatalogs(config.priceCatalogs, { fetch, robots, clock }),
    packages: createPackageRegistries(config, { fetch, queue, robots, timeouts }),
    client: { name: 'dossier-observer', version: config.version },
  };
}

/** Publishes how a look ended. */
async function count(look: () => Promise<LookReport>): Promise<LookReport> {
  try {
    const report = await look();
    looks.publish({ outcome: report.changes > 0 ? 'changed' : 'unchanged', changed_facts: report.changes });
    return report;
  } catch (error) {
    looks.publish({ outcome: 'failed', changed_facts: 0 });
    throw error;
  }
}

/** An endpoint as a listing would record it. */
const toSubject = (url: string): Subject => ({
  handle: url,
  remotes: [{ type: 'streamable-http', url }],
  packages: [],
  repository: undefined,
  website: undefined,
});

const never = new AbortController().signal;

/** Creates the observer of a process. Once the signal is aborted, what runs is dropped: every call rejects with its reason. */
export function createObserver(context: ObserverContext, signal: AbortSignal = never): Observer {
  const { store, log, clock, config } = context;
  const parts = createParts(context, signal);
  const look = async (listing: Listing, lease: Lease): Promise<LookReport> => {
    const refusal = await findRefusal(listing, { ...parts, config, store });
    const asked = createLook(listing, parts, { now: clock(), refusal });
    const { imported_at } = listing;
    return observeListing(asked, {
      store,
      log,
      clock,
      lease,
      signal,
      imported_at,
      vantage: vantageOf(config),
    });
  };
  const observeUnder = async <T>(lease: Lease, observe: () => Promise<T>): Promise<T> => {
    try {
      return await unlessAborted(observe(), signal);
    } finally {
      await lease.release();
    }
  };
  const take = ({ handle }: Listing) => {
    signal.throwIfAborted();
    return store.leases.take(`look/${handle}`);
  };
  return {
    async observe(listing, onWait) {
      for (let hasWaited = false; ; hasWaited = true) {
        const lease = await take(listing);
        if (lease) return observeUnder(lease, () => count(() => look(listing, lease)));
        if (!hasWaited) onWait?.();
        await wait(takenPause_ms, undefined, { signal });
      }
    },
    async observeIfDue(listing, isDue) {
      const lease = await take(listing);
      if (!lease) return 'leased';
      return observeUnder(lease, async () =>
        (await isDue()) ? count(() => look(listing, lease)) : 'not_due',
      );
    },
    pausedUntil({ remotes }) {
      const hosts = remotes.map(({ url }) => URL.parse(url)?.host).filter((host) => host !== undefined);
      return parts.queue.pausedUntil([...new Set(hosts)]);
    },
    inspect: (url) =>
      unlessAborted(
        findAll(createLook(toSubject(url), parts, { now: clock(), refusal: undefined }), { log, signal }),
        signal,
      ),
    close: () => parts.queue.close(),
  };
}
