import { cachedOnce } from '../cached-once.ts';
import { vantageOf } from '../config/vantage.ts';
import type { Context } from '../context.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import type { DatedFinding } from '../evidence/observation/compare-looks.ts';
import type { Subject } from '../evidence/observation/look.ts';
import { looks } from '../observability/events.ts';
import { createOutboundClient } from '../outbound/client.ts';
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

/** Looks at listings, one request at a time to each host. */
export interface Observer {
  /** Looks at one listing now, and stores what it found. */
  observe(listing: Listing): Promise<LookReport>;
  /** Looks at an endpoint that may not be listed; nothing is stored. */
  inspect(url: string): Promise<readonly DatedFinding[]>;
  /** Runs `work` while this node alone asks the listing's host; 'elsewhere' at once while another node does. */
  hold<T>(listing: Listing, work: () => Promise<T>): Promise<T | 'elsewhere'>;
  /** Returns the hosts that this process holds. */
  close(): Promise<void>;
}

function createParts(
  context: ObserverContext,
): LookParts & { readonly queue: ReturnType<typeof createHostQueue> } {
  const { config, repositories, clock, timeouts } = context;
  const key = cachedOnce(() => openObserverKey(context));
  const queue = createHostQueue(context);
  const rules = observerRules(config);
  const reachedAt = (url: URL) => rules.reach(url)?.url ?? url;
  const fetch = createPoliteFetch({
    client: createOutboundClient(rules),
    queue,
    timeouts,
    sign: async (url) =>
      signRequest(await key(), { authority: reachedAt(url).host, agent: config.publicUrl, now: clock() }),
  });
  const robots = createRobots(fetch, clock);
  return {
    ...{ fetch, queue, robots, timeouts },
    repositories: createPoliteRepositories(repositories, config.repositoryHosts, queue),
    reach: (url) => rules.reach(url),
    dns: createDns(config, timeouts.observerDns_ms),
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

/** Creates the observer of a process. */
export function createObserver(context: ObserverContext): Observer {
  const { store, log, clock, config } = context;
  const parts = createParts(context);
  return {
    observe: (listing) =>
      count(async () => {
        const refusal = await findRefusal(listing, { ...parts, config });
        const look = createLook(listing, parts, { now: clock(), refusal });
        return observeListing(look, { store, log, clock, vantage: vantageOf(config) });
      }),
    inspect: (url) => findAll(createLook(toSubject(url), parts, { now: clock(), refusal: undefined }), log),
    hold(listing, work) {
      const host = URL.parse(listing.endpoint ?? '')?.host;
      return host === undefined ? work() : parts.queue.hold(host, work);
    },
    close: () => parts.queue.close(),
  };
}
