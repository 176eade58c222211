import { readdirSync } from 'node:fs';
import { type Memory, memoryOf, toMemoryText } from '../machine.ts';
import type { Row } from '../report.ts';
import { liveHeap_mb } from './heap.ts';

/** What a process holds at one time. */
export interface Held extends Memory {
  readonly descriptors: number;
  /** Live JavaScript memory. */
  readonly live_mb: number;
}

/** Number of file descriptors that a process has open; 0 where the system does not report it. */
function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** What a process holds after a full collection of garbage; it was started with `--inspect` at that port. */
export async function hold(pid: number, inspectorPort: number): Promise<Held> {
  const live_mb = await liveHeap_mb(inspectorPort);
  return { live_mb, ...memoryOf(pid), descriptors: descriptorsOf(pid) };
}

/** It as a row. */
export const toHeldRow = (what: string, held: Held): Row => ({
  what,
  figure: `${toMemoryText(held)}; ${held.live_mb.toFixed(1)} MB of live JavaScript; ${held.descriptors} descriptors`,
});
