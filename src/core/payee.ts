import { code, type Words } from './words.ts';

/** Who is paid: an address, and the network that it is on (CAIP-2), if that is known. */
export interface Payee {
  readonly address: string;
  readonly network?: string | undefined;
}

/** An address as it is compared: networks of Ethereum ignore capitals, others do not. */
export const toAddress = (address: string): string =>
  /^0x[\da-f]{40}$/i.test(address) ? address.toLowerCase() : address;

/** An account by CAIP-10: the namespace and the reference of a network, and an address there. */
const account = /^([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}):([-.a-zA-Z0-9]{1,128})$/;
/** What an address may be in a CAIP-10 name, and so in the address of a page. */
const plain = /^[-.a-zA-Z0-9]{1,128}$/;
/** Addresses that are told from other names by their form: of eip155, and of solana. */
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

/** The payee that a text names by its form alone, or by the address of its page on this service. */
export function readPayeeOrPage(text: string, publicUrl: string): Payee | undefined {
  const path = text.startsWith(`${publicUrl}/`) ? text.slice(publicUrl.length) : text;
  const [, name] = /^\/payees\/([^/?#]+?)(?:\.json|\.md)?$/.exec(path) ?? [];
  return name === undefined ? readNamedPayee(text) : readPayee(name);
}

/** A payee by its CAIP-10 name if its network is known. */
export const payeeName = ({ network, address }: Payee): string =>
  network === undefined ? address : `${network}:${address}`;

/**
 * The page of a payee, of its address alone if its network has no name by CAIP-2; undefined of an address
 * that no page has.
 */
export function payeePath({ address, network }: Payee): string | undefined {
  const name = [payeeName({ address, network }), address].find(readPayee);
  return name && `/payees/${name}`;
}

/** Whom one pays, as a link on pages. */
export const payeeWords = (payee: Payee): Words => code(payee.address, payeePath(payee));
