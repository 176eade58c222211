import type { Context } from '../../context.ts';
import type { WebRead } from '../../domains/reader.ts';
import { wellKnownPath } from '../../evidence/claim/methods/well-known.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import { toFileText } from '../../repositories/file-text.ts';
import type { PlaceCheck } from './place-check.ts';

function toCheck(read: WebRead, domain: string): PlaceCheck {
  const seen = { domain };
  if (read.result === 'absent') return { result: 'well_known_absent', pinned: true, seen };
  if (read.result === 'body') return { ...toFileText(read.body, read.contentType), pinned: true, seen };
  return { ...read, result: read.result, pinned: false };
}

/** Reads the claim file on the web server of a domain. */
export async function readWellKnown(
  { shown: domain }: ProofPlace,
  { domains, config }: Context,
): Promise<PlaceCheck> {
  return toCheck(await domains.file(new URL(`https://${domain}${wellKnownPath(config.claimFile)}`)), domain);
}
