import { damages } from './damage.ts';
import { diskFaults } from './disks.ts';
import type { Fault } from './fault.ts';
import { fileFaults } from './files.ts';
import { kills } from './kills.ts';
import { powerCuts } from './power/power-cuts.ts';
import { callFaults } from './strace.ts';
import { surroundings } from './surroundings.ts';

/** Every fault, in the order in which they run. */
export const faults: readonly Fault[] = [
  ...kills,
  ...callFaults,
  powerCuts,
  ...diskFaults,
  ...fileFaults,
  ...damages,
  ...surroundings,
];
