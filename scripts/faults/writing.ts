import type { GitServer } from '../../test/support/git-server.ts';
import { write } from '../soak/writers.ts';
import { claimAll } from './claims.ts';
import type { Session } from './fault.ts';

const subjects = 30;
const claimants = 3;

/**
 * Lets the claimed listings of a session write, and claims others, until the signal; answers what each of
 * these ends with.
 */
export function startWriting(
  { cluster, ledger }: Pick<Session, 'cluster' | 'ledger'>,
  git: GitServer,
  stopped: AbortSignal,
): Promise<void>[] {
  const { capabilities, handles } = cluster;
  const writing = capabilities.map((capability, at) => {
    const from = capabilities.length + at * subjects;
    const own = { capability, subjects: handles.slice(from, from + subjects), ledger };
    return write(cluster, own, stopped);
  });
  const unclaimed = handles.slice(capabilities.length * (1 + subjects));
  for (let claimant = 0; claimant < claimants; claimant++) {
    const own = unclaimed.filter((_, at) => at % claimants === claimant);
    writing.push(claimAll(cluster, { git, handles: own, ledger }, stopped));
  }
  return writing;
}
