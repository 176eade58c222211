import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A new secret of a subscription: 32 random bytes as Standard Webhooks writes them. */
export const createWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

/** A message and the moment of the attempt. */
export interface SignedMessage {
  readonly id: string;
  readonly body: string;
  readonly now: Date;
}

/** The headers of a message (Standard Webhooks 1.0): its id, the time of the attempt, and the HMAC-SHA256 of both and the body. */
export function signMessage(secret: string, { id, body, now }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
}
