import type { ListingRemote } from '../listings/listing.ts';

/** What was recorded for one endpoint, with and without a credential, as one. */
function joined(same: readonly ListingRemote[]): ListingRemote[] {
  const [first, other] = same;
  if (!first || !other) return [...same];
  const all = Map.groupBy(
    same.flatMap(({ inputs = [] }) => inputs),
    ({ kind, name }) => `${kind} ${name}`,
  );
  const inputs = [...all.values()].flatMap((some) => {
    const required = some.filter((input) => input.required).length === same.length;
    return some.slice(0, 1).map((one) => ({ ...one, required }));
  });
  const unread = [...new Set(same.flatMap((one) => one.unread ?? []))];
  return [{ ...first, ...(inputs.length > 0 && { inputs }), ...(unread.length > 0 && { unread }) }];
}

/** An endpoint once, in each of its transports. */
export const onceEach = (remotes: readonly ListingRemote[]): ListingRemote[] =>
  [...Map.groupBy(remotes, ({ type, url }) => `${type} ${url}`).values()].flatMap(joined);
