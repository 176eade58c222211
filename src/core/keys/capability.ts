import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { cleanText } from '../text.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'dossier_cap_';
/** 43 for 32 random bytes, and 6 for the CRC-32 of the text before them (docs/claims.md). */
const base62Length = 49;
const embedded = new RegExp(`${prefix}[0-9A-Za-z]{${base62Length}}`, 'g');
const form = new RegExp(`^${embedded.source}$`);
/** Logs have to mask a truncated one, too. */
const lookalike = new RegExp(`${prefix}[0-9A-Za-z]+`, 'g');

function base62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < length; digit++) {
    text = alphabet[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}

function checksum(text: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(text));
  return base62(sum, 6);
}

export function createCapability(): string {
  const body = prefix + base62(randomBytes(32), 43);
  return body + checksum(body);
}

export const isCapability = (text: string): boolean =>
  form.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);

export const findCapabilities = (text: string): string[] => [
  ...new Set((text.match(embedded) ?? []).filter(isCapability)),
];

export const maskCapabilities = (text: string): string =>
  // Every log line passes here, and finding the prefix is much faster.
  text.includes(prefix) ? text.replace(lookalike, `${prefix}[masked]`) : text;

/** In hex, the only form that is stored. */
export const capabilityHash = (capability: string): string => hash('sha256', capability);

export const capabilityId = (hash: string): string => hash.slice(0, 16);

function findFirst<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found) return found;
  }
  return undefined;
}

/** The first text in the form of a capability, in names of members too, whatever its checksum. */
export function findSecret(value: unknown): string | undefined {
  if (typeof value === 'string') {
    // Cleaning makes at most one ASCII character of a code unit.
    if (value.length < prefix.length + base62Length) return undefined;
    // What is removed before a text is stored must not hide a capability.
    const { text } = cleanText(value);
    return text.includes(prefix) ? text.match(embedded)?.[0] : undefined;
  }
  if (Array.isArray(value)) return findFirst(value, findSecret);
  if (typeof value !== 'object' || value === null) return undefined;
  return findFirst(Object.entries(value), ([name, inner]) => findSecret(name) ?? findSecret(inner));
}
