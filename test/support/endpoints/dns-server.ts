import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, isIP } from 'node:net';
import type DNS from 'dns2';

// Its types describe an ES module, which it is not.
const dns = createRequire(import.meta.url)('dns2') as typeof DNS;
const { Packet } = dns;

/**
 * The answer for a name: TXT records, addresses, an alias, a response code (RFC 1035 section 4.1.1), or none
 * at all.
 */
export type DnsEntry =
  | readonly string[]
  | { readonly addresses: readonly string[]; readonly only?: 'A' | 'AAAA' }
  | { readonly alias: string }
  | number
  | 'silent';

/** A real DNS server of a test, over UDP and TCP. */
export interface DnsServer {
  /** `address:port`, as DNS_SERVERS has it. */
  readonly address: string;
  /** What it answers, by name; a name that is not here does not exist (NXDOMAIN). */
  readonly zone: Map<string, DnsEntry>;
  /** Questions about one of these names are answered once its promise resolves. */
  readonly held: Map<string, Promise<void>>;
  /** The names that it was asked about, oldest first. */
  readonly asked: string[];
  /** Whether it says that it validated its answers. */
  isValidating: boolean;
  close(): Promise<void>;
}

export const noSuchName = 3;
export const serverFailure = 2;
const longestUdp_bytes = 1000;

type Handle = NonNullable<Parameters<typeof dns.createServer>[0]['handle']>;

/** Pieces of at most 255 bytes, as a TXT record has them. */
const toPieces = (text: string) => text.match(/.{1,255}/gs) ?? [''];

/**
 * The answers to a question for records of a type; `only` the questions of one type for addresses are
 * answered, others never.
 */
function toAnswers(
  zone: DnsServer['zone'],
  { name, type }: { name: string; type: number },
  hops = 0,
): object[] | number | 'silent' {
  const entry = zone.get(name.toLowerCase()) ?? noSuchName;
  if (typeof entry === 'number' || entry === 'silent') return entry;
  if ('alias' in entry) {
    const alias = { name, type: Packet.TYPE.CNAME, class: Packet.CLASS.IN, ttl: 60, domain: entry.alias };
    const rest = hops > 3 ? [] : toAnswers(zone, { name: entry.alias, type }, hops + 1);
    return typeof rest === 'object' ? [alias, ...rest] : rest;
  }
  if ('addresses' in entry) {
    if (entry.only && Packet.TYPE[entry.only] !== type) return 'silent';
    const family = type === Packet.TYPE.A ? 4 : 6;
    return entry.addresses
      .filter((address) => isIP(address) === family)
      .map((address) => ({ name, type, class: Packet.CLASS.IN, ttl: 60, address }));
  }
  const txt = { name, type: Packet.TYPE.TXT, class: Packet.CLASS.IN, ttl: 60 };
  return entry.map((text) => ({ ...txt, data: toPieces(text) }));
}

/** A port of this machine that nothing listens on. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Listens on one port over UDP and TCP; tries another where something else has taken it meanwhile. */
async function listenOn(
  handleBy: (isUdp: boolean) => Handle,
): Promise<{ port: number; close: () => Promise<void> }> {
  const port = await findFreePort();
  const servers = [true, false].map((isUdp) =>
    dns.createServer({ [isUdp ? 'udp' : 'tcp']: true, handle: handleBy(isUdp) }),
  );
  const failed = Promise.race(servers.map((server) => once(server, 'error').then(() => 'taken' as const)));
  const at = { port, address: '127.0.0.1' };
  const listening = Promise.all(servers.map((server) => server.listen({ udp: at, tcp: at })));
  if ((await Promise.race([failed, listening])) === 'taken') return listenOn(handleBy);
  return {
    port,
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Starts a server on a free port of this machine. */
export async function createDnsServer(): Promise<DnsServer> {
  const zone: DnsServer['zone'] = new Map();
  const held: DnsServer['held'] = new Map();
  const asked: string[] = [];
  const handleBy =
    (isUdp: boolean): Handle =>
    async (request, send) => {
      const { name = '', type = 0 } = request.questions[0] ?? {};
      asked.push(name);
      await held.get(name);
      const answers = toAnswers(zone, { name, type: Number(type) });
      if (answers === 'silent') return;
      const response = Packet.createResponseFromRequest(request);
      Object.assign(response.header, { ad: started.isValidating ? 1 : 0 });
      if (typeof answers === 'number') response.header.rcode = answers;
      else if (isUdp && JSON.stringify(answers).length > longestUdp_bytes)
        Object.assign(response.header, { tc: 1 });
      else response.answers.push(...(answers as never[]));
      send(response);
    };
  const { port, close } = await listenOn(handleBy);
  const started: DnsServer = {
    address: `127.0.0.1:${port}`,
    zone,
    held,
    asked,
    isValidating: false,
    close,
  };
  return started;
}
