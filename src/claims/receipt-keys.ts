import { hash } from 'node:crypto';
import { z } from 'zod';
import { toCanonicalJson } from '../log/leaf.ts';
import type { PublishedKey } from '../receipt/index.ts';
import { json, oneOf, optional, type TableValue, table, text } from '../store/table.ts';
import { type ClaimKind, claimKind, placeMember, receiptJwk } from './claim.ts';

export const receiptKeyTable = table('receipt_key', ['handle', 'kid', 'valid_from'], {
  handle: text,
  kid: text,
  jwk: json<PublishedKey['jwk']>(),
  valid_from: text,
  valid_until: optional(text),
  kind: oneOf<ClaimKind>(),
  place: text,
  commit: optional(text),
});
/**
 * The period in which Dossier saw the key published (RFC 3339). Location and commit are of the check that
 * first saw it.
 */
export type ReceiptKey = Omit<TableValue<typeof receiptKeyTable>, 'handle'>;
const toDigest = (text: string, form: 'hex' | 'base64url' = 'hex') => hash('sha256', text, form);
/**
 * Digests, so that the log contains no text of the publisher. RFC 7638 thumbprints of keys, SHA-256 of names.
 */
export const toLoggedKeys = (
  published: readonly Pick<ReceiptKey, 'kid' | 'jwk'>[],
  ended: readonly string[],
) => ({
  published: published.map(({ kid, jwk }) => ({
    kid_sha256: toDigest(kid),
    jwk_thumbprint: toDigest(toCanonicalJson(jwk), 'base64url'),
  })),
  ended: ended.map((kid) => toDigest(kid)),
});
export type LoggedKeys = ReturnType<typeof toLoggedKeys>;

export const shownReceiptKey = z.object({
  kid: z.string(),
  jwk: receiptJwk,
  valid_from: z.string().describe('When Dossier recorded the key'),
  valid_until: z.string().optional().describe('When Dossier first missed the key, or suspended the claim'),
  kind: claimKind,
  repository: z.string().optional(),
  domain: z.string().optional(),
  commit: z.string().optional().describe('The commit that Dossier read when it recorded the key'),
});
const mostShown = 20;

/** Newest first. */
export const toShownKeys = (oldestFirst: readonly ReceiptKey[]): z.infer<typeof shownReceiptKey>[] =>
  oldestFirst
    .toReversed()
    .slice(0, mostShown)
    .map(({ place, ...key }) => ({ ...key, ...placeMember(key.kind, place) }));
