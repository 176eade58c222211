import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { deliver, type Turn } from './deliver.ts';
import { createWebhookClient } from './post.ts';

const pause_ms = 1000;
/** Domains that one node sends to at a time; the subscriptions of one domain take turns. */
const domainsAtOnce = 64;
const readAtOnce = 500;

/** Sends to webhooks. */
export interface WebhookSender {
  /** Begins turns at addresses that are due and not being sent to, first at the one whose last turn is longest ago. */
  begin(): Promise<void>;
  /** Waits until all turns have ended. */
  idle(): Promise<void>;
}

/** The sender of one node; it stops within a request when the signal comes. */
export function createWebhookSender(context: Context, signal: AbortSignal): WebhookSender {
  const { store, clock, log, config } = context;
  const turn: Turn = { client: createWebhookClient(config), context, signal };
  const turns = new Map<string, Promise<void>>();
  return {
    async begin() {
      for (const webhook of await store.webhooks.due(clock().toISOString(), readAtOnce)) {
        const { id, domain } = webhook;
        if (turns.has(domain) || turns.size >= domainsAtOnce) continue;
        const ending = deliver(webhook, turn)
          .catch((error: unknown) =>
            log.warn({ err: error, webhook: id }, 'a turn at a webhook failed; it is tried again'),
          )
          .finally(() => turns.delete(domain));
        turns.set(domain, ending);
      }
    },
    idle: async () => void (await Promise.all(turns.values())),
  };
}

/** Sends changes to webhooks until the signal. Never throws; resolves once the requests under way have ended. */
export async function startWebhooks(context: Context, signal: AbortSignal): Promise<void> {
  const sender = createWebhookSender(context, signal);
  while (!signal.aborted) {
    await sender.begin().catch((error: unknown) => {
      if (!signal.aborted)
        context.log.warn({ err: error }, 'webhooks that are due could not be read; tried again');
    });
    await wait(pause_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
  await sender.idle();
}
