import type { Config } from '../../config/config.ts';
import type { RepositoryPlace, RepositoryReader } from '../../repositories/reader.ts';
import type { HostQueue } from './host-queue.ts';

type Ended = { readonly retry_after_s?: number };

const paused = { result: 'host_rate_limited' as const };

/**
 * A reader of repositories that takes its turn at the host, as all other requests of the observer do, and obeys
 * Retry-After. A read of both the git host and the host of its raw files has the turn of the first; claims are checked
 * without a turn, because somebody waits for them.
 */
export function createPoliteRepositories(
  repositories: RepositoryReader,
  hosts: Config['repositoryHosts'],
  queue: HostQueue,
): RepositoryReader {
  const hostOf = (place: RepositoryPlace, part: 'git' | 'raw') =>
    URL.parse(hosts[place.host]?.[part] ?? '')?.host ?? place.host;
  const inTurn = async <T extends object>(
    host: string,
    read: () => Promise<T & Ended>,
  ): Promise<T | typeof paused> => {
    const ended = await queue.run({ host }, async (turn) => {
      const found = await read();
      if (found.retry_after_s) turn.pause(found.retry_after_s);
      return found;
    });
    return ended === 'paused' ? paused : ended;
  };
  return {
    place: (recordedUrl) => repositories.place(recordedUrl),
    check: async (place, fileName) => {
      const read = await inTurn(hostOf(place, 'git'), () => repositories.check(place, fileName));
      return 'pinned' in read ? read : { ...read, pinned: false };
    },
    head: (place) => inTurn(hostOf(place, 'git'), () => repositories.head(place)),
    commit: (place, commit) => inTurn(hostOf(place, 'git'), () => repositories.commit(place, commit)),
    readAt: (place, file) => inTurn(hostOf(place, 'raw'), () => repositories.readAt(place, file)),
  };
}
