import type { Context } from '../../context.ts';
import { domainsAbove } from '../../evidence/claim/domain.ts';

/**
 * The domains whose records count for a listing, the nearest first. While a claim stands by a domain, only that one and those
 * above it: a party that controls only a domain below it can neither hide its lines, nor stop them from being read, nor opt
 * the listing out, nor add keys of its own.
 */
export async function namesThatCount(
  domain: string,
  handle: string,
  { store }: Pick<Context, 'store'>,
): Promise<string[]> {
  const claim = await store.claims.claim(handle);
  const names = domainsAbove(domain);
  const root = claim?.state === 'claimed' ? claim.root : undefined;
  const first = names.findIndex((name) => `dns:${name}` === root);
  return names.slice(Math.max(0, first));
}
