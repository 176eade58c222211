import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { ExitError, exitCodes } from '../core/process.ts';
import type { ListingDocument } from '../document/listing-document.ts';

/** The members of a listing document that a lock reads; what comes from elsewhere may lack any of them. */
export const documentForm = z.looseObject({
  handle: z.string(),
  version: z.string(),
  updated_at: z.string(),
  origin_status: z.string(),
  state: z.string(),
  evidence_snapshot_date: z.string(),
  repository: z.string().optional(),
  remotes: z.array(z.looseObject({ type: z.string(), url: z.string() })),
  packages: z.array(z.looseObject({ registry_type: z.string(), identifier: z.string() })),
  observations: z.array(z.looseObject({ kind: z.string(), state: z.string() })),
  claim: z.looseObject({ claimed_at: z.string(), history: z.array(z.looseObject({})) }).nullish(),
});

/** A listing document. Throws on anything else. */
const readDocument = (value: unknown) => documentForm.parse(value) as unknown as ListingDocument;

/** Listing documents of a file, gzipped or not: a JSON array, or one document a line. Throws ExitError. */
export function readDocuments(file: string): Map<string, ListingDocument> {
  try {
    const bytes = readFileSync(file);
    const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8').trim();
    const documents = text.startsWith('[')
      ? (JSON.parse(text) as unknown[])
      : text.split('\n').map((line): unknown => JSON.parse(line));
    return new Map(documents.map(readDocument).map((document) => [document.handle, document]));
  } catch {
    throw new ExitError(
      exitCodes.io,
      `${file}: not a file of listing documents (of a dump: evidence-*.jsonl.gz), as JSON or one a line`,
    );
  }
}
