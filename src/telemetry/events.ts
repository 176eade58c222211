import { channel } from 'node:diagnostics_channel';

/** One kind of event that this process publishes about its own work; without subscribers it costs almost nothing. */
function defineEvent<Event extends object>(name: string) {
  const events = channel(`dossier:${name}`);
  return {
    hasSubscribers: () => events.hasSubscribers,
    publish(event: Event) {
      if (events.hasSubscribers) events.publish(event);
    },
    /** Returns a function that unsubscribes. */
    subscribe(listener: (event: Event) => void): () => void {
      const receive = (event: unknown) => listener(event as Event);
      events.subscribe(receive);
      return () => void events.unsubscribe(receive);
    },
  };
}

/** A call of a tool through any adapter: `ok`, or the code of its problem. */
export const toolCalls = defineEvent<{ readonly tool: string; readonly outcome: string }>('tool-call');
/** A cache lookup: a listing's facts, a search's counts, a finished MCP answer, a finished page, a refusal. */
export const memoryReads = defineEvent<{
  readonly memory: 'facts' | 'counts' | 'answers' | 'pages' | 'refusals';
  readonly isHit: boolean;
}>('memory-read');
/** A finished transaction, committed or failed, with the time its caller waited. */
export const writes = defineEvent<{ readonly seconds: number }>('write');
/** A log entry that disagrees with what the database stores for it. */
export const logMismatches = defineEvent<{ readonly log_index: number }>('log-mismatch');

/** A run of the observer on one listing, and how many facts it found changed. */
export const observationRuns = defineEvent<{
  readonly outcome: 'changed' | 'unchanged' | 'failed';
  readonly changed_facts: number;
}>('look');
/** A request of the observer: answered, kept back because the host asked for a pause, or how it failed. */
export const observerRequests = defineEvent<{ readonly result: string }>('observer-request');
/** How many hosts this process holds for the observer. */
export const leasedHosts = defineEvent<{ readonly hosts: number }>('leased-hosts');
/** How many listings are due for the observer of this process, or are being observed. */
export const dueListings = defineEvent<{ readonly listings: number }>('due-listings');

/** What the schedule of backups found or did: when the newest was made, or that one failed. */
export const backupsMade = defineEvent<{ readonly lastAt_ms: number } | { readonly failed: true }>('backup');

/** An attempt to deliver a change to a webhook. */
export const webhookAttempts = defineEvent<{ readonly outcome: 'accepted' | 'failed' }>('webhook-attempt');

/** What asking a witness for a cosignature came to: `cosigned`, or why there is none. */
export const witnessAnswers = defineEvent<{
  readonly witness: string;
  readonly result: string;
  readonly at_ms: number;
}>('witness-answer');

/** Runs a write and publishes how long it took. */
export async function timeWrite<T>(write: () => Promise<T>): Promise<T> {
  if (!writes.hasSubscribers()) return write();
  const start = performance.now();
  try {
    return await write();
  } finally {
    writes.publish({ seconds: (performance.now() - start) / 1000 });
  }
}
