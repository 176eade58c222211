import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import { asObject, type JsonObject } from '../../text/json-object.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';
import type { Offer } from './offer.ts';
import { noneQuoted, quotedOffers } from './quoted-offers.ts';
import { checkEip712 } from './signed/eip712.ts';
import { checkJws, payloadOf } from './signed/jws.ts';
import { type CheckedOffer, isQuoted, notChecked, readableOffers } from './signed/signed-offer.ts';

interface Quoted {
  readonly look: Look;
  readonly host: string;
  readonly offers: readonly Offer[];
}

async function check(signed: JsonObject, { look, host, offers }: Quoted): Promise<CheckedOffer> {
  const signature = String(signed.signature);
  if (signed.format === 'jws') {
    const shown = await checkJws(look, signature, host);
    return { format: 'jws', ...shown, is_quoted: isQuoted(payloadOf(signature), offers) };
  }
  const payload = asObject(signed.payload);
  if (signed.format !== 'eip712' || !payload) return { format: 'unknown', ...notChecked, is_quoted: false };
  return { format: 'eip712', ...checkEip712(payload, signature), is_quoted: isQuoted(payload, offers) };
}

const authorised = {
  recipient: 'each signer is the address that is paid',
  host: 'each key is published by the endpoint’s own host',
};

/** What was shown, in words: that signatures are valid is not that their signers may speak for the service. */
function toReason(checked: readonly CheckedOffer[]): string {
  const valid = checked.filter(({ signature }) => signature === 'valid');
  if (valid.length === 0) return 'No signature was found valid.';
  const [shown = 'none', ...others] = new Set(valid.map(({ authorisation }) => authorisation));
  return shown === 'none' || others.length > 0
    ? 'A valid signature says that some key signed the offer; that its holder may speak for the service was not shown for each.'
    : `The valid signatures also show who signed: ${authorised[shown]}.`;
}

async function toFinding(look: Look, endpoint: EndpointLook) {
  const { offers, signed } = quotedOffers(endpoint)?.quoted ?? { offers: [], signed: [] };
  if (signed.length === 0) return noneQuoted(endpoint);
  const readable = readableOffers(signed);
  const quoted = { look, host: new URL(endpoint.url).host, offers };
  const checked = await Promise.all(readable.map((one) => check(one, quoted)));
  const valid = checked.filter(({ signature }) => signature === 'valid').length;
  return {
    value: `${valid} of ${signed.length} valid`,
    state: 'observed' as const,
    reason: toReason(checked),
    details: { offers: checked },
    as_seen: { signed: readable.filter((one) => JSON.stringify(one).length <= 8192) },
  };
}

/** The signatures of the offers that an endpoint quotes. */
export const priceSignedOffers = defineKind({
  kind: 'price.signed_offers',
  question: 'price',
  title: 'Signed offers',
  means:
    'How many signatures of the quoted offers (x402 extension offer-receipt, EIP-712 or JWS) are valid; for each, whether the signed terms are the quoted ones, and whether the signer is the recipient or the endpoint’s host.',
  doesNotMean:
    'A valid signature alone does not say that its signer may speak for the service, or that the offer will be kept.',
  method_version: 'price/1',
  about: remotesOf,
  isOptional: true,
  check: (look) => ofRemotes(look, (endpoint) => toFinding(look, endpoint), { isRare: true }),
});
