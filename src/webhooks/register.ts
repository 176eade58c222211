import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { registrableDomain } from '../core/identity.ts';
import { readObject } from '../core/json.ts';
import { Problem, wrongField } from '../core/problem.ts';
import { dayText } from '../core/text.ts';
import {
  type Limit,
  openNetworkKeys,
  takeLimits,
  takeNetworkLimits,
  toWidestNetwork,
} from '../limits/limit.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import { isAddress } from '../net/addresses.ts';
import { createOutboundClient, type OutboundClient, overridden, type Reach } from '../net/client.ts';
import { namesAt } from '../net/dns.ts';
import { findPass } from '../selections/members.ts';
import { type ChangeSubject, requireSubject } from '../tools/find/changes.ts';
import { handleInput } from '../tools/input/fields.ts';
import { invalidInput, plainMessage } from '../tools/input/refusals.ts';
import platforms from './platforms.json' with { type: 'json' };
import type { WebhookTransaction } from './schema.ts';
import type { Webhook } from './webhook.ts';

/** As Standard Webhooks has it. */
const prefix = 'whsec_';

/** Standard Webhooks 1.0. */
function signMessage({ secret, id, body }: Readonly<Record<'secret' | 'id' | 'body', string>>, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

/** Only https to a host name, without a user. */
function reach(url: URL, { webhookOverrides }: Config): Reach | undefined {
  if (url.protocol !== 'https:' || url.username + url.password !== '' || isAddress(url.hostname))
    return undefined;
  const other = overridden(url, webhookOverrides);
  return other ? { url: other, addresses: 'any' } : { url, addresses: 'public' };
}

/** Only to public addresses or WEBHOOK_OVERRIDES (not HOST_OVERRIDES), without redirects. */
export const createWebhookClient = (config: Config): OutboundClient =>
  createOutboundClient({
    userAgent: `Dossier/${config.version} (+${config.publicUrl}/api/webhooks)`,
    bodyLimit_bytes: 16_384,
    // Only receivers at one automation platform share a host, each with one message at a time.
    connections: 64,
    names: namesAt(config.dnsServers),
    reach: (url) => reach(url, config),
  });

/** Failures are results. */
export function postMessage(
  client: OutboundClient,
  post: Parameters<typeof signMessage>[0] & { readonly url: string },
  { clock, timeouts, signal }: Pick<Context, 'clock' | 'timeouts'> & { readonly signal?: AbortSignal },
): ReturnType<OutboundClient['fetch']> {
  const timeout = AbortSignal.timeout(timeouts.webhook_ms);
  return client.fetch({
    url: new URL(post.url),
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signMessage(post, clock()) },
    body: Buffer.from(post.body),
    deadline: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
}

/** At most one; without any, every change. */
const webhookFilterFields = {
  handle: handleInput.optional(),
  publisher: z.string().min(1).max(200).optional(),
  tag: z.string().min(1).max(100).optional(),
  view: z.string().min(1).max(40).optional(),
};

const kinds = ['handle', 'publisher', 'tag', 'view'] as const;

/** Throws invalid_input for several fields, or a problem if the subject does not exist. */
async function toFilter(
  fields: z.output<z.ZodObject<typeof webhookFilterFields>>,
  context: Context,
): Promise<ChangeSubject> {
  const [named, another] = kinds.flatMap((kind) => {
    const value = fields[kind];
    return value === undefined ? [] : [{ kind, value }];
  });
  if (another)
    throw wrongField(
      another.kind,
      `cannot be combined with ${named?.kind}: a webhook is about one of the two, or about every change`,
    );
  const filter = named ?? { kind: 'all', value: '' };
  await requireSubject(filter, context);
  return filter;
}

/** Listings of a view are unknown until all were judged by its criteria. */
export async function isKnownSubject({ kind, value }: ChangeSubject, context: Context): Promise<boolean> {
  const view = kind === 'view' ? context.config.views.find(({ name }) => name === value) : undefined;
  return view === undefined || (await findPass(view, context)) !== undefined;
}

/** Otherwise address_not_proven, so that a stranger learns nothing about hosts. */
async function proveAddress(client: OutboundClient, to: { url: URL; secret: string }, context: Context) {
  const challenge = randomBytes(24).toString('base64url');
  const timestamp = context.clock().toISOString();
  const body = JSON.stringify({ type: 'webhook.challenge', timestamp, challenge });
  const post = { url: to.url.href, secret: to.secret, id: `evt_challenge_${uuidv7()}`, body };
  const answer = await postMessage(client, post, context);
  const isProven =
    answer.result === 'response' &&
    answer.status === 200 &&
    readObject(answer.body.toString('utf8'))?.challenge === challenge;
  if (!isProven) throw new Problem('address_not_proven');
}

const mostOfAll = 1000;
const mostOfDomain = 10;
const mostOfNetwork = 20;

/** Five at once, then ten an hour. */
const registrationLimit: Limit = { name: 'webhook', burst: 5, refill_s: 1800 };
/** Per network too, so that failing registrations lock nobody else out. */
const domainLimit: Limit = { name: 'webhook_domain', burst: 10, refill_s: 3600 };
export const webhookLimits: readonly Limit[] = [registrationLimit, domainLimit];

export const registrationInput = z.strictObject({
  url: z.string().max(500),
  secret: z
    .string()
    .regex(/^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/)
    .optional(),
  ...webhookFilterFields,
});

/**
 * The registrable domain, or on platforms (platforms.json) the host, with a digest of the path that names a
 * customer, such as `hooks.zapier.com/hooks/catch/<account>/<hook>`: it may be secret.
 */
function receiverKey({ hostname, pathname }: URL): string {
  const platform = Object.entries(platforms).find(([host]) => `.${hostname}`.endsWith(`.${host}`));
  if (!platform) return registrableDomain(hostname);
  const parts = pathname.split('/').slice(1, platform[1] + 1);
  return parts.length === 0 ? hostname : `${hostname} ${hash('sha256', parts.join('/')).slice(0, 16)}`;
}

export const registrationLimit_bytes = 4096;

function toUrl(text: string, { config }: Context): URL {
  const url = URL.parse(text);
  if (url && reach(url, config)) return url;
  throw wrongField('url', 'must be an https address with a host name, without a user');
}

type WebhookHolder = Pick<Webhook, 'domain' | 'network'>;

function countPlaces(taken: readonly Webhook[]) {
  const ofDomains = Map.groupBy(taken, ({ domain }) => domain);
  const ofNetworks = Map.groupBy(taken, ({ network }) => network);
  return ({ domain, network }: WebhookHolder) => ({
    ofDomain: ofDomains.get(domain)?.length ?? 0,
    ofNetwork: network === undefined ? 0 : (ofNetworks.get(network)?.length ?? 0),
  });
}

const isActive = ({ state }: Webhook) => state === 'active' || state === 'paused';

const refuse = (most: string) =>
  new Problem('rate_limited', {
    retry_after_s: 3600,
    detail: `There are ${most}, and no more are accepted.`,
  });

/**
 * An ended webhook, or the newest of the domain or network with the most. Throws rate_limited if the
 * newcomer's is full, or no other has at least two more.
 */
function toGiveUp(known: readonly Webhook[], newcomer: WebhookHolder): Webhook | undefined {
  const active = known.filter(isActive);
  const placesOf = countPlaces(active);
  const own = placesOf(newcomer);
  if (own.ofDomain >= mostOfDomain) throw refuse(`${mostOfDomain} webhooks of this domain or account`);
  if (own.ofNetwork >= mostOfNetwork)
    throw refuse(`${mostOfNetwork} webhooks registered by this network today`);
  if (known.length < mostOfAll) return undefined;
  const ended = known.find((webhook) => !isActive(webhook));
  if (ended) return ended;
  const sizeOf = (holder: WebhookHolder) => Math.max(...Object.values(placesOf(holder)));
  const biggest = active.reduceRight((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
  if (sizeOf(biggest) <= Math.max(own.ofDomain, own.ofNetwork) + 1)
    throw refuse(`${mostOfAll} webhooks in all`);
  return biggest;
}

/** `instead` is replaced. Throws rate_limited. */
async function findPlace(tx: WebhookTransaction, url: URL, { config, clock, caller }: Context) {
  const toPseudonym = config.hasLimits ? await openNetworkKeys(tx, dayText(clock())) : undefined;
  const network = toPseudonym?.(toWidestNetwork(caller.network));
  const holder = { domain: receiverKey(url), network };
  return { holder, instead: toGiveUp(await tx.webhooks.list(), holder) };
}

async function add(url: URL, secret: string, filter: ChangeSubject, context: Context): Promise<Webhook> {
  return context.store.write(async (tx) => {
    await requireMayWrite({ ...context, store: tx });
    const { holder, instead } = await findPlace(tx, url, context);
    if (instead) await tx.webhooks.remove(instead.id);
    const [newest] = await tx.changes.newest(1);
    const created_at = context.clock().toISOString();
    const webhook: Webhook = {
      id: uuidv7(),
      url: url.href,
      ...holder,
      secret,
      ...filter,
      created_at,
      served_at: created_at,
      state: 'active',
      position: newest?.seq ?? 0,
      delivered: 0,
      failures: 0,
    };
    await tx.webhooks.put(webhook);
    return webhook;
  });
}

/**
 * For changes after this moment, once the address answered a challenge. Throws as `toFilter` does, or
 * invalid_input, rate_limited, writing_blocked or address_not_proven.
 */
export async function registerWebhook(sent: unknown, context: Context): Promise<Webhook> {
  const parsed = registrationInput.safeParse(sent, { error: plainMessage });
  if (!parsed.success) throw invalidInput(parsed.error);
  const url = toUrl(parsed.data.url, context);
  const filter = await toFilter(parsed.data, context);
  await takeNetworkLimits(context, [registrationLimit]);
  await context.store.write(async (tx) => {
    await requireMayWrite({ ...context, store: tx });
    const { holder } = await findPlace(tx, url, context);
    const key = `${holder.network ?? ''} ${holder.domain}`;
    await takeLimits(tx, [{ limit: domainLimit, key, day: dayText(context.clock()) }], context);
  });
  const secret = parsed.data.secret ?? prefix + randomBytes(32).toString('base64');
  await proveAddress(createWebhookClient(context.config), { url, secret }, context);
  return add(url, secret, filter, context);
}

const time = z.iso.datetime();

export const shownWebhook = z.object({
  id: z.string(),
  url: z.string(),
  about: z.string().describe('all, or handle:, publisher:, tag: or view: and its value'),
  created_at: time,
  state: z
    .enum(['active', 'gone', 'failing', 'paused'])
    .describe(
      'gone: the address answered 410; failing: it accepted nothing for five days; paused: this service was restored from a backup, and its operator has not resumed it yet',
    ),
  position: z
    .int()
    .describe(
      'Each change for this webhook up to this seq was accepted, is tried again or has failed for good',
    ),
  delivered: z.int().describe('Changes that the address accepted'),
  failures: z.int().describe('Attempts that failed in a row'),
  failing_since: time.optional(),
  rest_until: time.optional().describe('Nothing is sent before this time'),
  delivered_at: time.optional(),
  last_result: z
    .string()
    .optional()
    .describe('How the last attempt failed, for example HTTP 500 or host_timeout'),
});

/** Without the secret, and who registered it. */
export const toShownWebhook = (webhook: Webhook): z.output<typeof shownWebhook> =>
  shownWebhook.parse({
    ...webhook,
    about: webhook.kind === 'all' ? 'all' : `${webhook.kind}:${webhook.value}`,
  });

const toDigest = (secret: string) => hash('sha256', secret, 'buffer');

/** Throws not_found for a wrong id or secret. */
export async function findOwned(id: string, secret: string, { store }: Context): Promise<Webhook> {
  const webhook = await store.webhooks.byId(id);
  if (webhook && timingSafeEqual(toDigest(webhook.secret), toDigest(secret))) return webhook;
  throw new Problem('not_found', 'No webhook has this id and secret.');
}

export async function removeOwned(id: string, secret: string, context: Context): Promise<void> {
  const webhook = await findOwned(id, secret, context);
  await context.store.write((tx) => tx.webhooks.remove(webhook.id));
}
