import type { Context } from '../../context.ts';
import { isEmpty, join } from '../../core/words.ts';
import { malwareBeside } from '../../document/asked-part.ts';
import { givenWords } from './asked-command.ts';
import { askedVersion, noticesOfOther, readOfRecord } from './asked-version.ts';
import { findListingFacts, toReadDocument } from './listing.ts';

/**
 * A listing by any of its names. If one endpoint or package of several is named, the document is of it
 * alone. `then`: the context of the day as of which it is read. Throws as findNamed and readFacts do.
 */
export async function readAsked(named: string, context: Context, then: Context = context) {
  const found = await findListingFacts(named, context, then);
  const { facts, shown, name, found_by, beside, part_asked, formerly } = found;
  const document = toReadDocument(facts, then, shown);
  const ofRecord = await readOfRecord(name.text, document, then);
  const known = { listing: document, observations: document.observations, ofRecord };
  const { notices, ofVersion } = noticesOfOther(name.text, known);
  const said = join([askedVersion(name.text, known, beside), givenWords(name, document)], ' ');
  const ofWhole = facts.observed?.observations ?? [];
  return {
    facts,
    document,
    found_by,
    beside,
    part_asked,
    version_asked: isEmpty(said) ? undefined : said,
    notices: [...notices, ...(part_asked ? malwareBeside(ofWhole, document.observations) : [])],
    formerly,
    ofVersion,
  };
}
