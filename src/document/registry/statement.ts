import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { openLogKey } from '../../log/checkpoints.ts';
import { type Envelope, toEnvelope } from '../../log/envelope.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { predicateName, statementType } from '../../log/verify.ts';
import { isDated } from '../../observations/known/observation.ts';
import type { ListingDocument } from '../listing-document.ts';
import { readLogHead, toDatedFacts } from './entries.ts';

/**
 * An in-toto Statement v1 in a DSSE envelope, signed with the current key of the log. Its subject is the
 * document, by the SHA-256 of its RFC 8785 JSON. Throws not_found for the sample.
 */
export async function toSignedStatement(document: ListingDocument, context: Context): Promise<Envelope> {
  const { handle, sample, links, observations, origin, origin_note, moderation } = document;
  if (sample) throw new Problem('not_found', 'Nothing is stated about a listing of the sample.');
  const facts = toDatedFacts(document, await readLogHead(context), observations.filter(isDated));
  const statement = {
    _type: statementType,
    subject: [{ name: handle, uri: links.json, digest: { sha256: canonicalDigest(document) } }],
    predicateType: `${context.config.publicUrl}${predicateName}`,
    predicate: {
      stated_at: context.clock().toISOString(),
      ...(document.as_of && { as_of: document.as_of.day }),
      origin,
      origin_note,
      moderation,
      ...facts,
      untrusted_fields: ['observations'],
    },
  };
  const log = (await context.store.log.heads()).at(-1);
  return toEnvelope(JSON.stringify(statement), await openLogKey(context, log?.id ?? 1));
}
