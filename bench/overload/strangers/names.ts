import { createDnsServer, type DnsEntry } from '../../../test/support/endpoints/dns-server.ts';
import type { HostilePublisher, HostilePublishers } from './hostile.ts';

const withoutHosts: HostilePublisher = { listings: 3, remotes: 10, areApart: true };

/** Publishers whose name servers give no answer, or a bad one, about the names of their hosts. */
export const unresolved: HostilePublishers = {
  'silent-names': withoutHosts,
  'failing-names': withoutHosts,
  'names-that-are-each-others': withoutHosts,
  'absent-names': withoutHosts,
};

const serverFailure = 2;

const answers: Readonly<Record<string, (name: string) => DnsEntry>> = {
  'silent-names': () => 'silent',
  'failing-names': () => serverFailure,
  'names-that-are-each-others': (name) => ({ alias: name }),
};

/** A DNS server that answers so about each name below the domain of a publisher, whatever it is. */
export async function startNameServer() {
  const server = await createDnsServer();
  const { get } = server.zone;
  server.zone.get = (name) => {
    const [, publisher = ''] = /([^.]+)\.example$/.exec(name) ?? [];
    return answers[publisher]?.(name) ?? get.call(server.zone, name);
  };
  return server;
}
