import type { PublishedKey } from '../../receipt/published-key.ts';

/** A key for receipts and the time in which Dossier saw it published, RFC 3339; without an end it is published still. */
export interface ReceiptKey extends PublishedKey {
  readonly valid_from: string;
}
