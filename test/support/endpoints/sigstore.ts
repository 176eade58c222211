import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleToJSON, type SerializedBundle } from '@sigstore/bundle';
import { fulcioHandler, initializeCA, initializeCTLog, initializeTLog, rekorHandler } from '@sigstore/mock';
import { DSSEBundleBuilder, FulcioSigner, RekorWitness } from '@sigstore/sign';
import { startEndpoint } from './mcp-endpoint.ts';

/**
 * A Sigstore of the tests: a certificate authority and a transparency log on loopback, with keys of their
 * own.
 */
export interface Sigstore {
  /** The file with its keys, in the form of TUF's trusted_root.json. */
  readonly rootFile: string;
  /** Signs a statement as a build of a GitHub repository (`owner/name`) would. */
  sign(statement: object, repository: string): Promise<SerializedBundle>;
  close(): Promise<void>;
}

type Handler = ReturnType<typeof rekorHandler>;

const serve = ({ path, fn }: Handler) =>
  startEndpoint(async (body, { url }, response) => {
    if (url !== path) return void response.writeHead(404).end();
    const { statusCode, response: text, contentType } = await fn(body);
    response.writeHead(statusCode, { 'content-type': contentType ?? 'application/json' }).end(text);
  });

const start = '2020-01-01T00:00:00Z';
const toKey = (der: Buffer) => ({
  rawBytes: der.toString('base64'),
  keyDetails: 'PKIX_ECDSA_P256_SHA_256',
  validFor: { start },
});

/** An identity token as GitHub Actions gives one to a build; the tests' authority checks no signature. */
const toToken = (repository: string) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: `https://github.com/${repository}/.github/workflows/release.yml`, repository };
  return `${part({ alg: 'none' })}.${part({ ...claims, iss: 'https://token.actions.githubusercontent.com' })}.x`;
};

/** Starts a Sigstore of its own. */
export async function startSigstore(): Promise<Sigstore> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ctLog = await initializeCTLog(keys);
  const authority = await initializeCA(keys, ctLog);
  const log = await initializeTLog('https://rekor.test', keys);
  const fulcio = await serve(fulcioHandler(authority));
  const rekor = await serve(rekorHandler(log));
  const folder = mkdtempSync(join(tmpdir(), 'dossier-sigstore-'));
  const rootFile = join(folder, 'trusted_root.json');
  const der = createPublicKey(keys.privateKey).export({ format: 'der', type: 'spki' });
  const keyId = Buffer.from(await crypto.subtle.digest('SHA-256', der)).toString('base64');
  const logOf = (baseUrl: string) => ({
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: toKey(der),
    logId: { keyId },
  });
  const root = {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [logOf('https://rekor.test')],
    ctlogs: [logOf('https://ctfe.test')],
    certificateAuthorities: [
      {
        subject: { organization: 'test', commonName: 'test' },
        uri: 'https://fulcio.test',
        certChain: {
          certificates: [
            { rawBytes: Buffer.from(authority.rootCertificate as Uint8Array).toString('base64') },
          ],
        },
        validFor: { start },
      },
    ],
    timestampAuthorities: [],
  };
  writeFileSync(rootFile, JSON.stringify(root));
  return {
    rootFile,
    async sign(statement, repository) {
      const builder = new DSSEBundleBuilder({
        signer: new FulcioSigner({
          fulcioBaseURL: fulcio.url,
          identityProvider: { getToken: async () => toToken(repository) },
        }),
        witnesses: [new RekorWitness({ rekorBaseURL: rekor.url, entryType: 'intoto' })],
      });
      const data = Buffer.from(JSON.stringify(statement));
      return bundleToJSON(await builder.create({ data, type: 'application/vnd.in-toto+json' }));
    },
    async close() {
      await Promise.all([fulcio.close(), rekor.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}
