import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import type { Look } from '../../../observation/look.ts';
import { asObject, type JsonObject, readBase64Object, readObject } from '../../../text/json-object.ts';
import { notChecked, type Shown } from './signed-offer.ts';

const algorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519'];

/** Where the document of a did:web is, and whose host that is. */
function didWebUrl(did: string): URL | undefined {
  const [host, ...path] = did.slice('did:web:'.length).split(':');
  const at = path.length > 0 ? `/${path.join('/')}/did.json` : '/.well-known/did.json';
  return URL.parse(`https://${decodeURIComponent(host ?? '')}${at}`) ?? undefined;
}

interface Key {
  readonly jwk: unknown;
  readonly host?: string;
}

/** A key that a did:web document publishes under the name. */
async function keyOfWeb(look: Look, did: string, name: string): Promise<Key | undefined> {
  const url = didWebUrl(did);
  if (!url) return undefined;
  const answer = await look.get(url.href);
  if (answer.result !== 'response' || answer.status !== 200) return undefined;
  const methods = readObject(answer.text)?.verificationMethod;
  const named = (Array.isArray(methods) ? methods : [])
    .map(asObject)
    .find((method) => method?.id === name || method?.id === name.slice(name.indexOf('#')));
  return named && { jwk: named.publicKeyJwk, host: url.host };
}

/** The key that a `kid` names: did:jwk holds it, did:web publishes it. */
async function findKey(look: Look, kid: string): Promise<Key | undefined> {
  const [did = ''] = kid.split('#');
  if (did.startsWith('did:jwk:')) return { jwk: readBase64Object(did.slice('did:jwk:'.length)) };
  return did.startsWith('did:web:') ? keyOfWeb(look, did, kid) : undefined;
}

async function isSignedBy(jws: string, jwk: unknown, alg: string): Promise<boolean> {
  try {
    await compactVerify(jws, await importJWK(jwk as JWK, alg), { algorithms });
    return true;
  } catch {
    return false;
  }
}

/** The payload of a compact JWS, not verified. */
export const payloadOf = (jws: string): JsonObject | undefined => readBase64Object(jws.split('.')[1] ?? '');

/** Checks a compact JWS by the key that its `kid` names (did:web or did:jwk). `host` is the endpoint's. Never throws. */
export async function checkJws(look: Look, jws: string, host: string): Promise<Shown> {
  try {
    const { kid, alg } = decodeProtectedHeader(jws);
    if (kid === undefined || alg === undefined || !algorithms.includes(alg)) return notChecked;
    const key = await findKey(look, kid);
    const signer = kid.slice(0, 300);
    if (!asObject(key?.jwk)) return { ...notChecked, signer };
    if (!(await isSignedBy(jws, key?.jwk, alg)))
      return { signature: 'invalid', signer, authorisation: 'none' };
    return { signature: 'valid', signer, authorisation: key?.host === host ? 'host' : 'none' };
  } catch {
    return notChecked;
  }
}
