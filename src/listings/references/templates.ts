import { Holder } from '../../core/identity.ts';
import { bracedIn, openPart } from '../../core/text.ts';
import type { Listing, ListingRemote } from '../listing.ts';
import { type Reference, toAddressKey, toHost } from './references.ts';

/** Stays the same in a host. */
const hole = '0hole0';
const mostHoles = 10;

/** The fixed texts of its key, and between them the values that a caller may fill in: undefined for any. */
function readTemplate({ url, inputs = [] }: ListingRemote) {
  const braced = bracedIn(url);
  const names = [...braced.matchAll(openPart)].map(([, name]) => name);
  const texts = toAddressKey(braced.replace(openPart, hole))?.split(hole) ?? [];
  if (names.length === 0 || names.length > mostHoles || texts.length !== names.length + 1) return undefined;
  const values = names.map((name) => inputs.find((one) => one.name === name)?.choices);
  return { texts, values };
}

/** Below a hosting service or a public suffix, anybody's host would fit. */
function isOfOne(end: string): boolean {
  const below = `any.${toHost(end)}`;
  const { id, place } = Holder.ofHost(below);
  return place === `dns:${below}` && id !== below;
}

/** Its host and path before the first hole, or the end of a host with a hole. */
function endsAs(texts: readonly string[]): string[] {
  const [first = ''] = texts;
  if (/[/?]/.test(first)) return [first.replace(/(?:\?|\/[^/?]*$).*$/s, '')];
  const host = texts.join(hole).replace(/[/?].*$/s, '');
  const end = host.slice(host.lastIndexOf(hole)).replace(/^[^.]*\.?/, '');
  return isOfOne(end) ? [end] : [];
}

export const templateReferences = (remotes: Listing['remotes']): Reference[] =>
  remotes
    .flatMap((one) => readTemplate(one) ?? [])
    .flatMap(({ texts }) => endsAs(texts))
    .map((key) => ({ kind: 'template', key }));

const mostEnds = 10;

/** With those under which a template that fits the address is stored. */
export function storedAs(reference: Reference): readonly Reference[] {
  if (reference.kind !== 'template') return [reference];
  const [host = '', ...path] = reference.key.replace(/\?.*$/s, '').split('/');
  const labels = host.split('.');
  const ends = [
    ...[host, ...path].slice(0, mostEnds).map((_, n) => [host, ...path.slice(0, n)].join('/')),
    ...labels.slice(1, mostEnds).map((_, n) => labels.slice(n + 1).join('.')),
  ];
  return ends.map((key) => ({ kind: 'template', key }));
}

/** Where a value can end that begins at one of `starts`; the work grows with the length of the key alone. */
function endsOf(key: string, starts: ReadonlySet<number>, values: readonly string[] | undefined) {
  const pathAt = key.search(/[/?]|$/);
  const ends = new Set<number>();
  if (values)
    for (const at of starts)
      for (const value of values)
        if (key.startsWith(at < pathAt ? value.toLowerCase() : value, at)) ends.add(at + value.length);
  let isOpen = false;
  for (let at = 0; !values && at < key.length; at++) {
    const isValue = (at < pathAt ? /[^.:]/ : /[^/?&]/).test(key.charAt(at));
    isOpen = isValue && (isOpen || starts.has(at));
    if (isOpen) ends.add(at + 1);
  }
  return ends;
}

/** The address, if the record offers this template of it. */
export function isFitting(remote: ListingRemote, { kind, key }: Reference): boolean {
  const template = kind === 'template' ? readTemplate(remote) : undefined;
  if (!template) return false;
  const { texts, values } = template;
  let at: ReadonlySet<number> = new Set([0]);
  for (const [n, text] of texts.entries()) {
    if (n > 0) at = endsOf(key, at, values[n - 1]);
    at = endsOf(key, at, [text]);
  }
  return at.has(key.length);
}
