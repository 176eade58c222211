import type { Context } from '../../context.ts';
import { isOnNamespace } from '../../core/identity.ts';
import { dayText } from '../../core/text.ts';
import { code, join, own, say, source, type Words } from '../../core/words.ts';
import type { Listing } from '../../listings/listing.ts';
import { toReferences } from '../../listings/references/name.ts';
import { type Reference, toHost } from '../../listings/references/references.ts';

/** With its query and without. */
export const keysOf = (address: string): string[] =>
  toReferences(address).flatMap(({ kind, key }) => (kind === 'endpoint' ? [key] : []));

export const hostsOf = (text: string): string[] =>
  toReferences(text).flatMap(({ kind, key }) =>
    kind === 'endpoint' ? [toHost(key)] : kind === 'host' ? [key] : [],
  );

/** Beyond this number `findHolder` does not choose by the namespace. */
export const mostAtAddress = 100;

const mostNamed = 2;

function recordWords(all: readonly Listing[], what: Words): Words {
  const named = all.slice(0, mostNamed).map(({ handle, updated_at, undated }) => ({
    name: code(handle),
    from: source('record', undated ? undefined : dayText(updated_at)),
  }));
  const [only, other] = named;
  if (!only) return say``;
  if (!other) return say`${only.name} records ${what}${only.from}.`;
  const number = all.length > mostAtAddress ? say`More than ${mostAtAddress}` : say`${all.length}`;
  const shown = join(
    named.map(({ name, from }) => say`${name}${from}`),
    ' and ',
  );
  return say`${number} listings record ${what}${all.length > mostNamed ? own(', among them') : own(':')} ${shown}.`;
}

const firstFound = async (
  kind: 'endpoint' | 'host',
  keys: readonly string[],
  { store }: Pick<Context, 'store'>,
): Promise<readonly Listing[]> => {
  const references: Reference[] = keys.map((key) => ({ kind, key }));
  const all = await store.listings.recording(references, mostAtAddress + 1);
  return all.find((some) => some.length > 0) ?? [];
};

/** `named` stands for the address. Listings on its domain come first, because anybody may record it. */
export async function recordedBy(
  address: string,
  named: Words,
  context: Pick<Context, 'store'>,
): Promise<Words> {
  const all = await firstFound('endpoint', keysOf(address), context);
  const isHeld = ({ handle }: Listing) => Number(isOnNamespace(handle, address));
  return recordWords(
    all.toSorted((a, b) => isHeld(b) - isHeld(a)),
    named,
  );
}

export const recordedBesideBy = async (address: string, context: Pick<Context, 'store'>): Promise<Words> =>
  recordWords(await firstFound('host', hostsOf(address), context), own('another address at its host'));
