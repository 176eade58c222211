import { setTimeout as sleep } from 'node:timers/promises';
import type { LogContext } from '../keys.ts';
import { type AuditResult, audit } from './audit.ts';
import { createStoredEvidence } from './stored-evidence.ts';

const interval_ms = 86_400_000;
/** How often a node looks whether another one still audits, or whether the audit of today is due. */
const longestSleep_ms = 600_000;
/** After each piece of work the audit rests this many times as long as the work took, so that requests go first. */
const restPerWork = 3;
/** Further faults are counted, and not logged one by one. */
const mostLogged = 20;

/** Waits in proportion to the time since the last wait; throws the signal's reason. */
function createRest(signal: AbortSignal): () => Promise<void> {
  let since_ms = performance.now();
  return async () => {
    await sleep((performance.now() - since_ms) * restPerWork, undefined, { signal, ref: false });
    since_ms = performance.now();
  };
}

function runAudit(context: LogContext, signal: AbortSignal): Promise<AuditResult> {
  let logged = 0;
  return audit(createStoredEvidence(context), [], {
    onProgress: createRest(signal),
    onFault({ where, message, next }) {
      logged += 1;
      if (logged <= mostLogged)
        context.log.error({ where, next }, `the audit found a fault: ${where}: ${message}`);
    },
  });
}

/** Audits the database once, unless another node does so at the moment; stores and logs the result. Rejects if it cannot be read. */
export async function auditOnce(context: LogContext, signal: AbortSignal): Promise<void> {
  const { store, log, clock } = context;
  const lease = await store.leases.take('audit');
  if (!lease) return;
  try {
    const { entries, faults } = await runAudit(context, AbortSignal.any([signal, lease.signal]));
    const finished_at = clock().toISOString();
    await store.write((tx) => tx.audits.put({ finished_at, entries, faults }));
    if (faults === 0) log.info({ entries }, 'audit: what is shown agrees with the transparency log');
    else
      log.error(
        { entries, faults },
        'audit: what is shown differs from the transparency log; run dossier audit for all faults',
      );
  } finally {
    await lease.release();
  }
}

/** How long ago the last audit of any node finished; at once if none has. */
async function untilDue_ms({ store, clock }: LogContext): Promise<number> {
  const last = await store.audits.last();
  const due_ms = last ? Date.parse(last.finished_at) + interval_ms - clock().getTime() : 0;
  return Math.min(Math.max(due_ms, 0), longestSleep_ms);
}

/** Audits the database at once, then daily, one node at a time, until the signal. Never throws. */
export async function startAudits(context: LogContext, signal: AbortSignal): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      if (isFirst || (await untilDue_ms(context)) === 0) await auditOnce(context, signal);
      await sleep((await untilDue_ms(context)) || longestSleep_ms, undefined, { signal, ref: false });
    } catch (error) {
      if (signal.aborted) return;
      context.log.warn({ err: error }, 'the audit did not finish; it is tried again in ten minutes');
      await sleep(longestSleep_ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
