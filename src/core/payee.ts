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
/** The forms of addresses of eip155 and of solana, which no other name has. */
const ofEthereum = /^0x[\da-f]{40}$/i;
const ofSolana = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** The payee that a CAIP-10 name or an address alone names; undefined of a text that can be neither. */
export function readPayee(text: string): Payee | undefined {
  const [, network, address] = account.exec(text) ?? [];
  if (network !== undefined && address !== undefined) return { network, address: toAddress(address) };
  return plain.test(text) ? { address: toAddress(text) } : undefined;
}

/** The same, if a text is a payee by its form alone: a CAIP-10 name, or an address of eip155 or solana. */
export function readNamedPayee(text: string): Payee | undefined {
  const payee = readPayee(text);
  const isNamed = payee && (payee.network !== undefined || ofEthereum.test(text) || ofSolana.test(text));
  return isNamed ? payee : undefined;
}

/** The formats that a payee has at one address each; without an ending, it is the page. */
const endings = /\.(?:json|md|html)$/;

/**
 * The name of a payee, and the ending, in the last part of the address of its page. The last ending is always
 * that of the format, so that the page of `shop.md` is at `shop.md.html`.
 */
export function splitPayeeName(text: string): { readonly name: string; readonly ending: string } {
  const [ending = ''] = endings.exec(text) ?? [];
  return { name: text.slice(0, text.length - ending.length), ending };
}

/** The payee whose page, or JSON or Markdown, on this service has this address. */
export function readPayeePage(text: string, publicUrl: string): Payee | undefined {
  const path = text.startsWith(`${publicUrl}/`) ? text.slice(publicUrl.length) : text;
  const [, last] = /^\/payees\/([^/?#]+)$/.exec(path) ?? [];
  return last === undefined ? undefined : readPayee(splitPayeeName(last).name);
}

/** The payee that a text names by its form alone, or by the address of its page on this service. */
export const readPayeeOrPage = (text: string, publicUrl: string): Payee | undefined =>
  readPayeePage(text, publicUrl) ?? readNamedPayee(text);

/** A payee by its CAIP-10 name if its network is known. */
export const payeeName = ({ network, address }: Payee): string =>
  network === undefined ? address : `${network}:${address}`;

/**
 * Where a payee is, as a page or in another format: of its address alone if its network has no name by
 * CAIP-2. Undefined of an address that no page has.
 */
export function payeePath({ address, network }: Payee, ending = ''): string | undefined {
  const name = [payeeName({ address, network }), address].find(readPayee);
  const shown = ending === '' && name !== undefined && endings.test(name) ? '.html' : ending;
  return name && `/payees/${name}${shown}`;
}

/** The address of a payee, as a link on pages. */
export const payeeWords = (payee: Payee): Words => code(payee.address, payeePath(payee));
