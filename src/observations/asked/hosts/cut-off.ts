import { registrableDomain } from '../../../core/identity.ts';
import type { FailedRequest } from '../../../net/client.ts';

export type RequestOutcome = { readonly result?: string } & Partial<Omit<FailedRequest, 'result'>>;

const remembered_ms = 3_600_000;
/** With so many silent domains, and none that answers, our own network is suspected. */
const leastSilent = 3;

const isSilent = ({ result = '', certificate, unsent }: RequestOutcome) =>
  /^host_(?:timeout|unreachable)$/.test(result) && !certificate && !unsent;

/** A refused connection counts as silence: our own firewall may have refused it. */
export function createCutOffWatch(clock: () => Date) {
  /** In ms since 1970, oldest first. */
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
    note(hostname: string, ended: RequestOutcome): void {
      if (ended.unsent) return;
      const domain = registrableDomain(hostname);
      const asked = isSilent(ended) ? silent : answered;
      asked.delete(domain);
      asked.set(domain, clock().getTime());
      othersIn(asked, domain);
    },
    isCutOff(hostname: string, ended: RequestOutcome): boolean {
      const domain = registrableDomain(hostname);
      return isSilent(ended) && othersIn(answered, domain) === 0 && othersIn(silent, domain) >= leastSilent;
    },
  };
}
