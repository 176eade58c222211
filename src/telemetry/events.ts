import { channel } from 'node:diagnostics_channel';
import type table from './instruments.json';

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
/** What the schedule of backups found or did: when the newest was made, or that one failed. */
export const backupsMade = defineEvent<{ readonly lastAt_ms: number } | { readonly failed: true }>('backup');

type Metric = keyof (typeof table.counters & typeof table.gauges);

/** A counter of instruments.json that grows by `value`, 1 if absent, or a gauge that has this value now. */
export const measured = defineEvent<{
  readonly name: Metric;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | undefined;
}>('measured');
export const measure = (name: Metric, labels: Readonly<Record<string, string>> = {}, value?: number) =>
  measured.publish({ name, labels, value });

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
