import { Problem } from '../../../problem.ts';
import { keysAt } from '../../../receipt/published-key.ts';
import { verifyByKey } from '../../../receipt/verify.ts';
import {
  addressOf,
  messageHash,
  recoverAddress,
  type TypedStruct,
  typedHash,
} from '../../signature/ethereum.ts';
import { asMembers, type JsonObject, readBase64Object, readObject } from '../../text/json-object.ts';
import { asProblem } from './as-problem.ts';
import type { CheckedProof, ProofFacts, ProofKind } from './proof.ts';

/** x402 extension offer-receipt version 1, section 5. */
const receiptStruct: TypedStruct = {
  domain: 'x402 receipt',
  name: 'Receipt',
  members: {
    version: 'uint256',
    network: 'string',
    resourceUrl: 'string',
    payer: 'string',
    issuedAt: 'uint256',
    transaction: 'string',
  },
};

const invalid = (detail: string) => new Problem('proof_invalid', { detail });

/** A receipt without its signature; `transaction` is empty where it names none. */
interface Payment {
  readonly network: string;
  readonly resourceUrl: string;
  readonly payer: string;
  readonly issued_ms: number;
  readonly transaction: string;
}

function toPayment(payload: JsonObject): Payment {
  const { version, network, resourceUrl, payer, issuedAt, transaction = '' } = payload;
  const isComplete = [network, resourceUrl, payer, transaction].every((value) => typeof value === 'string');
  if (version !== 1 || !isComplete || !Number.isSafeInteger(issuedAt))
    throw invalid('A receipt needs version 1, network, resourceUrl, payer and issuedAt (whole seconds).');
  if (!/^eip155:\d+$/.test(String(network)) || !/^0x[\da-f]{40}$/i.test(String(payer)))
    throw invalid('Only payers with an address of an EVM network (eip155) can be checked.');
  return {
    network: String(network),
    resourceUrl: String(resourceUrl),
    payer: String(payer).toLowerCase(),
    issued_ms: Number(issuedAt) * 1000,
    transaction: String(transaction),
  };
}

/** Throws unless an EIP-712 signature is by a secp256k1 key that was published when the receipt was issued. */
function requirePublishedSigner(payload: JsonObject, signature: string, { keys, issued_ms }: SignedBy): void {
  const digest = typedHash(receiptStruct, { transaction: '', ...payload });
  const signer = digest && recoverAddress(signature, digest);
  if (signer === undefined) throw invalid('The EIP-712 signature of the receipt is not valid.');
  const published = keysAt(keys, issued_ms).flatMap(({ jwk: { crv, x, y } }) =>
    crv === 'secp256k1' && y !== undefined ? addressOf({ x, y }) : [],
  );
  if (published.includes(signer)) return;
  throw new Problem('proof_key_unknown', {
    detail: 'The receipt is not signed by a published secp256k1 key.',
  });
}

interface SignedBy extends Pick<ProofFacts, 'keys'> {
  readonly issued_ms: number;
}

async function requireSigned(receipt: JsonObject, signature: string, signed: SignedBy): Promise<void> {
  if (receipt.format === 'eip712') requirePublishedSigner(asMembers(receipt.payload), signature, signed);
  else await asProblem(verifyByKey(signature, signed.keys, signed.issued_ms));
}

/** The payload of a receipt, not verified. */
function payloadOf({ format, payload }: JsonObject, signature: string): JsonObject {
  if (format === 'eip712') return asMembers(payload);
  if (format === 'jws') return readBase64Object(signature.split('.')[1] ?? '') ?? {};
  throw invalid('The format of the receipt is neither eip712 nor jws.');
}

async function check(value: string, { keys, remotes, message }: ProofFacts): Promise<CheckedProof> {
  const { receipt: sent, possession } = readObject(value) ?? {};
  const receipt = asMembers(sent);
  const { signature } = receipt;
  if (typeof signature !== 'string' || typeof possession !== 'string')
    throw invalid('The value is the JSON {"receipt": {"format", "payload", "signature"}, "possession"}.');
  const payment = toPayment(payloadOf(receipt, signature));
  const { network, resourceUrl, payer, issued_ms, transaction } = payment;
  const host = URL.parse(resourceUrl)?.host;
  if (!remotes.some((url) => URL.parse(url)?.host === host))
    throw new Problem('proof_wrong_subject', {
      detail: 'Its resourceUrl is on no recorded endpoint’s host.',
    });
  await requireSigned(receipt, signature, { keys, issued_ms });
  if (recoverAddress(possession, messageHash(message)) !== payer)
    throw new Problem('proof_not_yours', {
      detail: 'The possession is not the payer’s signature of this rating.',
    });
  return { identity: [network, resourceUrl, payer, String(issued_ms), transaction], issued_ms };
}

/** An x402 receipt and the payer's signature of the rating (docs/receipts.md). */
export const paymentReceipt: ProofKind = {
  name: 'Payment receipt',
  shows:
    'A key paid and signed this rating, and a key that the rated listing published in its claim acknowledged the payment; not who owns the wallet, and nothing of quality. A service can refuse receipts to critics.',
  check,
};
