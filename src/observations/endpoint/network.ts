import type { LookupFunction } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { isAddress, plainAddress } from '../../net/addresses.ts';
import { type NoAnswer, notChecked } from '../../net/answer.ts';
import {
  type Failed,
  lookupFor,
  type OutboundClient,
  type OutboundRules,
  whyUnsentBy,
} from '../../net/client.ts';
import { dnsServersFor, readRecords, SilentServer } from '../../net/dns.ts';
import { namesAt } from '../../net/names.ts';
import type { HostQueue } from '../hosts/host-queue.ts';
import { createHostTurns, type TimeBudget } from '../hosts/host-turns.ts';
import { whyNone } from '../hosts/polite.ts';
import type { Robots } from '../hosts/robots.ts';

/** RFC 8659 section 3: where a name has no CAA records, those of its parents count. */
const mostParents = 8;
const mostRecords = 20;
const longestText = 200;

/** The records of one type at a name. Throws what is no answer: SERVFAIL, a refusal, a time-out. */
type Ask = (name: string, type: 'A' | 'AAAA' | 'CAA') => Promise<readonly string[]>;

/** The CAA records that count for a name: its own, else those of its nearest parent that has some. */
async function readCaa(ask: Ask, hostname: string): Promise<readonly string[]> {
  const labels = hostname.split('.').slice(-mostParents);
  for (let at = 0; at < labels.length - 1; at++) {
    const found = await ask(labels.slice(at).join('.'), 'CAA');
    if (found.length > 0)
      return found
        .slice(0, mostRecords)
        .map((text) => text.slice(0, longestText))
        .toSorted();
  }
  return [];
}

const silence = (about: string, error: unknown) =>
  `The DNS servers that Dossier asks gave no answer about ${about} (${(error as Error).message}).`;

/** `caa`: the records that count, as `issue ca.example`; `unanswered`: why a part of it is not known, while what is known stands. */
async function run(ask: Ask, hostname: string) {
  let ipv4: readonly string[] = [];
  let ipv6 = ipv4;
  let caa = ipv4;
  let about = hostname;
  let unanswered: string | undefined;
  try {
    ipv4 = await ask(hostname, 'A');
    about = `IPv6 addresses of ${hostname}`;
    ipv6 = await ask(hostname, 'AAAA');
    about = `CAA records of ${hostname}`;
    caa = await readCaa(ask, hostname);
  } catch (error) {
    if (ipv4.length + ipv6.length === 0) {
      const isUnchecked = error instanceof SilentServer && ({ isUnchecked: true } as const);
      return { result: 'unreachable', reason: silence(hostname, error), ...isUnchecked } satisfies NoAnswer;
    }
    unanswered = silence(about, error);
  }
  return { result: 'dns' as const, ipv4: ipv4.length, ipv6: ipv6.length, caa, unanswered };
}

/** Asks the servers that the settings name how many addresses a host name has of each family, and for CAA. Never throws. */
export const createDns =
  (rules: Parameters<typeof dnsServersFor>[0], timeout_ms: number, signal: AbortSignal) =>
  async (hostname: string) => {
    const servers = dnsServersFor(rules, hostname);
    // Asks the servers in turn, the next one where one gives no answer.
    if (servers)
      return run(async (name, type) => {
        let failure: unknown;
        for (const server of servers)
          try {
            signal.throwIfAborted();
            return (await readRecords(server, { name, type }, timeout_ms)).records;
          } catch (error) {
            failure = error;
          }
        throw failure;
      }, hostname);
    const reason =
      'The host is reached at another address here (HOST_OVERRIDES), and DNS_SERVERS is not set.';
    return { result: 'not_checked', reason } satisfies NoAnswer;
  };

const handshake_ms = 8000;

const nameOf = ({ issuer }: PeerCertificate) => {
  const { O: organization, CN: name } = issuer;
  return [organization ?? name].flat()[0] ?? 'an unnamed issuer';
};

/** A certificate as the host presented it. `not_after` is RFC 3339, `fault` why this machine's root certificates do not vouch for it. */
function toAnswer(socket: TLSSocket) {
  const certificate = socket.getPeerCertificate();
  const end_ms = Date.parse(certificate.valid_to);
  if (Number.isNaN(end_ms))
    return { result: 'unreachable', reason: 'The host sent no certificate.' } satisfies NoAnswer;
  const fault = socket.authorizationError;
  return {
    result: 'certificate' as const,
    issuer: nameOf(certificate).slice(0, 200),
    not_after: new Date(end_ms).toISOString(),
    isTrusted: socket.authorized,
    ...(fault && { fault: String(fault).slice(0, 200) }),
  };
}

/** Reads the certificate of a host in a TLS handshake for its recorded name, and sends nothing else. Never throws. */
function shakeHands(
  recorded: URL,
  { url, lookup, deadline }: { url: URL; lookup: LookupFunction; deadline: AbortSignal },
): Promise<ReturnType<typeof toAnswer> | Failed> {
  return new Promise((resolve) => {
    const socket = connect({
      host: plainAddress(url.hostname),
      port: Number(url.port || 443),
      ...(!isAddress(recorded.hostname) && { servername: recorded.hostname }),
      rejectUnauthorized: false,
      lookup,
    });
    const end = (result: Parameters<typeof resolve>[0]) => {
      deadline.removeEventListener('abort', stop);
      socket.destroy();
      resolve(result);
    };
    const stop = () => end({ result: 'host_timeout' });
    deadline.addEventListener('abort', stop);
    if (deadline.aborted) stop();
    socket.once('secureConnect', () => end(toAnswer(socket)));
    socket.on('error', (error) => {
      const unsent = whyUnsentBy(error);
      end({ result: 'host_unreachable', ...(unsent && { unsent }) });
    });
  });
}

/**
 * Creates a reader of the certificates of https origins, in the turn of the host, at a public address or where HOST_OVERRIDES
 * says. If robots.txt could not be read it connects only if the certificate was the reason. Throws only the reason of the
 * queue's signal.
 */
export const createCertificates =
  (
    { reach, names = namesAt(undefined) }: OutboundRules,
    { robots, ...parts }: { client: OutboundClient; queue: HostQueue; robots: Robots },
  ) =>
  async (origin: string, times: readonly TimeBudget[]): Promise<ReturnType<typeof toAnswer> | NoAnswer> => {
    const recorded = new URL(origin);
    const reached = reach(recorded);
    if (!reached) return notChecked(`${recorded.host} is not a public address.`);
    const { url, addresses } = reached;
    if (url.protocol !== 'https:')
      return notChecked('Dossier reaches the host at another address here, without TLS (HOST_OVERRIDES).');
    const unread = await robots(`${recorded.origin}/robots.txt`);
    if (unread && unread.cause !== 'certificate') return unread;
    const inTurn = createHostTurns({ ...parts, pauses: 'host' });
    const lookup = lookupFor(addresses, names);
    const seen = await inTurn(recorded, { most_ms: handshake_ms, times }, ({ signal: deadline }) =>
      shakeHands(recorded, { url, lookup, deadline }),
    );
    if (typeof seen === 'object' && (seen.result === 'certificate' || seen.result === 'unreachable'))
      return seen;
    return whyNone(recorded, seen, {
      times,
      otherwise: () => ({
        result: 'unreachable',
        reason: `A TLS connection to ${recorded.host} did not come about.`,
      }),
    });
  };
