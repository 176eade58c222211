import type { AskedWitness } from '../../config/witnesses-file.ts';
import { consistencyProof } from '../../evidence/log/merkle.ts';
import { readSignatures } from '../../evidence/log/note-signatures.ts';
import { readConflict, toAddCheckpoint } from '../../evidence/log/witness/add-checkpoint.ts';
import { isOf, readCosignature } from '../../evidence/log/witness/cosignature.ts';
import type { OutboundClient } from '../../outbound/client.ts';
import type { IssuedCheckpoint, IssuingContext } from '../issue-checkpoint.ts';

/** What asking a witness came to. `cosigned` has its signature line; the rest says why there is none. */
export type Asked =
  | { readonly result: 'cosigned'; readonly line: string; readonly size: number }
  /** It cosigned a tree of this size last, or says so. */
  | { readonly result: 'other_size'; readonly size: number }
  /** It says that our tree does not continue the one that it cosigned. */
  | { readonly result: 'refused_tree' }
  /** Its cosignature is not valid for the checkpoint. */
  | { readonly result: 'wrong_cosignature' }
  | { readonly result: 'unavailable'; readonly why: string };

const exchange_ms = 5000;

/** The text that is signed, without signature lines. */
const bodyOf = (checkpoint: string) => checkpoint.slice(0, checkpoint.lastIndexOf('\n\n') + 1);

/** The cosignature in a witness's answer; lines of keys that we do not know are ignored, as the specification says. */
function readAnswer(answer: string, checkpoint: IssuedCheckpoint, { cosigner }: AskedWitness): Asked {
  const own = readSignatures(answer).find((line) => isOf(line, cosigner));
  const isValid = own && (readCosignature(bodyOf(checkpoint.text), cosigner, own) ?? 0n) > 0n;
  return isValid
    ? { result: 'cosigned', line: `${own.line}\n`, size: checkpoint.size }
    : { result: 'wrong_cosignature' };
}

/** Asks a witness once to cosign a checkpoint, as one that cosigned `oldSize` entries last. Never rejects for what it answers. */
export async function askOnce(
  { store }: Pick<IssuingContext, 'store'>,
  client: OutboundClient,
  asked: { readonly witness: AskedWitness; readonly checkpoint: IssuedCheckpoint; readonly oldSize: number },
): Promise<Asked> {
  const { witness, checkpoint, oldSize } = asked;
  const path = await consistencyProof(store.log.tree(checkpoint.head.id), oldSize, checkpoint.size);
  const answer = await client.fetch({
    url: new URL(`${witness.url.href.replace(/\/$/, '')}/add-checkpoint`),
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(toAddCheckpoint({ oldSize, path, checkpoint: checkpoint.text })),
    deadline: AbortSignal.timeout(exchange_ms),
  });
  if (answer.result !== 'response') return { result: 'unavailable', why: answer.result };
  const body = answer.body.toString('utf8');
  if (answer.status === 200) return readAnswer(body, checkpoint, witness);
  const size = answer.status === 409 ? readConflict(body) : undefined;
  if (size !== undefined) return { result: 'other_size', size };
  if (answer.status === 422) return { result: 'refused_tree' };
  return { result: 'unavailable', why: `status ${answer.status}` };
}
