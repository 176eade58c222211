import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto as Crypto);

/** A certificate with its key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test. */
export interface TestCa {
  readonly cert: string;
  /**
   * A certificate for a name, valid for so many days from now; a negative number for one that has expired.
   */
  issue(name: string, days: number): Promise<Certificate>;
  /** A certificate that nobody vouches for. */
  selfSigned(name: string): Promise<Certificate>;
}

const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day_ms = 86_400_000;
const authority = 'O=Test Authority, CN=Test Authority';

const createKeys = () =>
  webcrypto.subtle.generateKey(curve, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;

async function toPem(key: CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return `-----BEGIN PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END PRIVATE KEY-----\n`;
}

const periodOf = (days: number) => {
  const now = Date.now();
  return { notBefore: new Date(now - 30 * day_ms), notAfter: new Date(now + days * day_ms) };
};

/** Makes a certificate authority. */
export async function createTestCa(): Promise<TestCa> {
  const own = await createKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    name: authority,
    keys: own,
    signingAlgorithm: curve,
    ...periodOf(30),
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const named = (name: string) => [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])];
  return {
    cert: root.toString('pem'),
    async issue(name, days) {
      const keys = await createKeys();
      const made = await X509CertificateGenerator.create({
        subject: `CN=${name}`,
        issuer: root.subject,
        publicKey: keys.publicKey,
        signingKey: own.privateKey,
        signingAlgorithm: curve,
        ...periodOf(days),
        extensions: named(name),
      });
      return { cert: made.toString('pem'), key: await toPem(keys.privateKey) };
    },
    async selfSigned(name) {
      const keys = await createKeys();
      const made = await X509CertificateGenerator.createSelfSigned({
        name: `CN=${name}`,
        keys,
        signingAlgorithm: curve,
        ...periodOf(30),
        extensions: named(name),
      });
      return { cert: made.toString('pem'), key: await toPem(keys.privateKey) };
    },
  };
}
