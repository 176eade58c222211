import { type PublishedKey, toPublicJwk } from '../../receipt/published-key.ts';
import { readBase64Object } from '../text/json-object.ts';

/** A key for receipts and the time in which Dossier saw it published, RFC 3339; without an end it is published still. */
export interface ReceiptKey extends PublishedKey {
  readonly valid_from: string;
}

/** A line `receipt-key <kid> <base64url of the public JWK>`. */
export type ReceiptKeyLine = Pick<PublishedKey, 'kid' | 'jwk'>;

/** Keys of one listing at a time. */
const mostKeys = 5;

const line = /^[ \t]*receipt-key[ \t]+([!-~]{1,256})[ \t]+([\w-]{40,1000})[ \t]*$/;

/**
 * The keys for receipts in a claim file, each name once, the first five. A line with a private key, another curve or
 * anything else that is no public JWK does not count.
 */
export function parseReceiptKeys(text: string): readonly ReceiptKeyLine[] {
  const keys = new Map<string, ReceiptKeyLine>();
  for (const [, kid = '', encoded = ''] of text.split(/[\r\n]+/).flatMap((row) => [line.exec(row) ?? []])) {
    const jwk = toPublicJwk(readBase64Object(encoded) ?? {});
    if (jwk && !keys.has(kid) && keys.size < mostKeys) keys.set(kid, { kid, jwk });
  }
  return [...keys.values()];
}
