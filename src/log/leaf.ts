import { createHash, hash, randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';
import { readObject } from '../core/json.ts';
import type { Change } from './change.ts';
import { leafHash } from './merkle.ts';

/** docs/log.md */
export type LeafType =
  | Exclude<Change['type'], 'listing.new' | 'listing.changed' | `view.${string}`>
  | 'record.erased'
  | 'log.continued';

/** RFC 8785. Undefined members are left out. */
export function toCanonicalJson(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('a value without a JSON form');
  return text;
}

/** Hex. */
export const canonicalDigest = (value: object): string => hash('sha256', toCanonicalJson(value));

/**
 * Record and salt (base64) are stored apart from the leaf, so that deleting them erases what it commits to
 * (docs/log.md). The hash is that of RFC 6962 in hex.
 */
export function toLeaf(type: LeafType, publicRecord: object, salt = randomBytes(16)) {
  const record = toCanonicalJson(publicRecord);
  const commitment = createHash('sha256').update(salt).update(record).digest('base64');
  const leaf = toCanonicalJson({ v: 1, t: type, c: commitment });
  return { type, leaf, hash: leafHash(leaf).toString('hex'), salt: salt.toString('base64'), record };
}

export type Leaf = ReturnType<typeof toLeaf>;

/** The record has the exact bytes that were hashed. */
export type CommittedRecord = Pick<Leaf, 'record' | 'salt'>;

export const isCommittedTo = (leaf: string, { record, salt }: CommittedRecord): boolean =>
  readObject(leaf)?.c ===
  createHash('sha256').update(Buffer.from(salt, 'base64')).update(record).digest('base64');
