import { attempt } from './json.ts';
import { code, type Words } from './words.ts';

/** `network` is a CAIP-2 name. */
export interface Payee {
  readonly address: string;
  readonly network?: string | undefined;
}

/** Ethereum addresses that differ only in capitals are the same. */
export const toAddress = (address: string): string =>
  /^0x[\da-f]{40}$/i.test(address) ? address.toLowerCase() : address;

/** CAIP-10, with a percent-encoded address. */
const account = /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32}):([-._~%a-zA-Z0-9]{1,1800})$/i;
const ofEthereum = /^0x[\da-f]{40}$/i;
const ofSolana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const longest = 200;

function decoded(text: string): string | undefined {
  const address = attempt(() => decodeURIComponent(text)) ?? '';
  return address.length <= longest && /^\P{Cc}+$/u.test(address) ? toAddress(address) : undefined;
}

/** RFC 3986, 2.3. */
const encoded = (address: string): string =>
  encodeURIComponent(address.toWellFormed()).replaceAll(
    /[^-._~%a-zA-Z0-9]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function readAccount(text: string): Payee | undefined {
  const [, namespace, reference, written = ''] = account.exec(text) ?? [];
  const address = decoded(written);
  if (namespace === undefined || address === undefined) return undefined;
  // People write EIP155 in capitals, which no namespace has.
  return { network: `${namespace.toLowerCase()}:${reference}`, address };
}

/** A CAIP-10 name of another network than the offer's stays whole, and encoded characters stay. */
export function statedAddress(stated: string, network: string | undefined): string {
  const named = stated.includes('%') ? undefined : readAccount(stated);
  return named !== undefined && (network ?? named.network) === named.network ? named.address : stated;
}

/** CAIP-10, or an address of eip155 or solana. */
export function readNamedPayee(text: string): Payee | undefined {
  const isAddress = ofEthereum.test(text) || ofSolana.test(text);
  return readAccount(text) ?? (isAddress ? { address: toAddress(text) } : undefined);
}

const endings = /\.(?:json|md|html)$/;

/**
 * `payees` may be meant by the last part of a page's address, the likeliest first: a client may have
 * encoded a whole CAIP-10 name. `ending` is the format's: the page of `shop.md` is at `shop.md.html`.
 */
export function readPayeeSegment(text: string): {
  readonly payees: readonly Payee[];
  readonly ending: string;
} {
  const [ending = ''] = endings.exec(text) ?? [];
  const name = text.slice(0, text.length - ending.length);
  const address = decoded(name);
  const alone = address === undefined ? [] : [{ address }];
  return {
    payees: [readAccount(name), ...alone, readAccount(address ?? '')].filter((one) => one !== undefined),
    ending,
  };
}

/** In any format. */
export function readPayeePage(text: string, publicUrl: string): Payee | undefined {
  const path = text.startsWith(`${publicUrl}/`) ? text.slice(publicUrl.length) : text;
  const [, last] = /^\/payees\/([^/?#]+)(?:[?#].*)?$/s.exec(path) ?? [];
  return last === undefined ? undefined : readPayeeSegment(last).payees[0];
}

export const readPayeeOrPage = (text: string, publicUrl: string): Payee | undefined =>
  readPayeePage(text, publicUrl) ?? readNamedPayee(text);

function accountName({ network, address }: Payee): string | undefined {
  const name = `${network}:${encoded(address)}`;
  return network !== undefined && account.test(name) ? name : undefined;
}

export const payeeName = (payee: Payee): string => accountName(payee) ?? payee.address;

/** With `.html` if the name is a step in a path (`..`) or ends like a format. */
export function payeePath(payee: Payee, ending = ''): string {
  const name = accountName(payee) ?? encoded(payee.address);
  const needsEnding = endings.test(name) || name === '.' || name === '..';
  return `/payees/${name}${ending === '' && needsEnding ? '.html' : ending}`;
}

export const payeeWords = (payee: Payee): Words => code(payee.address, payeePath(payee));
