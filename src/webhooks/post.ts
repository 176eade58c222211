import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { isAddress } from '../net/addresses.ts';
import { createOutboundClient, type OutboundClient, overridden, type Reach } from '../net/client.ts';
import { namesAt } from '../net/names.ts';

const prefix = 'whsec_';

/** In the form of Standard Webhooks. */
export const createWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

/** Standard Webhooks 1.0. */
function signMessage({ secret, id, body }: Readonly<Record<'secret' | 'id' | 'body', string>>, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}

function reach(url: URL, { webhookOverrides }: Config): Reach | undefined {
  if (url.protocol !== 'https:' || url.username + url.password !== '' || isAddress(url.hostname))
    return undefined;
  const other = overridden(url, webhookOverrides);
  return other ? { url: other, addresses: 'any' } : { url, addresses: 'public' };
}

/** https to a host name, without a user. */
export const isAllowedUrl = (url: URL, config: Config): boolean => reach(url, config) !== undefined;

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
