import { day, own, say } from '../../../core/words.ts';
import { notAsked } from '../../../net/answer.ts';
import { statesOffers } from '../../prices/offer.ts';
import type { CheckRun } from '../../run.ts';

/** A catalogue is named by its host, with the path if several are on one host. */
function toSource(catalogs: readonly string[]): (catalog: string) => string {
  const hosts = catalogs.map((catalog) => new URL(catalog).host);
  return (catalog) => {
    const { host, pathname } = new URL(catalog);
    return hosts.filter((one) => one === host).length > 1 ? `${host}${pathname}` : host;
  };
}

const off = own('Dossier is not configured here to read catalogues of prices (PRICE_CATALOGS).');

export async function catalogPrices(run: CheckRun, url: string) {
  const catalogs = await run.catalogs(url);
  if (catalogs.length === 0) return [{ source: 'a catalogue', source_url: undefined, found: notAsked(off) }];
  const toName = toSource(catalogs.map(({ catalog }) => catalog));
  return catalogs.map(({ catalog, ...found }) => {
    const named = { source: toName(catalog), source_url: catalog };
    if (found.result !== 'read') return { ...named, found };
    const { listed, read_at } = found;
    const when = say`Dossier read the catalogue on ${day(read_at)}`;
    if (!listed || listed.offers.length === 0) {
      const why = listed
        ? say`${when}; it lists this endpoint without a price.`
        : say`${when}; it does not list this endpoint.`;
      return { ...named, found: { value: null, outcome: 'nothing' as const, why } };
    }
    const { offers, last_updated } = listed;
    const as_seen = { read_at, ...(last_updated !== '' && { last_updated }) };
    return { ...named, found: { ...statesOffers('catalog', offers), why: say`${when}.`, as_seen } };
  });
}
