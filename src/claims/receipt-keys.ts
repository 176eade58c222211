import { hash } from 'node:crypto';
import { z } from 'zod';
import { toCanonicalJson } from '../log/leaf.ts';
import type { PublishedKey } from '../receipt/index.ts';
import { json, oneOf, optional, table, text, type ValueOf } from '../store/table.ts';
import { type ClaimKind, claimKind, placeMember, receiptJwk } from './claim.ts';

export const receiptKeyTable = table({
  handle: text,
  kid: text,
  jwk: json<PublishedKey['jwk']>(),
  valid_from: text,
  valid_until: optional(text),
  kind: oneOf<ClaimKind>(),
  /** The repository's address, or the domain. */
  place: text,
  /** In a repository, the commit that was read. */
  commit: optional(text),
});
/**
 * A key for receipts and the time in which Dossier saw it published, RFC 3339; without an end it is published
 * still. Location and commit are those where it was first seen.
 */
export type ReceiptKey = Omit<ValueOf<typeof receiptKeyTable>, 'handle'>;
/** A key for receipts as a check saw it. */
export type SeenReceiptKey = Omit<ReceiptKey, 'valid_from' | 'valid_until'>;

const toDigest = (text: string, form: 'hex' | 'base64url' = 'hex') => hash('sha256', text, form);
/**
 * What a check changes, as the log has it: the SHA-256 of each name, since nobody could take back its text,
 * and RFC 7638 thumbprints.
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

/** A key for receipts in documents: what `verifyReceipt` takes, and where it was first seen. */
export const shownReceiptKey = z.object({
  kid: z.string(),
  jwk: receiptJwk,
  valid_from: z.string().describe('When Dossier first saw it there'),
  valid_until: z.string().optional().describe('When Dossier first missed it, or suspended the claim'),
  kind: claimKind,
  repository: z.string().optional(),
  domain: z.string().optional(),
  commit: z.string().optional().describe('Whose claim file it was first seen in'),
});
/** Keys of one document; ended ones beyond these are of receipts that few still hold. */
const mostShown = 20;

/** The newest twenty keys of a listing, newest first, those that ended included. */
export const toShownKeys = (oldestFirst: readonly ReceiptKey[]): z.infer<typeof shownReceiptKey>[] =>
  oldestFirst
    .toReversed()
    .slice(0, mostShown)
    .map(({ place, ...key }) => ({ ...key, ...placeMember(key.kind, place) }));
