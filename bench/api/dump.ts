import { Agent, request } from 'undici';
import { memoryOf } from '../machine.ts';
import type { Server } from '../server.ts';

const sampleEvery_ms = 200;

/**
 * What writing a dump takes: seconds, and the memory of the service before it and in each quarter of that
 * time.
 */
export interface DumpCosts {
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly before_mb: number;
  readonly quarters_mb: readonly number[];
}

interface Manifest {
  readonly files: readonly { readonly path: string; readonly rows: number; readonly bytes: number }[];
}

/** Asks a service for its first dump. */
export async function measureDump({ url, pid }: Server): Promise<DumpCosts> {
  const before_mb = memoryOf(pid).resident_mb;
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(memoryOf(pid).resident_mb), sampleEvery_ms);
  const began_ms = performance.now();
  // Under load it may take longer than the five minutes that are usually waited for headers.
  const dispatcher = new Agent({ headersTimeout: 0 });
  const { body } = await request(`${url}/export/manifest.json`, { dispatcher });
  const { files } = (await body.json()) as Manifest;
  await dispatcher.close();
  const seconds = (performance.now() - began_ms) / 1000;
  clearInterval(sampling);
  samples.push(memoryOf(pid).resident_mb);
  const quarter = samples.length / 4;
  const quarters_mb = [0, 1, 2, 3].map((at) =>
    Math.max(...samples.slice(Math.floor(at * quarter), Math.ceil((at + 1) * quarter))),
  );
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { rows: files[0]?.rows ?? 0, bytes, seconds, before_mb, quarters_mb };
}
