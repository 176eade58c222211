import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { createOutboundClient, type OutboundClient, type Reach } from '../outbound/client.ts';
import { overridden } from '../outbound/host-overrides.ts';
import { isAddress } from '../outbound/public-address.ts';
import { signMessage } from './signature.ts';

function reach(url: URL, { webhookOverrides }: Config): Reach | undefined {
  if (url.protocol !== 'https:' || url.username + url.password !== '' || isAddress(url.hostname))
    return undefined;
  const other = overridden(url, webhookOverrides);
  return other ? { url: other, addresses: 'any' } : { url, addresses: 'public' };
}

/** Whether changes may be posted to a URL: https to a host name, without a user. */
export const isAllowedUrl = (url: URL, config: Config): boolean => reach(url, config) !== undefined;

/**
 * The client of webhooks. It connects to public addresses only, follows no redirect, and reads at most 16 KiB of an
 * answer; a host of WEBHOOK_OVERRIDES, not of HOST_OVERRIDES, is reached where the operator says.
 */
export const createWebhookClient = (config: Config): OutboundClient =>
  createOutboundClient({
    userAgent: `Dossier/${config.version} (+${config.publicUrl}/api/webhooks)`,
    bodyLimit_bytes: 16_384,
    headerLimit_bytes: 16_384,
    reach: (url) => reach(url, config),
  });

/** What is posted, and where. */
export interface Post {
  readonly url: string;
  readonly secret: string;
  readonly id: string;
  readonly body: string;
}

/** Posts a signed message once, until the signal. Never throws. */
export function postMessage(
  client: OutboundClient,
  { url, secret, id, body }: Post,
  { clock, timeouts, signal }: Pick<Context, 'clock' | 'timeouts'> & { readonly signal?: AbortSignal },
): ReturnType<OutboundClient['fetch']> {
  const timeout = AbortSignal.timeout(timeouts.webhook_ms);
  return client.fetch({
    url: new URL(url),
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signMessage(secret, { id, body, now: clock() }) },
    body: Buffer.from(body),
    deadline: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
}
