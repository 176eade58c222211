import { code, type Words } from './words.ts';

/** Somebody who is paid: an address, and its network (CAIP-2), if that is known. */
export interface Payee {
  readonly address: string;
  readonly network?: string | undefined;
}

/** An address as it is compared: networks of Ethereum ignore capitals, others do not. */
export const toAddress = (address: string): string =>
  /^0x[\da-f]{40}$/i.test(address) ? address.toLowerCase() : address;

/** An account by CAIP-10: the namespace and the reference of a network, and an address there. */
const account = /^([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}):([-.a-zA-Z0-9]{1,128})$/;
/** The form of an address in a CAIP-10 name, and so in the address of a page. */
const plain = /^[-.a-zA-Z0-9]{1,128}$/;
/** The forms of addresses of eip155 and of solana. */
const ofEthereum = /^0x[\da-f]{40}$/i;
const ofSolana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Reads a payee from a CAIP-10 name or from an address alone; undefined if the text has neither form. */
export function readPayee(text: string): Payee | undefined {
  const [, network, address] = account.exec(text) ?? [];
  if (network !== undefined && address !== undefined) return { network, address: toAddress(address) };
  return plain.test(text) ? { address: toAddress(text) } : undefined;
}

/**
 * Reads a payee from a text that must be one by its form: a CAIP-10 name, or an address of eip155 or solana.
 */
export function readNamedPayee(text: string): Payee | undefined {
  const payee = readPayee(text);
  const isNamed = payee && (payee.network !== undefined || ofEthereum.test(text) || ofSolana.test(text));
  return isNamed ? payee : undefined;
}

/**
 * The endings of a payee's address on this service, one for each format. Without an ending, it is the page.
 */
const endings = /\.(?:json|md|html)$/;

/**
 * Splits the last part of a payee page's address into the name and the ending of the format. Only the last
 * ending is the format's: the page of `shop.md` is at `shop.md.html`.
 */
export function splitPayeeName(text: string): { readonly name: string; readonly ending: string } {
  const [ending = ''] = endings.exec(text) ?? [];
  return { name: text.slice(0, text.length - ending.length), ending };
}

/** Reads a payee from the address of its page on this service, in any format. */
export function readPayeePage(text: string, publicUrl: string): Payee | undefined {
  const path = text.startsWith(`${publicUrl}/`) ? text.slice(publicUrl.length) : text;
  const [, last] = /^\/payees\/([^/?#]+)$/.exec(path) ?? [];
  return last === undefined ? undefined : readPayee(splitPayeeName(last).name);
}

/** Reads a payee from the address of its page on this service, or else by `readNamedPayee`. */
export const readPayeeOrPage = (text: string, publicUrl: string): Payee | undefined =>
  readPayeePage(text, publicUrl) ?? readNamedPayee(text);

/** The CAIP-10 name of a payee, or its address if the network is not known. */
export const payeeName = ({ network, address }: Payee): string =>
  network === undefined ? address : `${network}:${address}`;

/**
 * The path of a payee's page, or of the format with this ending. It has the address alone if the network is
 * not known or has no name in CAIP-2. Undefined if the address cannot be in a path.
 */
export function payeePath({ address, network }: Payee, ending = ''): string | undefined {
  const name = [payeeName({ address, network }), address].find(readPayee);
  const shown = ending === '' && name !== undefined && endings.test(name) ? '.html' : ending;
  return name && `/payees/${name}${shown}`;
}

export const payeeWords = (payee: Payee): Words => code(payee.address, payeePath(payee));
