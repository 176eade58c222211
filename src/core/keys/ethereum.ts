import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { attempt, type JsonObject } from '../json.ts';

const hash = (...parts: readonly Uint8Array[]): Uint8Array => keccak_256(Buffer.concat(parts));
const ofText = (text: string) => hash(Buffer.from(text));
const uint256 = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** EIP-712; members are in order. */
export interface TypedStruct {
  /** With version 1 and chain 1. */
  readonly domain: string;
  readonly name: string;
  readonly members: Readonly<Record<string, 'string' | 'uint256'>>;
}

const domainHash = (name: string) =>
  hash(
    ofText('EIP712Domain(string name,string version,uint256 chainId)'),
    ofText(name),
    ofText('1'),
    uint256(1n),
  );

function encodeMember(type: 'string' | 'uint256', value: unknown): Uint8Array | undefined {
  if (type === 'string') return typeof value === 'string' ? ofText(value) : undefined;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? uint256(BigInt(Number(value))) : undefined;
}

/** What the signature covers. Undefined for a wrong type, and a negative or unsafe number. */
export function typedHash({ domain, name, members }: TypedStruct, payload: JsonObject) {
  const types = Object.entries(members);
  const type = `${name}(${types.map(([member, kind]) => `${kind} ${member}`).join(',')})`;
  const encoded = types.map(([member, kind]) => encodeMember(kind, payload[member]));
  const values = encoded.filter((value) => value !== undefined);
  if (values.length < encoded.length) return undefined;
  return hash(Buffer.of(0x19, 0x01), domainHash(domain), hash(ofText(type), ...values));
}

/** As a wallet signs a text (ERC-191, version E). */
export const messageHash = (text: string): Uint8Array =>
  ofText(`\x19Ethereum Signed Message:\n${Buffer.byteLength(text)}${text}`);

const toAddress = (point: Uint8Array) => `0x${Buffer.from(keccak_256(point).subarray(12)).toString('hex')}`;

/** Of a secp256k1 key in base64url. */
export const addressOf = ({ x, y }: { readonly x: string; readonly y: string }): string =>
  toAddress(Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]));

const form = /^0x([\da-f]{128})(00|01|1b|1c)$/i;

/** In lower case, from a signature of 65 bytes in hex. */
export function recoverAddress(signature: string, digest: Uint8Array): string | undefined {
  const [, compact, v] = form.exec(signature) ?? [];
  if (compact === undefined || v === undefined) return undefined;
  const recovery = Number.parseInt(v, 16) % 27;
  const bytes = Buffer.from(`0${recovery}${compact}`, 'hex');
  const key = attempt(() => secp256k1.recoverPublicKey(bytes, digest, { prehash: false }));
  return key && toAddress(secp256k1.Point.fromBytes(key).toBytes(false).subarray(1));
}
