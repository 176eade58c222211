import { convert, toCaip19 } from './assets.ts';

/** One way to pay, as a source quotes it. */
export interface Offer {
  /** The format that it was quoted in: `x402/1`, `x402/2` or `mpp`. */
  readonly format: string;
  /** `exact`, `upto`, `charge` and the like. */
  readonly scheme: string;
  /** CAIP-2, or the name that the source uses. */
  readonly network: string;
  /** A whole number of the asset's smallest unit. */
  readonly amount: string;
  readonly asset: string;
  readonly pay_to?: string;
  /** Of MPP: the id of the chain within the network. */
  readonly chain_id?: number;
  /** The amount in the unit that people use, converted by Dossier's own table of assets; absent for any other asset. */
  readonly our_conversion?: string;
}

/** What a source of prices holds in one format; its members are untrusted. */
export interface Decoded {
  /** How many offers it holds, also those that could not be read. */
  readonly seen: number;
  /** The first twenty that could be read. */
  readonly offers: readonly Offer[];
}

const mostOffers = 20;
/** A uint256 has at most 78 digits. */
const wholeNumberForm = /^(?:0|[1-9]\d{0,77})$/;
/** Identifiers are plain ASCII without spaces: what could hide or reorder other text is none. */
const identifier = /^[\x21-\x7e]{1,200}$/;

/** Whether a value is an amount of a smallest unit. */
export const isWholeNumber = (value: unknown): value is string =>
  typeof value === 'string' && wholeNumberForm.test(value);

/** Whether a value may be shown as an identifier: plain ASCII without spaces, at most 200 characters. */
export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && identifier.test(value);

/** An offer whose members have been checked; undefined if one of them cannot be read. */
export function toOffer(
  quoted: Readonly<Record<Exclude<keyof Offer, 'format' | 'our_conversion'>, unknown>> & { format: string },
): Offer | undefined {
  const { format, scheme, network, amount, asset, pay_to, chain_id } = quoted;
  if (!isIdentifier(scheme) || !isIdentifier(network) || !isIdentifier(asset)) return undefined;
  if (!isWholeNumber(amount)) return undefined;
  if (pay_to !== undefined && !isIdentifier(pay_to)) return undefined;
  const chain = Number.isSafeInteger(chain_id) ? (chain_id as number) : undefined;
  const converted = convert(amount, toCaip19(chain === undefined ? network : `eip155:${chain}`, asset));
  return {
    ...{ format, scheme, network, amount, asset },
    ...(pay_to !== undefined && { pay_to }),
    ...(chain !== undefined && { chain_id: chain }),
    ...(converted && { our_conversion: converted }),
  };
}

/** What a list of quoted offers holds; `read` makes one offer of each. */
export function decodeOffers(quoted: readonly unknown[], read: (one: unknown) => Offer | undefined): Decoded {
  const offers: Offer[] = [];
  for (const one of quoted) {
    const offer = offers.length < mostOffers ? read(one) : undefined;
    if (offer) offers.push(offer);
  }
  return { seen: quoted.length, offers };
}

/** An offer in one line, exactly as it was quoted. */
export const offerText = ({ amount, asset, network, pay_to, scheme }: Offer): string =>
  `${amount} of ${asset} on ${network}${pay_to === undefined ? '' : ` to ${pay_to}`} (${scheme})`;
