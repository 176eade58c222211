import { attempt } from './json.ts';
import { code, type Words } from './words.ts';

/** Somebody who is paid: an address, and its network (CAIP-2), if that is known. */
export interface Payee {
  readonly address: string;
  readonly network?: string | undefined;
}

/** An address as it is compared: networks of Ethereum ignore capitals, others do not. */
export const toAddress = (address: string): string =>
  /^0x[\da-f]{40}$/i.test(address) ? address.toLowerCase() : address;

/** An account by CAIP-10: the namespace and the reference of a network, and a percent-encoded address. */
const account = /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32}):([-._~%a-zA-Z0-9]{1,1800})$/i;
/** The forms of addresses of eip155 and of solana. */
const ofEthereum = /^0x[\da-f]{40}$/i;
const ofSolana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The length of the longest address that is stored. */
const longest = 200;

/** Decodes an address; undefined if it cannot be the address of a payee. */
function decoded(text: string): string | undefined {
  const address = attempt(() => decodeURIComponent(text)) ?? '';
  return address.length <= longest && /^\P{Cc}+$/u.test(address) ? toAddress(address) : undefined;
}

/** Percent-encodes all but the characters that a normalised address never has encoded (RFC 3986, 2.3). */
const encoded = (address: string): string =>
  encodeURIComponent(address.toWellFormed()).replaceAll(
    /[^-._~%a-zA-Z0-9]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Reads a payee from a CAIP-10 name; undefined if the text is none. */
function readAccount(text: string): Payee | undefined {
  const [, namespace, reference, written = ''] = account.exec(text) ?? [];
  const address = decoded(written);
  if (namespace === undefined || address === undefined) return undefined;
  // People write EIP155 in capitals, although the names of namespaces have none.
  return { network: `${namespace.toLowerCase()}:${reference}`, address };
}

/**
 * The address of a payee as an offer states it, without the network if the offer names the same one
 * (CAIP-10). A payee on a network that is not the offer's, or with encoded characters, stays as it is
 * written.
 */
export function statedAddress(stated: string, network: string | undefined): string {
  const named = stated.includes('%') ? undefined : readAccount(stated);
  return named !== undefined && (network ?? named.network) === named.network ? named.address : stated;
}

/**
 * Reads a payee from a text that must be one by its form: a CAIP-10 name, or an address of eip155 or solana.
 */
export function readNamedPayee(text: string): Payee | undefined {
  const isAddress = ofEthereum.test(text) || ofSolana.test(text);
  return readAccount(text) ?? (isAddress ? { address: toAddress(text) } : undefined);
}

/**
 * The endings of a payee's address on this service, one for each format. Without an ending, it is the page.
 */
const endings = /\.(?:json|md|html)$/;

/**
 * Reads the last part of the address of a payee's page: the payees that it may name, the likeliest first, and
 * the ending of the format. Only the last ending is the format's: the page of `shop.md` is at `shop.md.html`.
 * A client may have encoded a whole CAIP-10 name, so that its colons are those of an address.
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

/** Reads a payee from the address of its page on this service, in any format. */
export function readPayeePage(text: string, publicUrl: string): Payee | undefined {
  const path = text.startsWith(`${publicUrl}/`) ? text.slice(publicUrl.length) : text;
  const [, last] = /^\/payees\/([^/?#]+)(?:[?#].*)?$/s.exec(path) ?? [];
  return last === undefined ? undefined : readPayeeSegment(last).payees[0];
}

/** Reads a payee from the address of its page on this service, or else by `readNamedPayee`. */
export const readPayeeOrPage = (text: string, publicUrl: string): Payee | undefined =>
  readPayeePage(text, publicUrl) ?? readNamedPayee(text);

/** The CAIP-10 name of a payee; undefined if the network is not known or has no name in CAIP-2. */
function accountName({ network, address }: Payee): string | undefined {
  const name = `${network}:${encoded(address)}`;
  return network !== undefined && account.test(name) ? name : undefined;
}

/** The CAIP-10 name of a payee, or its address. */
export const payeeName = (payee: Payee): string => accountName(payee) ?? payee.address;

/**
 * The path of a payee's page, or of the format with this ending: its CAIP-10 name, or its address alone. A
 * page has an ending too if its name would be a step in a path (`..`), or ends as a format does.
 */
export function payeePath(payee: Payee, ending = ''): string {
  const name = accountName(payee) ?? encoded(payee.address);
  const needsEnding = endings.test(name) || name === '.' || name === '..';
  return `/payees/${name}${ending === '' && needsEnding ? '.html' : ending}`;
}

export const payeeWords = (payee: Payee): Words => code(payee.address, payeePath(payee));
