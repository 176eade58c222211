import { channel } from 'node:diagnostics_channel';
import type table from './instruments.json';

const measurements = channel('dossier:measured');

type Metric = keyof (typeof table.counters & typeof table.gauges & typeof table.histograms);

export interface Measured {
  readonly name: Metric;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | undefined;
}

/** By default 1. */
export function measure(name: Metric, labels: Measured['labels'] = {}, value?: number): void {
  if (measurements.hasSubscribers) measurements.publish({ name, labels, value });
}

export function onMeasured(listener: (measured: Measured) => void): () => void {
  const receive = (message: unknown) => listener(message as Measured);
  measurements.subscribe(receive);
  return () => void measurements.unsubscribe(receive);
}

export const countRead = (
  memory: 'facts' | 'counts' | 'answers' | 'pages' | 'refusals',
  isHit: boolean,
): void => measure('dossier_memory_reads_total', { memory, result: isHit ? 'hit' : 'miss' });

export async function timeWrite<T>(write: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await write();
  } finally {
    measure('dossier_store_write_seconds', {}, (performance.now() - start) / 1000);
  }
}
