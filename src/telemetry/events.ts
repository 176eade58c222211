import { channel } from 'node:diagnostics_channel';
import type table from './instruments.json';

const measurements = channel('dossier:measured');

type Metric = keyof (typeof table.counters & typeof table.gauges & typeof table.histograms);

/** One measurement of an instrument in instruments.json. */
export interface Measured {
  readonly name: Metric;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | undefined;
}

/**
 * A counter of instruments.json that grows by `value`, 1 if absent, a gauge that has this value now, or one
 * value of a histogram; without listeners it costs almost nothing.
 */
export function measure(name: Metric, labels: Measured['labels'] = {}, value?: number): void {
  if (measurements.hasSubscribers) measurements.publish({ name, labels, value });
}

/** Calls back on every measurement. Returns a function that ends it. */
export function onMeasured(listener: (measured: Measured) => void): () => void {
  const receive = (message: unknown) => listener(message as Measured);
  measurements.subscribe(receive);
  return () => void measurements.unsubscribe(receive);
}

/**
 * Counts a lookup: of a listing's facts, a search's counts, a finished MCP answer, a finished page, a
 * refusal.
 */
export const countRead = (
  memory: 'facts' | 'counts' | 'answers' | 'pages' | 'refusals',
  isHit: boolean,
): void => measure('dossier_memory_reads_total', { memory, result: isHit ? 'hit' : 'miss' });

/** Runs a write and measures how long its caller waited for it, committed or failed. */
export async function timeWrite<T>(write: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await write();
  } finally {
    measure('dossier_store_write_seconds', {}, (performance.now() - start) / 1000);
  }
}
