import type { NoAnswer } from './answer.ts';

/** What a catalogue lists for one resource; untrusted. */
export interface CatalogItem {
  readonly accepts: readonly unknown[];
  /** As the catalogue states it. */
  readonly last_updated?: string;
}

/** A catalogue of prices: when it was read, and what it lists for the address that was asked for; or why it was not read. */
export type CatalogLook = { readonly catalog: string } & (
  | { readonly result: 'read'; readonly read_at: string; readonly item?: CatalogItem }
  | NoAnswer
);
