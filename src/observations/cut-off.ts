import { registrableDomain } from '../core/identity.ts';

export type CutOffWatch = ReturnType<typeof createCutOffWatch>;

const remembered_ms = 3_600_000;
/** With fewer silent domains than this it may well be the hosts. */
const leastSilent = 3;

/**
 * Tells a network of ours that loses everything from a host that is silent: whether, within the hour, requests to three other domains
 * or more were answered by none. Refused connections are no answer, because a firewall of ours may refuse them.
 */
export function createCutOffWatch(clock: () => Date) {
  /** How the newest request to each domain ended, oldest first. */
  const ended = new Map<string, { readonly at_ms: number; readonly isAnswered: boolean }>();
  return {
    note(hostname: string, isAnswered: boolean): void {
      const at_ms = clock().getTime();
      const domain = registrableDomain(hostname);
      ended.delete(domain);
      ended.set(domain, { at_ms, isAnswered });
      for (const [oldest, { at_ms: then_ms }] of ended) {
        if (at_ms - then_ms <= remembered_ms) break;
        ended.delete(oldest);
      }
    },
    isCutOff(hostname: string): boolean {
      const domain = registrableDomain(hostname);
      const others = [...ended].filter(([other]) => other !== domain).map(([, end]) => end);
      return others.length >= leastSilent && !others.some(({ isAnswered }) => isAnswered);
    },
  };
}
