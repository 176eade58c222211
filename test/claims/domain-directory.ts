import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDnsServer, type DnsServer } from '../support/endpoints/dns-server.ts';
import type { RegistryEntry } from '../support/entries.ts';
import { type ClaimAnswer, type Claimable, openClaimable } from './claimable.ts';

/** The web server of the domains of a test; a path that it has no file for is 404. */
export interface WebServer {
  readonly files: Map<string, string>;
  /** `host path` of every request, oldest first. */
  readonly requests: string[];
  /** Answers in the server's place, where it is set. */
  fault: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
}

/** A service whose namespaces are domains with a real web server, and two real DNS servers. */
export interface DomainDirectory extends Claimable {
  readonly web: WebServer;
  readonly dns: readonly [DnsServer, DnsServer];
  /** Puts TXT records at a name on both servers; none removes the name. */
  setTxt(name: string, ...records: string[]): void;
  /** claim_agent over HTTP, more than 30 seconds after the last call. */
  ask(handle: string, input?: Record<string, unknown>, capability?: string): Promise<ClaimAnswer>;
  /**
   * Checks, and checks again a day later, after a pass of re-checks: the result of two readings a day apart.
   */
  askTwice(handle: string, input?: Record<string, unknown>): Promise<ClaimAnswer>;
  /** Status of the capability: 200, or the code of the problem. */
  standing(capability: string): Promise<string>;
  /** The claim in the listing document. */
  claimOf(handle: string): Promise<Record<string, unknown> | undefined>;
  markdownOf(handle: string): Promise<string>;
}

/** Text of the claim file on the web server. */
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

/** Opens it with listings of the domains; close it after use. */
export async function openDomainDirectory(
  entries: readonly RegistryEntry[],
  domains: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<DomainDirectory> {
  const web = await createWebServer();
  const dns = [await createDnsServer(), await createDnsServer()] as const;
  const claimable = await openClaimable(entries, {
    DNS_SERVERS: dns.map(({ address }) => address).join(','),
    HOST_OVERRIDES: JSON.stringify(Object.fromEntries(domains.map((domain) => [domain, web.url]))),
    ...environment,
  });
  const { directory } = claimable;
  return {
    ...claimable,
    web,
    dns,
    setTxt(name, ...records) {
      for (const { zone } of dns) records.length > 0 ? zone.set(name, records) : zone.delete(name);
    },
    async ask(handle, input = {}, capability) {
      directory.wait(31);
      const response = await directory.app.request('/api/tools/claim_agent', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(capability && { authorization: `Bearer ${capability}` }),
        },
        body: JSON.stringify({ handle, ...input }),
      });
      return (await response.json()) as ClaimAnswer;
    },
    async askTwice(this: DomainDirectory, handle, input) {
      await this.ask(handle, input);
      directory.wait(86_400);
      await directory.recheck();
      return this.ask(handle, input);
    },
    async standing(capability) {
      const headers = { authorization: `Bearer ${capability}` };
      const response = await directory.app.request('/api/capability', { headers });
      return response.status === 200 ? '200' : ((await response.json()) as { code: string }).code;
    },
    async markdownOf(handle) {
      return (await claimable.get(`/agents/${handle}.md`)).body;
    },
    async claimOf(handle) {
      const { body } = await claimable.get(`/agents/${handle}.json`);
      return (JSON.parse(body) as { claim?: Record<string, unknown> }).claim;
    },
    async close() {
      await claimable.close();
      await Promise.all([web.close(), ...dns.map((server) => server.close())]);
    },
  };
}
