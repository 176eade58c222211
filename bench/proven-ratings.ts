import { generateKeyPairSync, sign } from 'node:crypto';
import { openSqliteStore } from '../src/app/sqlite-store.ts';
import { capabilityHash } from '../src/core/keys/capability.ts';
import type { Sent } from './load.ts';
import { prepareRated } from './rated-database.ts';
import { toRating, toRatingRequest } from './rating-requests.ts';

const kid = '2026-11';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'EdDSA', kid });

/** Publishes the key for every rated listing; returns the handle of each capability. */
async function publishKey(url: string, rated: readonly { capability: string; handle: string }[]) {
  const store = await openSqliteStore(url);
  const sources = new Map<string, string>();
  try {
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const;
    const at = new Date(Date.now() - 60_000).toISOString();
    await store.write(async (tx) => {
      for (const { capability, handle } of rated) {
        const keys = [{ kid, jwk, kind: 'repository' as const, place: 'https://github.com/bench/bench' }];
        await tx.claims.putReceiptKeys(handle, { keys, at, isComplete: true });
        sources.set(capability, (await tx.claims.capability(capabilityHash(capability)))?.handle ?? '');
      }
    });
  } finally {
    await store.close();
  }
  return sources;
}

/** The same rating with a receipt that the rated listing signed. */
function withReceipt(rating: ReturnType<typeof toRating>, source: string) {
  const iat = Math.floor(Date.now() / 1000);
  const payload = encode({ iss: rating.handle, sub: source, jti: rating.interaction_id, iat });
  const signature = sign(null, Buffer.from(`${header}.${payload}`), privateKey).toString('base64url');
  return { ...rating, proof: { kind: 'service_receipt', value: `${header}.${payload}.${signature}` } };
}

/** A database of claimed listings, and requests that rate others: without a proof, and with one. */
export async function prepareProven(
  folder: string,
): Promise<{ url: string; plain: readonly Sent[]; proven: readonly Sent[] }> {
  const { url, rated } = await prepareRated(folder);
  const sources = await publishKey(url, rated);
  const toProven = ({ capability, handle }: (typeof rated)[number]): Sent => ({
    ...toRatingRequest(capability, handle),
    setupRequest: (sent) => ({
      ...sent,
      body: JSON.stringify(withReceipt(toRating(handle), sources.get(capability) ?? '')),
    }),
  });
  return {
    url,
    plain: rated.map(({ capability, handle }) => toRatingRequest(capability, handle)),
    proven: rated.map(toProven),
  };
}
