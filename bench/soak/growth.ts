import { type Memory, memoryOf } from '../machine.ts';
import type { Server } from '../server.ts';

const sampleEvery_ms = 5000;
const windows = 12;
/** The first third of a run fills caches: growth is measured after it. */
const warmUp = windows / 3;
const hour_ms = 3_600_000;

interface Sample extends Memory {
  readonly at_ms: number;
}

/** How the memory of a process changed while it ran. */
export interface Growth {
  /** Resident memory that is added in an hour after the warm-up; below 0 where it falls. */
  readonly mb_per_hour: number;
  /** How many samples this rests on. */
  readonly samples: number;
}

/** The lowest sample of each window: what is above it waits for the next collection of garbage. */
function toFloors(samples: readonly Sample[]): Sample[] {
  const size = Math.ceil(samples.length / windows);
  const parts = Array.from({ length: windows }, (_, at) => samples.slice(at * size, (at + 1) * size));
  return parts.flatMap((part) => part.toSorted((a, b) => a.resident_mb - b.resident_mb).slice(0, 1));
}

/** Slope of the straight line that fits the floors after the warm-up best (least squares). */
function growthOf(samples: readonly Sample[]): number {
  const floors = toFloors(samples).slice(warmUp);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(floors.map(({ at_ms }) => at_ms)), mean(floors.map(({ resident_mb }) => resident_mb))];
  const both = mean(floors.map(({ at_ms, resident_mb }) => (at_ms - x) * (resident_mb - y)));
  return (both / mean(floors.map(({ at_ms }) => (at_ms - x) ** 2))) * hour_ms;
}

/** Samples the memory of a server until the result is asked for. */
export function watchMemory({ pid }: Server): () => Growth {
  const samples: Sample[] = [];
  const sampling = setInterval(
    () => samples.push({ at_ms: performance.now(), ...memoryOf(pid) }),
    sampleEvery_ms,
  );
  return () => {
    clearInterval(sampling);
    return { mb_per_hour: growthOf(samples), samples: samples.length };
  };
}
