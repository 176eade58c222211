import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { NoAnswer } from '../../evidence/observation/answer.ts';
import type { TlsLook } from '../../evidence/observation/endpoint-look.ts';
import { isOurFailure, type Reach } from '../../outbound/client.ts';
import { createGuardedLookup, isAddress, isPublicAddress } from '../../outbound/public-address.ts';
import { noWay } from '../polite/polite-fetch.ts';

const handshake_ms = 8000;

const nameOf = ({ issuer }: PeerCertificate) => {
  const { O: organization, CN: name } = issuer;
  return [organization ?? name].flat()[0] ?? 'an unnamed issuer';
};

function toLook(socket: TLSSocket): TlsLook | NoAnswer {
  const certificate = socket.getPeerCertificate();
  const end_ms = Date.parse(certificate.valid_to);
  if (Number.isNaN(end_ms)) return { result: 'unreachable', reason: 'The host sent no certificate.' };
  const fault = socket.authorizationError;
  return {
    result: 'certificate',
    issuer: nameOf(certificate).slice(0, 200),
    not_after: new Date(end_ms).toISOString(),
    isTrusted: socket.authorized,
    ...(fault && { fault: String(fault).slice(0, 200) }),
  };
}

const plainAddress = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

/**
 * Reads the certificate of an https origin for its recorded name, at a public address or where HOST_OVERRIDES says. Sends
 * nothing over the connection. Never throws.
 */
export function readCertificate(recorded: URL, reached: Reach | undefined): Promise<TlsLook | NoAnswer> {
  if (!reached)
    return Promise.resolve({ result: 'not_checked', reason: `${recorded.host} is not a public address.` });
  const { url, addresses } = reached;
  return new Promise((resolve) => {
    const socket = connect({
      host: plainAddress(url.hostname),
      port: Number(url.port || 443),
      ...(!isAddress(recorded.hostname) && { servername: recorded.hostname }),
      rejectUnauthorized: false,
      lookup: createGuardedLookup(addresses === 'any' ? () => true : isPublicAddress),
      timeout: handshake_ms,
    });
    const end = (result: TlsLook | NoAnswer) => {
      socket.destroy();
      resolve(result);
    };
    const fail = (error?: Error) =>
      end(
        isOurFailure(error)
          ? noWay(recorded.host)
          : { result: 'unreachable', reason: `A TLS connection to ${recorded.host} did not come about.` },
      );
    socket.once('secureConnect', () => end(toLook(socket)));
    socket.on('error', fail);
    socket.once('timeout', () => fail());
  });
}
