import type { LookupFunction } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { code, own, say, type Words } from '../../core/words.ts';
import { isAddress, plainAddress, withoutRoot } from '../../net/addresses.ts';
import { type NoAnswer, noAnswer, notAsked } from '../../net/answer.ts';
import {
  type FailedRequest,
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

const mostParents = 8;
const mostRecords = 20;
const longestText = 200;

/** Throws if there is no answer. */
type Ask = (name: string, type: 'A' | 'AAAA' | 'CAA') => Promise<readonly string[]>;

/**
 * Asks at the name and then at each parent (RFC 8659 section 3). Of a longer name, only the last eight labels
 * are asked about. The top-level domain is never asked about.
 */
async function readCaa(ask: Ask, hostname: string): Promise<readonly string[]> {
  const labels = withoutRoot(hostname).split('.').slice(-mostParents);
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

function unresolved(about: Words, error: unknown): Words {
  const { message } = error as Error;
  const silent = message === 'no connection' ? own('no connection') : own('no answer in time');
  const why = error instanceof SilentServer ? silent : code(message);
  return say`The DNS servers that Dossier asks did not resolve ${about} (${why}).`;
}

/** `unanswered` says why some records are not known. */
async function readDns(ask: Ask, hostname: string) {
  let ipv4: readonly string[] = [];
  let ipv6 = ipv4;
  let caa = ipv4;
  let about = code(hostname);
  let unanswered: Words | undefined;
  try {
    ipv4 = await ask(hostname, 'A');
    about = say`IPv6 addresses of ${code(hostname)}`;
    ipv6 = await ask(hostname, 'AAAA');
    about = say`CAA records of ${code(hostname)}`;
    caa = await readCaa(ask, hostname);
  } catch (error) {
    if (ipv4.length + ipv6.length === 0) return notAsked(unresolved(code(hostname), error));
    unanswered = unresolved(about, error);
  }
  return { result: 'dns' as const, ipv4: ipv4.length, ipv6: ipv6.length, caa, unanswered };
}

/** The returned function never throws. */
export const createDns =
  (rules: Parameters<typeof dnsServersFor>[0], timeout_ms: number, signal: AbortSignal) =>
  async (hostname: string) => {
    const servers = dnsServersFor(rules, hostname);
    if (servers)
      return readDns(async (name, type) => {
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
    return notAsked(
      own('The host is reached at another address here (HOST_OVERRIDES), and DNS_SERVERS is not set.'),
    );
  };

const handshake_ms = 8000;

const issuerOf = ({ issuer }: PeerCertificate) => {
  const { O: organization, CN: name } = issuer;
  return [organization ?? name].flat()[0] ?? 'an unnamed issuer';
};

/** `not_after` is RFC 3339; `fault` is the reason why Node does not accept the certificate. */
function toCertificateAnswer(socket: TLSSocket) {
  const certificate = socket.getPeerCertificate();
  const end_ms = Date.parse(certificate.valid_to);
  if (Number.isNaN(end_ms)) return noAnswer('silent', own('The host sent no certificate.'));
  const fault = socket.authorizationError;
  return {
    result: 'certificate' as const,
    issuer: issuerOf(certificate).slice(0, 200),
    not_after: new Date(end_ms).toISOString(),
    isTrusted: socket.authorized,
    ...(fault && { fault: String(fault).slice(0, 200) }),
  };
}

/** Sends nothing but a TLS handshake for the recorded name. */
function shakeHands(
  recorded: URL,
  { url, lookup, deadline }: { url: URL; lookup: LookupFunction; deadline: AbortSignal },
): Promise<ReturnType<typeof toCertificateAnswer> | FailedRequest> {
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
    socket.once('secureConnect', () => end(toCertificateAnswer(socket)));
    socket.on('error', (error) => {
      const unsent = whyUnsentBy(error);
      end({ result: 'host_unreachable', ...(unsent && { unsent }) });
    });
  });
}

/**
 * Connects only to public addresses and those of HOST_OVERRIDES. If robots.txt forbids requests or could not
 * be read, connects only if the certificate was the reason. A failure of the host is returned as a result,
 * not thrown.
 */
export const createCertificates =
  (
    { reach, names = namesAt(undefined) }: OutboundRules,
    { robots, ...parts }: { client: OutboundClient; queue: HostQueue; robots: Robots },
  ) =>
  async (
    origin: string,
    times: readonly TimeBudget[],
  ): Promise<ReturnType<typeof toCertificateAnswer> | NoAnswer> => {
    const recorded = new URL(origin);
    const reached = reach(recorded);
    if (!reached) return notAsked(say`${code(recorded.host)} is not a public address.`);
    const { url, addresses } = reached;
    if (url.protocol !== 'https:')
      return notAsked(own('Dossier reaches the host at another address here, without TLS (HOST_OVERRIDES).'));
    const unread = await robots(`${recorded.origin}/robots.txt`);
    if (unread && unread.cause !== 'certificate') return unread;
    const inTurn = createHostTurns({ ...parts, pauses: 'host' });
    const lookup = lookupFor(addresses, names);
    const seen = await inTurn(recorded, { most_ms: handshake_ms, times }, ({ signal: deadline }) =>
      shakeHands(recorded, { url, lookup, deadline }),
    );
    if (typeof seen === 'object' && (seen.result === 'certificate' || seen.result === 'no_answer'))
      return seen;
    return whyNone(recorded, seen, {
      times,
      otherwise: () => noAnswer('silent', say`A TLS connection to ${code(recorded.host)} failed.`),
    });
  };
