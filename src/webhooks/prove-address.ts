import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { OutboundClient } from '../outbound/client.ts';
import { Problem } from '../problem.ts';
import { postMessage } from './post.ts';

function isAnswer(text: string, challenge: string): boolean {
  try {
    return z.object({ challenge: z.literal(challenge) }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/**
 * Throws address_not_proven unless the address answers a new challenge with its text. The problem is the same whatever it
 * answered: a stranger learns nothing of hosts that are not theirs.
 */
export async function proveAddress(
  client: OutboundClient,
  to: { url: URL; secret: string },
  context: Context,
): Promise<void> {
  const challenge = randomBytes(24).toString('base64url');
  const timestamp = context.clock().toISOString();
  const body = JSON.stringify({ type: 'webhook.challenge', timestamp, challenge });
  const post = { url: to.url.href, secret: to.secret, id: `evt_challenge_${uuidv7()}`, body };
  const answer = await postMessage(client, post, context);
  const isProven =
    answer.result === 'response' &&
    answer.status === 200 &&
    isAnswer(answer.body.toString('utf8'), challenge);
  if (!isProven) throw new Problem('address_not_proven');
}
