import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Directory, type DirectoryOptions, openDirectory } from '../support/directory.ts';
import { createDnsServer, type DnsServer } from '../support/endpoints/dns-server.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';
import { createGitServer, type GitRepository, type GitServer } from '../support/git-server.ts';
import { ratingOf } from '../support/ratings.ts';

/** An answer of a door for claims, or its problem. */
export interface ClaimAnswer {
  readonly status: string | number;
  readonly check: { readonly result: string; readonly commit?: string };
  readonly challenge: string;
  readonly capability: string;
  readonly [field: string]: unknown;
}

/** The web server of the domains of a test; a path that it has no file for is 404. */
export interface WebServer {
  readonly files: Map<string, string>;
  /** `host path` of every request, oldest first. */
  readonly requests: string[];
  /** Answers in the server's place, where it is set. */
  fault: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/**
 * A service used through its public doors. Its listings record repositories of a real git server, and its
 * domains have a real web server and two real DNS servers.
 */
export interface DomainDirectory {
  readonly directory: Directory;
  readonly git: GitServer;
  readonly web: WebServer;
  readonly dns: readonly [DnsServer, DnsServer];
  /** Puts TXT records at a name on both servers; none removes the name. */
  setTxt(name: string, ...records: string[]): void;
  /** POST with a capability in Authorization; its answer or problem. */
  post(path: string, input: object, capability?: string): Promise<Record<string, unknown>>;
  /** POST /api/claim-github, more than 30 seconds after the last one. */
  claim(handle: string, input?: object, capability?: string): Promise<ClaimAnswer>;
  /** claim_agent over HTTP, more than 30 seconds after the last call. */
  ask(handle: string, input?: object, capability?: string): Promise<ClaimAnswer>;
  /**
   * Checks, and checks again a day later, after a pass of re-checks: the result of two readings a day apart.
   */
  claimTwice(handle: string, input?: object): Promise<ClaimAnswer>;
  askTwice(handle: string, input?: object): Promise<ClaimAnswer>;
  /** A claim in the repository `owner/name`, which it makes. */
  claimIn(repository: string, handle: string): Promise<{ repository: GitRepository; issued: ClaimAnswer }>;
  /** A claim by a file on the web server, or a TXT record. */
  claimBy(method: 'well_known' | 'dns', handle: string): Promise<ClaimAnswer>;
  /** A rating by the listing of the capability. */
  rate(handle: string, capability: string, interaction_id?: string): Promise<Record<string, unknown>>;
  /** A pass of re-checks, this many days later. */
  recheck(days?: number): Promise<number>;
  /** Status of the capability: 200, or the code of the problem. */
  standing(capability: string): Promise<string>;
  /** The stored claim: `claimed github.com/alice 0`. */
  held(handle: string): Promise<string>;
  /** The claim in the listing document. */
  claimOf(handle: string): Promise<Record<string, unknown> | undefined>;
  markdownOf(handle: string): Promise<string>;
  /** Status and body of a page or document. */
  get(path: string): Promise<{ status: number; body: string }>;
  /** The history of a claim: type, reason, control root. */
  history(handle: string): Promise<string[]>;
  close(): Promise<void>;
}

/** An entry whose listing records a repository of github.com. */
export const recorded = (handle: string, repository: string, more: Record<string, unknown> = {}) =>
  registryEntry(handle, {
    repository: { url: `https://github.com/${repository}`, source: 'github' },
    ...more,
  });

/** The claim file of a repository. */
export const file = 'dossier-claim.txt';
/** The claim file on the web server. */
export const wellKnown = '/.well-known/dossier-claim.txt';

/** Starts it on a free port of this machine. */
export async function createWebServer(): Promise<WebServer & { url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    web.requests.push(`${request.url}`);
    if (web.fault) return web.fault(request, response);
    const text = web.files.get(request.url ?? '');
    if (text === undefined) response.writeHead(404).end('not found');
    else response.setHeader('content-type', 'text/plain').end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const web = {
    files: new Map<string, string>(),
    requests: [] as string[],
    fault: undefined as WebServer['fault'],
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return web;
}

/** Opens it with listings and domains; close it after use. */
export async function openDomainDirectory(
  entries: readonly RegistryEntry[],
  domains: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  options: Pick<DirectoryOptions, 'isClockStill'> = {},
): Promise<DomainDirectory> {
  const git = await createGitServer();
  const web = await createWebServer();
  const dns = [await createDnsServer(), await createDnsServer()] as const;
  const REPOSITORY_HOSTS = JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } });
  const DNS_SERVERS = dns.map(({ address }) => address).join(',');
  const HOST_OVERRIDES = JSON.stringify(Object.fromEntries(domains.map((domain) => [domain, web.url])));
  const settings = { LIMITS: 'off', REPOSITORY_HOSTS, DNS_SERVERS, HOST_OVERRIDES };
  const directory = await openDirectory({
    ...options,
    entries,
    environment: { ...settings, ...environment },
  });
  const { app, store } = directory;
  const get = async (path: string) => {
    const response = await app.request(path);
    return { status: response.status, body: await response.text() };
  };
  const post: DomainDirectory['post'] = async (path, input, capability) => {
    const authorization = capability && { authorization: `Bearer ${capability}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(input) });
    return (await response.json()) as Record<string, unknown>;
  };
  const askAt =
    (path: string): DomainDirectory['ask'] =>
    async (handle, input = {}, capability) => {
      directory.wait(31);
      return (await post(path, { handle, ...input }, capability)) as ClaimAnswer;
    };
  const claim = askAt('/api/claim-github');
  const ask = askAt('/api/tools/claim_agent');
  const recheck = (days = 1.25) => {
    directory.wait(days * 86_400);
    return directory.recheck();
  };
  const twice =
    (check: DomainDirectory['ask']): DomainDirectory['askTwice'] =>
    async (handle, input) => {
      await check(handle, input);
      await recheck(1);
      return check(handle, input);
    };
  const setTxt: DomainDirectory['setTxt'] = (name, ...records) => {
    for (const { zone } of dns) records.length > 0 ? zone.set(name, records) : zone.delete(name);
  };
  return {
    directory,
    git,
    web,
    dns,
    setTxt,
    post,
    claim,
    ask,
    claimTwice: twice(claim),
    askTwice: twice(ask),
    recheck,
    async claimIn(path, handle) {
      const repository = git.createRepository(path);
      const issued = await claim(handle);
      repository.commit({ [file]: issued.challenge });
      const { status, changed } = await claim(handle);
      if (changed !== 'activated') throw new Error(`${handle} is ${status}`);
      return { repository, issued };
    },
    async claimBy(method, handle) {
      const issued = await ask(handle, { method });
      if (method === 'well_known') web.files.set(wellKnown, issued.challenge);
      else setTxt(`_dossier-challenge.${issued.domain}`, issued.challenge);
      const { status, changed } = await ask(handle, { method });
      if (changed !== 'activated') throw new Error(`${handle} is ${status}`);
      return issued;
    },
    rate: (handle, capability, interaction_id = 'one') =>
      post(
        '/api/tools/submit_rating',
        ratingOf(handle, {
          interaction_id,
          outcome: 'failed',
          relationship: 'none',
          interaction_at: directory.context.clock().toISOString(),
        }),
        capability,
      ),
    async standing(capability) {
      const headers = { authorization: `Bearer ${capability}` };
      const response = await app.request('/api/capability', { headers });
      return response.status === 200 ? '200' : ((await response.json()) as { code: string }).code;
    },
    async held(handle) {
      const claim = await store.claims.claim(handle);
      return `${claim?.state} ${claim?.root} ${claim?.root_generation}`;
    },
    async claimOf(handle) {
      return (JSON.parse((await get(`/agents/${handle}.json`)).body) as { claim?: Record<string, unknown> })
        .claim;
    },
    markdownOf: async (handle) => (await get(`/agents/${handle}.md`)).body,
    get,
    async history(handle) {
      const events = await store.claims.history(handle);
      return events.map(({ type, reason, root, root_generation }) =>
        [type, reason, root && `${root} ${root_generation}`].filter(Boolean).join(' '),
      );
    },
    async close() {
      await directory.close();
      await Promise.all([git.close(), web.close(), ...dns.map((server) => server.close())]);
    },
  };
}
