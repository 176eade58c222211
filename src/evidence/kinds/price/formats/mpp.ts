import type { Fetched } from '../../../observation/answer.ts';
import { asObject, readBase64Object } from '../../../text/json-object.ts';
import { type Decoded, decodeOffers, toOffer } from '../offer.ts';

interface Challenge {
  readonly scheme: string;
  readonly parameters: Map<string, string>;
}

/** A parameter (1: its name, 2: quoted, 3: bare) or the name of a scheme (4), RFC 9110 section 11.6.1. */
const piece =
  /\s*,?\s*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w!#$%&'*+.^`|~-]+)(?=[\s,]|$))/gy;

/** The challenges of a WWW-Authenticate header; what follows a fault is not read. */
function toChallenges(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  for (const [, name, quoted, bare, scheme] of header.matchAll(piece)) {
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
    else
      challenges
        .at(-1)
        ?.parameters.set((name ?? '').toLowerCase(), quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? '');
  }
  return challenges;
}

const read = (one: unknown) => {
  const { parameters } = one as Challenge;
  const { amount, currency, recipient, methodDetails } =
    readBase64Object(parameters.get('request') ?? '') ?? {};
  const { chainId } = asObject(methodDetails) ?? {};
  const [scheme, network] = [parameters.get('intent'), parameters.get('method')];
  return toOffer({
    format: 'mpp',
    scheme,
    network,
    amount,
    asset: currency,
    pay_to: recipient,
    chain_id: chainId,
  });
};

/** Challenges of the Machine Payments Protocol: `WWW-Authenticate: Payment method=..., intent=..., request=<base64url JSON>`. */
export function decodeMpp({ headers }: Fetched): Decoded | undefined {
  const header = headers['www-authenticate'] ?? '';
  const challenges = toChallenges(header).filter(({ scheme }) => scheme === 'payment');
  return challenges.length > 0 ? decodeOffers(challenges, read) : undefined;
}
