import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { ioError } from '../core/process.ts';
import type { ListingDocument } from '../document/listing-document.ts';

const inputs = z
  .array(z.looseObject({ name: z.string(), required: z.boolean(), secret: z.boolean() }))
  .optional();

/** What a lock reads, because other documents may lack it. */
export const documentForm = z.looseObject({
  handle: z.string(),
  version: z.string(),
  updated_at: z.string().optional(),
  origin_status: z.string(),
  state: z.string(),
  evidence_snapshot_date: z.string(),
  repository: z.string().optional(),
  remotes: z.array(z.looseObject({ type: z.string(), url: z.string(), inputs })),
  packages: z.array(z.looseObject({ registry_type: z.string(), identifier: z.string(), inputs })),
  observations: z.array(z.looseObject({ kind: z.string(), outcome: z.string() })),
  claim: z.looseObject({ claimed_at: z.string(), history: z.array(z.looseObject({})) }).nullish(),
});

/** All lines together may be longer than a string can be. */
function* parseValues(bytes: Buffer): Generator<unknown> {
  if (/^\s*\[/.test(bytes.toString('utf8', 0, 64)))
    return yield* JSON.parse(bytes.toString('utf8').trim()) as unknown[];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start);
    const line = bytes.toString('utf8', start, end === -1 ? undefined : end).trim();
    if (line) yield JSON.parse(line);
    start = end === -1 ? bytes.length : end + 1;
  }
}

/** A JSON array or a document a line, gzipped or not. */
export function readDocuments(file: string): Map<string, ListingDocument> {
  try {
    const bytes = readFileSync(file);
    const documents = new Map<string, ListingDocument>();
    for (const value of parseValues(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes)) {
      const document = documentForm.parse(value);
      documents.set(document.handle, document as unknown as ListingDocument);
    }
    return documents;
  } catch {
    throw ioError(
      `${file}: not a file of listing documents (of a dump: evidence-*.jsonl.gz), as JSON or one a line; an address begins with http:// or https://`,
    );
  }
}
