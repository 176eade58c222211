import { html } from 'hono/html';
import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { Html } from './html.ts';

/** That a listing is a sample, or from a saved copy; nothing for any other listing. */
export const originNote = ({ origin_note }: Pick<ListingDocument, 'origin_note'>): Html | '' =>
  origin_note === undefined ? '' : html`<p class="note">${origin_note}</p>`;
