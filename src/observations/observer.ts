import { createPublicKey, hash, hkdfSync, randomBytes, sign } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { vantageOf } from '../config/config.ts';
import type { Context } from '../context.ts';
import { cachedOnce } from '../core/cached-once.ts';
import { unlessAborted } from '../core/every.ts';
import type { Listing } from '../listings/listing.ts';
import { type LogContext, openLogSeed } from '../log/checkpoints.ts';
import { toNoteKey } from '../log/notes.ts';
import { createOutboundClient } from '../net/client.ts';
import { measure } from '../telemetry/metrics.ts';
import { createPriceCatalogs } from './asked/catalogs.ts';
import { createHostQueue, type HostQueue } from './asked/hosts/host-queue.ts';
import {
  createCutOffWatch,
  createPoliteFetch,
  createPoliteRepositories,
  findRefusal,
  observerRules,
} from './asked/hosts/polite.ts';
import { createRobots } from './asked/hosts/robots.ts';
import { createPackageRegistries } from './asked/packages/registries.ts';
import { type CheckedListing, createRun, type RunParts } from './asked/run.ts';
import { readListed } from './known/prices/offer.ts';
import type { DatedFinding } from './known/recording.ts';
import { createChecks, findAll, type HeldLease, observeListing, type RunReport } from './observe-listing.ts';

type ObserverKey = Awaited<ReturnType<typeof openObserverKey>>;

const purpose = 'dossier/observer/v1';
const valid_s = 300;

/** From the seed of the log, which all nodes share. `id` is the JWK thumbprint (RFC 7638). */
export async function openObserverKey(context: LogContext) {
  const seed = await openLogSeed(context);
  const { privateKey } = toNoteKey(purpose, Buffer.from(hkdfSync('sha256', seed, '', purpose, 32)));
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
  const members = JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x });
  return { privateKey, jwk, id: hash('sha256', members, 'base64url') };
}

/** Web Bot Auth, RFC 9421. */
function signRequest(
  { privateKey, id }: ObserverKey,
  { authority, agent, now }: { readonly authority: string; readonly agent: string; readonly now: Date },
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

export const keyDirectoryType = 'application/http-message-signatures-directory+json';

/** Found by the address in `Signature-Agent`. */
export const toKeyDirectory = ({ jwk, id }: ObserverKey) => ({
  keys: [{ ...jwk, kid: id, use: 'sig' }],
  purpose: 'Dossier checks the endpoints that listings record',
});

export type ObserverContext = Pick<
  Context,
  'store' | 'config' | 'repositories' | 'log' | 'clock' | 'timeouts'
>;

const takenPause_ms = 500;

function createParts(
  context: ObserverContext,
  signal: AbortSignal,
): RunParts & { readonly queue: HostQueue } {
  const { config, repositories, clock, timeouts } = context;
  const key = cachedOnce(() => openObserverKey(context));
  const queue = createHostQueue(context, signal);
  const watch = createCutOffWatch(clock);
  const rules = observerRules(config, timeouts);
  const client = createOutboundClient(rules);
  const reachedAt = (url: URL) => rules.reach(url)?.url ?? url;
  const fetch = createPoliteFetch({
    client,
    queue,
    timeouts,
    watch,
    pauses: 'address',
    sign: async (url) =>
      signRequest(await key(), { authority: reachedAt(url).host, agent: config.publicUrl, now: clock() }),
  });
  const robots = createRobots(fetch, clock);
  return {
    fetch,
    queue,
    robots,
    timeouts,
    repositories: createPoliteRepositories(repositories, config.repositoryHosts, { queue, watch }),
    claimFile: config.claimFile,
    catalogs: createPriceCatalogs(config.priceCatalogs, { fetch, robots, clock, readOffer: readListed }),
    packages: createPackageRegistries(config, { fetch, queue, robots, timeouts, watch }),
    client: { name: 'dossier-observer', version: config.version },
  };
}

const toSubject = (url: string): CheckedListing => ({
  handle: url,
  remotes: [{ type: 'streamable-http', url }],
  packages: [],
  repository: undefined,
  website: undefined,
});

const never = new AbortController().signal;

export type Observer = ReturnType<typeof createObserver>;

/** Once the signal is aborted, every check rejects with its reason. */
export function createObserver(context: ObserverContext, signal: AbortSignal = never) {
  const { store, log, clock, config } = context;
  const parts = createParts(context, signal);
  const run = async (listing: Listing, lease: HeldLease): Promise<RunReport> => {
    try {
      const refusal = await findRefusal(listing, { ...parts, config, store });
      const known = (await store.observations.ofListing(listing.handle))?.observations;
      const asked = createRun(listing, parts, { now: clock(), refusal, known });
      const { imported_at } = listing;
      const vantage = vantageOf(config);
      const report = await observeListing(asked, { store, log, clock, lease, signal, imported_at, vantage });
      const { changes } = report;
      measure('dossier_observer_checks_total', { outcome: changes > 0 ? 'changed' : 'unchanged' });
      measure('dossier_observer_changed_facts_total', {}, changes);
      return report;
    } catch (error) {
      measure('dossier_observer_checks_total', { outcome: 'failed' });
      throw error;
    }
  };
  const { observeIfDue, pausedUntil } = createChecks(context, signal, run);
  return {
    observeIfDue,
    pausedUntil,
    /** If another process checks the listing, calls `onWait` once and waits until that check has ended. */
    async observe(listing: Listing, onWait?: () => void): Promise<RunReport> {
      for (let hasWaited = false; ; hasWaited = true) {
        const report = await observeIfDue(listing, async () => true);
        if (typeof report === 'object') return report;
        if (!hasWaited) onWait?.();
        await wait(takenPause_ms, undefined, { signal });
      }
    },
    run,
    /** Any endpoint, listed or not; stores nothing. */
    inspect(url: string): Promise<readonly DatedFinding[]> {
      const asked = createRun(toSubject(url), parts, { now: clock(), refusal: undefined });
      return unlessAborted(findAll(asked, { log, signal }), signal);
    },
    close: () => parts.queue.close(),
  };
}
