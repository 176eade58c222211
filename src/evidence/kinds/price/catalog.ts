import type { NoAnswer } from '../../observation/answer.ts';
import type { CatalogLook } from '../../observation/catalog-look.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Finding } from '../../observation/observation.ts';
import { asObject } from '../../text/json-object.ts';
import { withoutAnswer } from '../remotes.ts';
import { readAcceptedV1 } from './formats/x402-v1.ts';
import { readAcceptedV2 } from './formats/x402-v2.ts';
import { decodeOffers, offerText } from './offer.ts';

const noneConfigured: NoAnswer = {
  result: 'not_checked',
  reason: 'This service is not configured to read catalogues of prices (PRICE_CATALOGS).',
};

const readAccepted = (one: unknown) =>
  asObject(one)?.maxAmountRequired === undefined ? readAcceptedV2(one) : readAcceptedV1(one);

type Found = Pick<Finding, 'value' | 'state' | 'reason' | 'details'>;

function read(look: CatalogLook): Found {
  if (look.result !== 'read') return withoutAnswer(look);
  const { item, read_at } = look;
  const when = `Dossier read the catalogue on ${read_at.slice(0, 10)}`;
  if (!item) return { value: null, state: 'not_found', reason: `${when}; it does not list this endpoint.` };
  const { offers } = decodeOffers(item.accepts, readAccepted);
  const [first] = offers;
  if (!first) {
    const reason = `${when}; it lists this endpoint without a price that Dossier can read.`;
    return { value: null, state: 'unrecognised', reason };
  }
  const more = offers.length > 1 ? `; ${offers.length - 1} more` : '';
  const details = { offers, ...(item.last_updated && { last_updated: item.last_updated }) };
  return { value: `${offerText(first)}${more}`, state: 'advertised', reason: `${when}.`, details };
}

/** The prices that a catalogue lists for the recorded endpoints. */
export const priceCatalog = defineKind({
  kind: 'price.catalog',
  question: 'price',
  title: 'Prices in a catalogue',
  means:
    'What a catalogue that the operator of this Dossier configured (x402 Bazaar) lists for exactly this address.',
  doesNotMean: 'A catalogue is the word of a third party; the endpoint may ask for another price.',
  method_version: 'price/1',
  about: ({ remotes }) => remotes.map(({ url }) => ({ recorded: url })),
  isOptional: true,
  async check(look) {
    const found: Finding[] = [];
    const { remotes } = look.listing;
    for (const { url } of remotes)
      for (const listed of await look.catalogs(url)) {
        const source = new URL(listed.catalog).host;
        found.push({
          subject: `${url} in ${source}`,
          recorded: url,
          ...read(listed),
          source,
          source_url: listed.catalog,
        });
      }
    return found.length === 0 && remotes.length > 0 ? [withoutAnswer(noneConfigured)] : found;
  },
});
