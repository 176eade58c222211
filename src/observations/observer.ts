import { createHash, createPublicKey, hkdfSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { vantageOf } from '../config/config.ts';
import type { Context } from '../context.ts';
import { unlessAborted } from '../core/abort.ts';
import { cachedOnce } from '../core/cached-once.ts';
import type { Listing } from '../listings/listing.ts';
import { type LogContext, openLogSeed } from '../log/checkpoints.ts';
import { toNoteKey } from '../log/notes.ts';
import { createOutboundClient } from '../net/client.ts';
import type { Lease } from '../store/store.ts';
import { looks } from '../telemetry/events.ts';
import type { DatedFinding } from './compare.ts';
import { createDns } from './endpoint/network.ts';
import { createHostQueue } from './host-queue.ts';
import type { Subject } from './kind.ts';
import { findAll, type LookReport, observeListing } from './observe-listing.ts';
import { createPackageRegistries } from './packages.ts';
import {
  createPoliteFetch,
  createPoliteRepositories,
  createRobots,
  findRefusal,
  observerRules,
} from './polite.ts';
import { createLook, createPriceCatalogs, type LookParts } from './run.ts';

/** The key that requests of the observer are signed with, apart from the one that signs checkpoints. */
interface ObserverKey {
  readonly privateKey: KeyObject;
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string };
  /** JWK thumbprint (RFC 7638). */
  readonly id: string;
}

const purpose = 'dossier/observer/v1';
const valid_s = 300;

/** The observer's key: derived from the seed of the log, so that all nodes of a database share it. */
export async function openObserverKey(context: LogContext): Promise<ObserverKey> {
  const seed = await openLogSeed(context);
  const { privateKey } = toNoteKey(purpose, Buffer.from(hkdfSync('sha256', seed, '', purpose, 32)));
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x });
  return { privateKey, jwk, id: createHash('sha256').update(members).digest('base64url') };
}

/** A request as it is signed: where it goes, who sends it, when. */
interface SignedRequest {
  /** Host and port as in the Host header. */
  readonly authority: string;
  /** PUBLIC_URL, under which the key is published. */
  readonly agent: string;
  readonly now: Date;
}

/** Headers that sign a request (Web Bot Auth: RFC 9421 over the authority and the signature agent). */
function signRequest(
  { privateKey, id }: ObserverKey,
  { authority, agent, now }: SignedRequest,
): Readonly<Record<string, string>> {
  const created = Math.floor(now.getTime() / 1000);
  const nonce = randomBytes(64).toString('base64');
  const params = `("@authority" "signature-agent");created=${created};keyid="${id}";alg="ed25519";expires=${created + valid_s};nonce="${nonce}";tag="web-bot-auth"`;
  const base = `"@authority": ${authority}\n"signature-agent": "${agent}"\n"@signature-params": ${params}`;
  return {
    'signature-agent': `"${agent}"`,
    'signature-input': `sig=${params}`,
    signature: `sig=:${sign(null, Buffer.from(base), privateKey).toString('base64')}:`,
  };
}

/** Media type of the directory of keys. */
export const keyDirectoryType = 'application/http-message-signatures-directory+json';

/** The published directory of keys: who gets a signed request finds the key under its signature agent. */
export const toKeyDirectory = ({ jwk, id }: ObserverKey) => ({
  keys: [{ ...jwk, kid: id, use: 'sig' }],
  purpose: 'Dossier checks the endpoints that listings record',
});

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
