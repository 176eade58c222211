import { count, own, quote, say, type Words } from '../../core/words.ts';
import type { ListingInput, ListingPackage } from '../../listings/listing.ts';
import type { Observation } from '../../observations/known/observation.ts';
import { type OffersSummary, offersSummary } from '../../observations/known/prices/offer.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import { offerCells, offerHeads, placeTitle } from '../../observations/known/prices/words.ts';
import { inputName, inputNoun, packageName, typeWords } from '../sentences.ts';

/** For several of one sort, where a sentence about each would be long. */
export interface FactTable {
  readonly caption: Words;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Words[])[];
}

export const isInTable = ({ count: all, place }: OffersSummary): boolean =>
  all > 1 && place !== 'capabilities';

export function offersTable({ kind, value }: Pick<Observation, 'kind' | 'value'>): FactTable | undefined {
  const { data } = kind === priceOffers.kind ? offersSummary.safeParse(value) : {};
  if (!data || !isInTable(data)) return undefined;
  const caption = data.place === 'quote' ? own('Offers in the answer of the endpoint') : placeTitle(data);
  const ofTools = data.offers.some((one) => one.for !== undefined);
  const from = ofTools ? 0 : 1;
  return {
    caption: say`${caption}: ${data.offers.length} of ${count(data.count, 'offer')}`,
    heads: offerHeads.slice(from),
    rows: data.offers.map((one) => offerCells(one).slice(from)),
  };
}

const none = own('');
const yesOrNo = (is: boolean) => (is ? own('yes') : own('no'));

export const inputHeads = ['Name', 'Needed', 'Secret', 'Where it goes', 'Description'] as const;

/** What `inputWords` says, for the columns of `inputHeads`. */
export const inputCells = (input: ListingInput, place: Words): Words[] => [
  inputName(input),
  yesOrNo(input.required),
  input.unmarked ? own('not marked') : yesOrNo(input.secret),
  inputNoun(input, place),
  input.description === undefined ? none : quote(input.description),
];

export const packagesTable = (packages: readonly ListingPackage[]): FactTable | undefined =>
  packages.length < 2
    ? undefined
    : {
        caption: say`${count(packages.length, 'package')} in the record`,
        heads: ['Registry', 'Package', 'Transport', 'Inputs'],
        rows: packages.map((one) => [
          typeWords(one.registry_type),
          packageName(one),
          one.transport === undefined ? none : typeWords(one.transport),
          say`${one.inputs?.length ?? 0}`,
        ]),
      };
