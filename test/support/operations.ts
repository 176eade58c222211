import { readTarget } from '../../src/actions/action.ts';
import { actions, applyAction, undoAction } from '../../src/actions/actions.ts';
import { openOwnEvidence } from '../../src/app/own-evidence.ts';
import { audit } from '../../src/audit/audit.ts';
import { createServedEvidence } from '../../src/audit/served.ts';
import { createServiceClient } from '../../src/audit/service.ts';
import { recheckClaims } from '../../src/claims/checks/recheck.ts';
import { startServiceMetrics } from '../../src/cli/serve.ts';
import type { Context } from '../../src/context.ts';
import { runImport } from '../../src/imports/import.ts';
import type { Moderation, ModerationReason, RestoreReason } from '../../src/moderation/moderation.ts';
import { createObserver, type Observer } from '../../src/observations/observer.ts';
import { type CheckCounts, observeDue } from '../../src/observations/schedule.ts';
import type { Metrics } from '../../src/telemetry/metrics.ts';
import { createWebhookSender } from '../../src/webhooks/deliver.ts';
import { readableReport } from './facts.ts';

/**
 * What the operator does, and one pass of each thing that a node does in the background, with the clock of
 * the test.
 */
export interface Operations {
  /** One import, of the registry of the settings or of `source`. */
  import(options?: Parameters<typeof runImport>[1]): ReturnType<typeof runImport>;
  /** Starts the metrics on METRICS_PORT; stop them after use. */
  startMetrics(): Promise<Metrics>;
  /** Observes a listing now. Throws for a handle that is not listed. */
  observe(handle: string): Promise<ReturnType<typeof readableReport>>;
  /** Observes all listings that are due. */
  observeDue(): Promise<CheckCounts>;
  /** Checks the claims and opt-out lines that are due; how many these were. */
  recheck(): Promise<number>;
  /** Acts as `dossier moderate <action> <on> --reason <reason>` does. */
  act(action: string, on: string, reason: string): Promise<Moderation>;
  /** Undoes what stands against a target, or one kind of action only; the entries of the log that say so. */
  restore(on: string, reason?: RestoreReason, only?: string): Promise<number[]>;
  /**
   * The faults that an audit of the database finds, then those of one over HTTP if the service listens, as
   * `where: message`.
   */
  audit(): Promise<string[]>;
  /** Sends to every webhook that is due, once. */
  deliver(): Promise<void>;
  /** Gives back what the observer and the sender hold. */
  close(): Promise<void>;
}

function targetOf(on: string) {
  const target = readTarget(on);
  if (!target) throw new Error(`${on} is no target of an action`);
  return target;
}
const actionOf = (name: string) => actions.find((one) => one.name === name);

/** The operations of a node by its context; `url` is where it listens. Close them before the store. */
export function operationsOf(context: Context, url?: string): Operations {
  const { store, clock } = context;
  const stopping = new AbortController();
  let observer: Observer | undefined;
  let sender: ReturnType<typeof createWebhookSender> | undefined;
  const openObserver = () => {
    observer ??= createObserver(context);
    return observer;
  };
  return {
    import: (options) => runImport(context, options),
    async startMetrics() {
      const metrics = await startServiceMetrics(context);
      if (!metrics) throw new Error('METRICS_PORT is not set');
      return metrics;
    },
    async observe(handle) {
      const listing = await store.listings.byHandle(handle);
      if (!listing) throw new Error(`${handle} is not listed`);
      return readableReport(await openObserver().observe(listing));
    },
    observeDue: () => observeDue(openObserver(), context, { signal: stopping.signal }),
    recheck: () => recheckClaims(context),
    async act(name, on, reason) {
      const action = actionOf(name);
      const target = targetOf(on);
      if (!action) throw new Error(`no action is called ${name}`);
      if (!action.reasons.some((one) => one === reason)) throw new Error(`${reason} is no reason to ${name}`);
      const at = clock().toISOString();
      return store.write((tx) => applyAction(tx, action, { target, at, reason: reason as ModerationReason }));
    },
    async restore(on, reason = 'appeal', only) {
      const target = targetOf(on);
      const undone: number[] = [];
      await store.write(async (tx) => {
        for (const standing of (await tx.moderation.active(target)).toReversed()) {
          const action = actionOf(standing.action);
          if (!action || (only !== undefined && action.name !== only)) continue;
          undone.push(await undoAction(tx, action, { active: standing, reason, at: clock().toISOString() }));
        }
      });
      return undone;
    },
    async audit() {
      const found: string[] = [];
      const onFault = ({ where, message }: { where: string; message: string }) =>
        void found.push(`${where}: ${message}`);
      await using own = await openOwnEvidence(context);
      await audit(own, [], { onFault });
      if (url !== undefined) await audit(createServedEvidence(createServiceClient(url)), [], { onFault });
      return found;
    },
    async deliver() {
      sender ??= createWebhookSender(context, stopping.signal);
      await sender.begin();
      await sender.idle();
    },
    async close() {
      stopping.abort();
      await sender?.idle();
      await observer?.close();
    },
  };
}
