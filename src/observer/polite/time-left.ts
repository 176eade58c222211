import type { Timeouts } from '../../config/timeouts.ts';

/** Time that several requests share, without waiting for their turn. */
export interface TimeLeft {
  left_ms: number;
  /** Why nothing is sent to a host once there is none left. */
  readonly spent: (host: string) => string;
}

const ofHost = (left_ms: number): TimeLeft => ({
  left_ms,
  spent: (host) => `${host} took all the time that Dossier gives one host in one look.`,
});

const ofLook = (left_ms: number): TimeLeft => ({
  left_ms,
  spent: (host) =>
    `The hosts of this service took all the time that Dossier gives one look; ${host} was not asked any more.`,
});

/** The times of one look: for each URL that of its host and that of the whole look. */
export function createTimes({
  observerHost_ms,
  observerLook_ms,
}: Pick<Timeouts, 'observerHost_ms' | 'observerLook_ms'>): (url: string) => readonly TimeLeft[] {
  const look = ofLook(observerLook_ms);
  const hosts = new Map<string, TimeLeft>();
  return (url) => {
    const name = URL.parse(url)?.host ?? '';
    const host = hosts.get(name) ?? ofHost(observerHost_ms);
    hosts.set(name, host);
    return [host, look];
  };
}
