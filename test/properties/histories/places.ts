import { createWebServer, type WebServer, wellKnown } from '../../claims/domain-directory.ts';
import { createDnsServer, type DnsServer, serverFailure } from '../../support/endpoints/dns-server.ts';
import { createGitServer, type GitServer } from '../../support/git-server.ts';
import { listings, type Name, type Registry } from './registry.ts';

/** The methods that put a line somewhere. */
export type Method = 'repository' | 'profile_repository' | 'well_known' | 'dns';

const domains = ['bob.com', 'api.bob.com', 'dora.org'];

/** A place for lines: `git <owner>/<name>`, `dns <domain>` or `web <domain>`. */
type Place = `${'git' | 'dns' | 'web'} ${string}`;

const profiles: Readonly<Partial<Record<Name, Place>>> = { alice: 'git alice/alice', eve: 'git eve/eve' };

/** The hosts that can fail: a git host, only its raw files, the web server, the DNS servers. */
export const failingHosts = ['git', 'raw', 'web', 'dns'] as const;
/** How a host fails for an hour: it refuses, it has nothing, or it does not work. */
export interface Failure {
  readonly host: (typeof failingHosts)[number];
  readonly how: 'refuses' | 'has nothing' | 'does not work';
}
const statusOf = { refuses: 401, 'has nothing': 404, 'does not work': 503 } as const;

/** Real hosts of everywhere that a listing of a history can be claimed by a line. */
export interface Places {
  readonly git: GitServer;
  readonly web: WebServer & { readonly url: string };
  readonly dns: readonly [DnsServer, DnsServer];
  /** The place of a listing by a method, if it has one. */
  placeOf(name: Name, method: Method): Place | undefined;
  linesAt(place: Place): readonly string[];
  write(place: Place, lines: readonly string[]): void;
  /** Deletes a repository with its history; `again` makes another one of the same name. */
  removeRepository(path: string, again: boolean): void;
  /** Makes a host fail until the function that it returns is called. */
  fail(failure: Failure): () => void;
  close(): Promise<void>;
}

/** Opens them without any line; close them after use. */
export async function openPlaces(registry: Pick<Registry, 'repositoryOf'>): Promise<Places> {
  const git = await createGitServer();
  const web = await createWebServer();
  const dns = [await createDnsServer(), await createDnsServer()] as const;
  const lines = new Map<Place, readonly string[]>();
  let commits = 0;

  function commit(path: string, content: string | null) {
    commits += 1;
    git.createRepository(path).commit({ 'dossier-claim.txt': content, 'README.md': `Commit ${commits}` });
  }

  function write(place: Place, written: readonly string[]) {
    lines.set(place, written);
    const [kind, where = ''] = place.split(' ');
    const text = written.length > 0 ? `${written.join('\n')}\n` : null;
    if (kind === 'git') commit(where, text);
    else if (kind === 'web') text === null ? web.files.delete(wellKnown) : web.files.set(wellKnown, text);
    else
      for (const { zone } of dns) {
        // A key for receipts is longer than a TXT record may be.
        const records = written.filter((line) => !line.startsWith('receipt-key'));
        const name = `_dossier-challenge.${where}`;
        records.length > 0 ? zone.set(name, records) : zone.delete(name);
      }
  }

  function failDns(how: Failure['how']) {
    const were = dns.map(({ zone }) => new Map(zone));
    const challenges = domains.map((domain) => `_dossier-challenge.${domain}`);
    for (const { zone } of dns)
      for (const name of challenges)
        how === 'has nothing' ? zone.delete(name) : zone.set(name, serverFailure);
    return () => {
      for (const [at, { zone }] of dns.entries()) {
        zone.clear();
        for (const [name, records] of were[at] ?? []) zone.set(name, records);
      }
    };
  }

  function failHttp({ host, how }: Failure) {
    const status = statusOf[how];
    if (host === 'web') web.fault = (_, response) => void response.writeHead(status).end();
    else
      git.fault = (request, response) => {
        if (host === 'raw' && !request.url?.startsWith('/raw/')) return false;
        response.writeHead(status, status === 401 ? { 'www-authenticate': 'Basic' } : {}).end();
        return true;
      };
    return () => {
      web.fault = undefined;
      git.fault = undefined;
    };
  }

  return {
    git,
    web,
    dns,
    placeOf(name, method) {
      if (method === 'profile_repository') return profiles[name];
      const repository = registry.repositoryOf(name);
      if (method === 'repository') return repository === undefined ? undefined : `git ${repository}`;
      const { domain } = listings[name];
      // There is one web server, and it is that of dora.org.
      if (method === 'well_known') return domain === 'dora.org' ? `web ${domain}` : undefined;
      return domain && `dns ${domain}`;
    },
    linesAt: (place) => lines.get(place) ?? [],
    write,
    removeRepository(path, again) {
      git.removeRepository(path);
      if (again) commit(path, null);
      lines.set(`git ${path}`, []);
    },
    fail: (failure) => (failure.host === 'dns' ? failDns(failure.how) : failHttp(failure)),
    async close() {
      await Promise.all([git, web, ...dns].map((server) => server.close()));
    },
  };
}
