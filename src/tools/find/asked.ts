import type { Context } from '../../context.ts';
import { askedPart, atPart, malwareBeside } from '../../document/asked-part.ts';
import { readName } from '../../listings/references/name.ts';
import { askedVersion, noticesOfOther, readOfRecord } from './asked-version.ts';
import { findNamed, readFacts, toReadDocument } from './listing.ts';

/**
 * A listing by any of its names. If one endpoint or package of several is named, the document is of it
 * alone. `then`: the context of the day as of which it is read. Throws as findNamed and readFacts do.
 */
export async function readAsked(named: string, context: Context, then: Context = context) {
  const { handle, found_by, beside } = await findNamed(named, context);
  const facts = await readFacts(handle, then);
  const part = askedPart(facts.listing, readName(named, context.config.publicUrl));
  const document = toReadDocument(facts, then, part && atPart(facts, part));
  const ofRecord = await readOfRecord(named, document, then);
  const known = { listing: document, observations: document.observations, ofRecord };
  const { notices, isUnreported } = noticesOfOther(named, known);
  const ofWhole = facts.observed?.observations ?? [];
  return {
    facts,
    document,
    found_by,
    beside,
    part_asked: part?.about,
    version_asked: askedVersion(named, known, beside),
    notices: [...notices, ...(part ? malwareBeside(ofWhole, document.observations) : [])],
    isUnreported: !beside && isUnreported === true,
  };
}
