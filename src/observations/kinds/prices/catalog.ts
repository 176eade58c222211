import { day, join, own, say } from '../../../core/words.ts';
import { notAsked } from '../../../net/answer.ts';
import { defineKind } from '../../kind.ts';
import type { Finding } from '../../observation.ts';
import { type RemoteFinding, withoutAnswer } from '../../remotes.ts';
import type { CheckRun } from '../../run.ts';
import { comparePriceLists, joinPart, priceListChange, priceListWeight } from './price-list-change.ts';
import {
  acceptedOf,
  statesNone,
  statesPrices,
  type ToolOffer,
  toolOffers,
  toolOffersWords,
  unlistedOf,
  unlistedWords,
} from './tool-offers.ts';

type ListedCatalog = Awaited<ReturnType<CheckRun['catalogs']>>[number];

async function readCatalog(
  found: ListedCatalog,
  url: string,
  run: CheckRun,
): Promise<RemoteFinding<ToolOffer[]>> {
  if (found.result !== 'read') return withoutAnswer(found);
  const { listed: item, read_at, isWhole } = found;
  const when = say`Dossier read the catalogue on ${day(read_at)}`;
  if (!item) return statesNone(say`${when}; it does not list this endpoint.`);
  const read = item.tools.map(({ accepts, ...tool }) => ({ tool, found: acceptedOf(accepts) }));
  const isUnread = item.isUnread || read.some((one) => one.found.hasMore);
  const priced = read
    .map(({ tool, found: { offers, hasMore } }) => ({
      ...tool,
      offers,
      hasMore: hasMore || tool.hasMore || !isWhole,
    }))
    .filter(({ offers }) => offers.length > 0);
  if (priced.length === 0) {
    const why = say`${when}; it lists this endpoint without a price that Dossier can read.`;
    return { ...statesNone(why), ...((item.hasMore || isUnread || !isWhole) && { rule: 'part' }) };
  }
  const endpoint = await run.endpoint({ url });
  const unlisted = endpoint.result === 'answered' ? unlistedOf(priced, endpoint.list) : [];
  const last = priced
    .flatMap(({ last_updated }) => last_updated ?? [])
    .sort()
    .at(-1);
  const more = item.hasMore
    ? own('The catalogue lists more there; Dossier keeps at most 50 tools, and 20 ways to pay for each.')
    : own('');
  const rest = isWhole
    ? own('')
    : own('Dossier did not read the end of the catalogue, which may list more tools.');
  const unread = isUnread ? own('The catalogue states more there than Dossier can read.') : own('');
  const words = [say`${when}.`, unlistedWords(own('The catalogue'), unlisted, run.now), more, unread, rest];
  return {
    ...statesPrices(priced, {
      unlisted,
      hasMore: item.hasMore || isUnread || !isWhole,
      details: { read_at, ...(last !== undefined && { last_updated: last }) },
    }),
    why: join(words, ' '),
  };
}

/** A catalogue is named by its host, with the path if several are on one host. */
function toSource(catalogs: readonly string[]): (catalog: string) => string {
  const hosts = catalogs.map((catalog) => new URL(catalog).host);
  return (catalog) => {
    const { host, pathname } = new URL(catalog);
    return hosts.filter((one) => one === host).length > 1 ? `${host}${pathname}` : host;
  };
}

export const priceCatalog = defineKind({
  kind: 'price.catalog',
  answers: 'price',
  line: 'costs',
  isLocked: true,
  priced: own('A catalogue of prices lists the endpoint.'),
  question: 'price',
  title: 'Prices in a catalogue',
  topic: own('prices and payees in a catalogue'),
  means:
    'The offers that a catalogue configured by the operator of this Dossier (x402 Bazaar) lists for exactly this address, tool by tool.',
  doesNotMean: 'A catalogue is a third party’s word; the endpoint may ask for a different price.',
  value: toolOffers,
  say: toolOffersWords,
  sayChange: priceListChange(own('a catalogue')),
  weighChange: priceListWeight,
  comparePart: comparePriceLists,
  joinPart,
  isToldByChange: true,
  method_version: 'price/6',
  about: ({ remotes }) => remotes.map(({ url }) => ({ recorded: url })),
  isOptional: true,
  async check(run) {
    const found: Finding<ToolOffer[]>[] = [];
    const { remotes } = run.listing;
    for (const { url } of remotes) {
      const catalogs = await run.catalogs(url);
      const source = toSource(catalogs.map(({ catalog }) => catalog));
      for (const one of catalogs)
        found.push({
          subject: `${url} in ${source(one.catalog)}`,
          recorded: url,
          ...(await readCatalog(one, url, run)),
          source: source(one.catalog),
          source_url: one.catalog,
        });
    }
    const off = own('Dossier is not configured here to read catalogues of prices (PRICE_CATALOGS).');
    return found.length === 0 && remotes.length > 0 ? [withoutAnswer(notAsked(off))] : found;
  },
});
