import { registrableDomain } from '../../core/identity.ts';
import type { Failed } from '../../net/client.ts';

/** How a request ended, as far as it tells of the way to its host; without a result it was answered. */
export type Ended = { readonly result?: string } & Partial<Omit<Failed, 'result'>>;

const remembered_ms = 3_600_000;
/** With fewer silent domains than this it may well be the hosts. */
const leastSilent = 3;

/** Whether a request was sent and nothing came from the host. */
const isSilent = ({ result = '', certificate, unsent }: Ended) =>
  /^host_(?:timeout|unreachable)$/.test(result) && !certificate && !unsent;

/**
 * Tells a network of ours that loses everything from a host that is silent: whether, within the hour, requests to three other domains
 * or more were answered by none. Refused connections are no answer, because a firewall of ours may refuse them.
 */
export function createCutOffWatch(clock: () => Date) {
  /** When each domain was last asked, by whether it answered, oldest first. */
  const answered = new Map<string, number>();
  const silent = new Map<string, number>();
  const othersIn = (asked: Map<string, number>, domain: string) => {
    for (const [oldest, at_ms] of asked) {
      if (clock().getTime() - at_ms <= remembered_ms) break;
      asked.delete(oldest);
    }
    return asked.size - (asked.has(domain) ? 1 : 0);
  };
  return {
    /** Remembers how a request to a host ended. What was not sent says nothing. */
    note(hostname: string, ended: Ended): void {
      if (ended.unsent) return;
      const domain = registrableDomain(hostname);
      const asked = isSilent(ended) ? silent : answered;
      asked.delete(domain);
      asked.set(domain, clock().getTime());
      othersIn(asked, domain);
    },
    /** Whether a request to a host that ended like this may have done so because of our network. */
    isCutOff(hostname: string, ended: Ended): boolean {
      const domain = registrableDomain(hostname);
      return isSilent(ended) && othersIn(answered, domain) === 0 && othersIn(silent, domain) >= leastSilent;
    },
  };
}
