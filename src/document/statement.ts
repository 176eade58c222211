import type { Context } from '../context.ts';
import { openLogKey } from '../log/checkpoints.ts';
import { type Envelope, toEnvelope } from '../log/envelope.ts';
import { canonicalDigest } from '../log/leaf.ts';
import { isDated } from '../observations/observation.ts';
import type { ListingDocument } from './listing-document.ts';
import { readLogHead, toDatedFacts } from './registry-entries.ts';

/**
 * An in-toto Statement v1, signed by the key of the newest log: what this service knew of a listing, each fact with its date. The
 * subject is the listing document, by the SHA-256 of its RFC 8785 JSON.
 */
export async function toSignedStatement(document: ListingDocument, context: Context): Promise<Envelope> {
  const { handle, sample, links, observations } = document;
  const facts = toDatedFacts(document, await readLogHead(context), observations.filter(isDated));
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: handle, uri: links.json, digest: { sha256: canonicalDigest(document) } }],
    predicateType: `${context.config.publicUrl}/about#evidence-v1`,
    predicate: { ...facts, ...(sample && { sample }), untrusted_fields: ['observations'] },
  };
  const log = (await context.store.log.heads()).at(-1);
  const key = await openLogKey(context, log?.id ?? 1);
  return toEnvelope('application/vnd.in-toto+json', JSON.stringify(statement), key);
}
