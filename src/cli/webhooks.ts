import { openContext } from '../app/server.ts';
import type { Config } from '../config/config.ts';
import { Problem } from '../core/problem.ts';
import { usageError } from '../core/process.ts';
import { counted } from '../core/text.ts';
import { registerWebhook, toShownWebhook } from '../webhooks/register.ts';
import { print, withStore } from './shell.ts';

const listed = 1000;

const noWebhook = (id: string) => usageError(`no webhook has the id ${id}; see dossier webhooks list`);

/** Without rate limits, but with those on the number of webhooks. */
export async function addWebhook(
  config: Config,
  url: string,
  about: Partial<Record<'handle' | 'publisher' | 'tag' | 'view', string>>,
): Promise<void> {
  const context = await openContext({ ...config, hasLimits: false });
  await using _ = context.store;
  try {
    const { id, secret } = await registerWebhook({ url, ...about }, context);
    print(`id: ${id}\nsecret: ${secret}`);
  } catch (error) {
    if (error instanceof Problem) throw usageError(error.message);
    throw error;
  }
}

export const listWebhooks = (config: Config): Promise<void> =>
  withStore(config, async (store) => {
    const webhooks = await store.webhooks.list();
    for (const webhook of webhooks.map(toShownWebhook)) {
      const { id, state, about, url, delivered, failures } = webhook;
      print(`${id}  ${state}  ${about}  ${delivered} delivered  ${failures} failed in a row  ${url}`);
    }
    if (webhooks.length === 0) print('No webhooks.');
  });

export const showWebhook = (config: Config, id: string): Promise<void> =>
  withStore(config, async (store) => {
    const webhook = await store.webhooks.byId(id);
    if (!webhook) throw noWebhook(id);
    const { count: waiting } = await store.webhooks.waiting(id);
    const { length } = await store.webhooks.dead(listed, id);
    const dead = length === listed ? `${listed} or more` : length;
    for (const [name, value] of Object.entries({ ...toShownWebhook(webhook), waiting, dead }))
      print(`${name}: ${value ?? '-'}`);
  });

export const listDead = (config: Config, id: string | undefined): Promise<void> =>
  withStore(config, async (store) => {
    const dead = await store.webhooks.dead(listed, id);
    for (const delivery of dead)
      print(
        `${delivery.webhook_id}  ${delivery.seq}  ${delivery.handle}  ${delivery.attempts} attempts  ${delivery.result ?? '-'}`,
      );
    if (dead.length === 0) print('No dead letters.');
    if (dead.length === listed)
      print(
        `The first ${listed}; there may be more. dossier webhooks replay <id> sends all of a webhook again.`,
      );
  });

function toSeq(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usageError(`${text} is no position of the stream; see dossier webhooks dead`);
}

/** All without a position. */
export const replayWebhook = (config: Config, id: string, position: string | undefined): Promise<void> =>
  withStore(config, async (store) => {
    const seq = toSeq(position);
    const now = new Date().toISOString();
    const revived = await store.write(async (tx) => {
      const webhook = await tx.webhooks.byId(id);
      if (!webhook) throw noWebhook(id);
      const rested = { failures: 0, failing_since: undefined, rest_until: undefined };
      await tx.webhooks.put({ ...webhook, ...rested, state: 'active' });
      return tx.webhooks.revive(id, now, seq);
    });
    print(`sent again: ${counted(revived, 'dead letter')}; the webhook is active`);
  });

export const resumeWebhooks = (config: Config): Promise<void> =>
  withStore(config, async (store) => {
    const resumed = await store.write(async (tx) => {
      const paused = (await tx.webhooks.list()).filter(({ state }) => state === 'paused');
      for (const webhook of paused) await tx.webhooks.put({ ...webhook, state: 'active' });
      return paused.length;
    });
    if (resumed === 0) print('No webhook is paused.');
    else print(resumed === 1 ? '1 webhook is active again' : `${resumed} webhooks are active again`);
  });

export const removeWebhook = (config: Config, id: string): Promise<void> =>
  withStore(config, async (store) => {
    if (!(await store.write((tx) => tx.webhooks.remove(id)))) throw noWebhook(id);
    print(`removed ${id}`);
  });
