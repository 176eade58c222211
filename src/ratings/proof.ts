import { z } from 'zod';
import type { ReceiptKey } from '../claims/receipt-keys.ts';
import { asMembers, type JsonObject, readBase64Object, readObject } from '../core/json.ts';
import type { TypedStruct } from '../core/keys/ethereum.ts';
import { Problem } from '../core/problem.ts';
import { day_ms } from '../core/text.ts';
import { keysAt, ReceiptFault, verifyByKey, verifyReceipt } from '../receipt/index.ts';
import { type RatingGroup, ratingGroups } from './groups.ts';
import { isInWindow } from './rules.ts';

export interface KindAndValue<Kind extends string> {
  readonly kind: Kind;
  readonly value: string;
}

function split<Kind extends string>(text: string): KindAndValue<Kind> {
  const at = text.indexOf(':');
  return { kind: text.slice(0, at) as Kind, value: text.slice(at + 1) };
}

export const toKindAndValue = <Kind extends string>(sent: string | KindAndValue<Kind>): KindAndValue<Kind> =>
  typeof sent === 'string' ? split<Kind>(sent) : sent;

/** tools/list shows only the string, whose pattern names the kinds. */
export function kindAndValue<const Kind extends string>(
  object: z.ZodType<KindAndValue<Kind>, KindAndValue<Kind>>,
  kinds: readonly Kind[],
) {
  const error = `must be kind:value, or an object with kind and value; the kinds are ${kinds.join(', ')}`;
  const text = z
    .string()
    .regex(new RegExp(`^(${kinds.join('|')}):`), { error, abort: true })
    .superRefine((sent, { addIssue }) => {
      if (!object.safeParse(split(sent)).success)
        addIssue({ code: 'custom', message: 'has a value that is empty or too long' });
    });
  return z.union([text, object], { error });
}

async function asProblem<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof ReceiptFault) throw new Problem(error.code, error.message);
    throw error;
  }
}

interface ProofFacts {
  readonly subject: string;
  readonly source: string;
  readonly keys: readonly ReceiptKey[];
  readonly remotes: readonly string[];
  /** Signed by a payer to show that the rating is its own. */
  readonly message: string;
  readonly now_ms: number;
}

interface CheckedProof {
  /** The same in every form of a proof, so that it counts once. */
  readonly identity: readonly string[];
  /** Since 1970. */
  readonly issued_ms: number;
  readonly interaction_id?: string | undefined;
}

interface ProofKind {
  readonly name: string;
  /** Beside the counts. */
  readonly shows: string;
  /** @throws proof_invalid, proof_key_unknown, proof_not_yours or proof_wrong_subject */
  readonly check: (value: string, facts: ProofFacts) => Promise<CheckedProof>;
}

const nearInteraction_ms = day_ms;

/** @throws proof_expired */
export function requireInTime(
  { issued_ms }: CheckedProof,
  { interaction_ms, now_ms }: { readonly interaction_ms: number; readonly now_ms: number },
): void {
  const isNear = Math.abs(issued_ms - interaction_ms) <= nearInteraction_ms;
  if (!isNear || !isInWindow(issued_ms, now_ms)) throw new Problem('proof_expired');
}

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

const invalid = (detail: string) => new Problem('proof_invalid', detail);

function toPayment(payload: JsonObject) {
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

type Signed = Pick<ProofFacts, 'keys'> & Pick<CheckedProof, 'issued_ms'>;

/** The library of the curve is slow to load. */
const ethereum = () => import('../core/keys/ethereum.ts');

async function requirePublishedSigner(payload: JsonObject, signature: string, { keys, issued_ms }: Signed) {
  const { addressOf, recoverAddress, typedHash } = await ethereum();
  const digest = typedHash(receiptStruct, { transaction: '', ...payload });
  const signer = digest && recoverAddress(signature, digest);
  if (signer === undefined) throw invalid('The EIP-712 signature of the receipt is not valid.');
  const published = keysAt(keys, issued_ms).flatMap(({ jwk: { crv, x, y } }) =>
    crv === 'secp256k1' && y !== undefined ? addressOf({ x, y }) : [],
  );
  if (published.includes(signer)) return;
  throw new Problem(
    'proof_key_unknown',
    'The receipt is not signed by a secp256k1 key that was published when it was issued.',
  );
}

function payloadOf({ format, payload }: JsonObject, signature: string): JsonObject {
  if (format === 'eip712') return asMembers(payload);
  if (format === 'jws') return readBase64Object(signature.split('.')[1] ?? '') ?? {};
  throw invalid('The format of the receipt is neither eip712 nor jws.');
}

async function checkPaymentReceipt(
  value: string,
  { keys, remotes, message }: ProofFacts,
): Promise<CheckedProof> {
  const { receipt: sent, possession } = readObject(value) ?? {};
  const receipt = asMembers(sent);
  const { signature } = receipt;
  if (typeof signature !== 'string' || typeof possession !== 'string')
    throw invalid('The value is the JSON {"receipt": {"format", "payload", "signature"}, "possession"}.');
  const { network, resourceUrl, payer, issued_ms, transaction } = toPayment(payloadOf(receipt, signature));
  const host = URL.parse(resourceUrl)?.host;
  if (host === undefined || !remotes.some((url) => URL.parse(url)?.host === host))
    throw new Problem(
      'proof_wrong_subject',
      'The resourceUrl of the receipt is not on the host of a recorded endpoint.',
    );
  if (receipt.format === 'eip712')
    await requirePublishedSigner(asMembers(receipt.payload), signature, { keys, issued_ms });
  else await asProblem(verifyByKey(signature, keys, issued_ms));
  const { messageHash, recoverAddress } = await ethereum();
  if (recoverAddress(possession, messageHash(message)) !== payer)
    throw new Problem(
      'proof_not_yours',
      'The member possession is not a signature of this rating by the payer.',
    );
  return { identity: [network, resourceUrl, payer, String(issued_ms), transaction], issued_ms };
}

async function checkServiceReceipt(
  value: string,
  { subject, source, keys }: ProofFacts,
): Promise<CheckedProof> {
  const { iss, sub, jti, iat } = await asProblem(verifyReceipt(value, { keys, subject, rater: source }));
  return { identity: [iss, sub, jti], issued_ms: iat * 1000, interaction_id: jti };
}

export const proofKinds = {
  service_receipt: {
    name: 'Service receipt',
    shows:
      'A key that the rated listing published with its claim signed that this interaction with this rater took place. This does not show that the interaction went well. A service can refuse receipts to critics.',
    check: checkServiceReceipt,
  },
  payment_receipt: {
    name: 'Payment receipt',
    shows:
      'The key that paid signed this rating, and a key that the rated listing published with its claim confirmed the payment. This does not show who owns the wallet, and says nothing about quality. A service can refuse receipts to critics.',
    check: checkPaymentReceipt,
  },
} as const satisfies Record<string, ProofKind>;

type ProofKindName = keyof typeof proofKinds;
export type ProofClass = 'none' | ProofKindName;

const kindNames = Object.keys(proofKinds) as ProofKindName[];
export const proofClasses: readonly [ProofClass, ...ProofClass[]] = ['none', ...kindNames];

const proofLimit = 4096;

export type SentProof = KindAndValue<ProofKindName>;

export const proofInput = kindAndValue(
  z.strictObject({
    kind: z.enum(kindNames),
    value: z.string().min(1).max(proofLimit),
  }),
  kindNames,
);

export const proofTexts: Readonly<Record<ProofClass, Pick<ProofKind, 'name' | 'shows'>>> = {
  none: {
    name: 'No proof',
    shows: 'Only the source states that the interaction took place; Dossier has checked no proof of it.',
  },
  ...proofKinds,
};

export function countProofs(
  groups: Readonly<Record<RatingGroup, { readonly by_proof: Readonly<Record<string, number>> }>>,
): Record<string, number> {
  const counted = proofClasses.map((name): [string, number] => [
    name,
    ratingGroups.reduce((sum, group) => sum + (groups[group].by_proof[name] ?? 0), 0),
  ]);
  return Object.fromEntries(counted.filter(([, ratings]) => ratings > 0));
}

export const proofMeanings = (counted: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(
    proofClasses.filter((name) => (counted[name] ?? 0) > 0).map((name) => [name, proofTexts[name].shows]),
  );
