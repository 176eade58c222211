import { every, unlessAborted } from '../core/every.ts';
import { createOutboundClient, type OutboundClient } from '../net/client.ts';
import { measure } from '../telemetry/events.ts';
import { currentCheckpoint, type IssuedCheckpoint, type IssuingContext } from './checkpoints.ts';
import { isOf, readCosignature } from './cosignature.ts';
import { consistencyProof } from './merkle.ts';
import { readSignatures, splitNote } from './notes.ts';
import { type AskedWitness, readWitnesses } from './witness-policy.ts';

type WitnessReply =
  | { readonly result: 'cosigned'; readonly line: string; readonly size: number }
  /** The witness cosigned a tree of this size last, and the proof began at a different one. */
  | { readonly result: 'other_size'; readonly size: number }
  /** The tree in the database is smaller than the one that the witness says it cosigned. */
  | { readonly result: 'larger_tree'; readonly size: number }
  /** Our tree does not continue the one that the witness cosigned. */
  | { readonly result: 'refused_tree' }
  | { readonly result: 'wrong_cosignature' }
  | { readonly result: 'unavailable'; readonly why: string };

const exchange_ms = 5000;

/** Lines of unknown keys are ignored (C2SP tlog-witness). */
function readAnswer(answer: string, checkpoint: IssuedCheckpoint, { cosigner }: AskedWitness): WitnessReply {
  const own = readSignatures(answer).find((line) => isOf(line, cosigner));
  const { text: signed = '' } = splitNote(checkpoint.text) ?? {};
  const isValid = own && (readCosignature(signed, cosigner, own) ?? 0n) > 0n;
  return isValid
    ? { result: 'cosigned', line: `${own.line}\n`, size: checkpoint.size }
    : { result: 'wrong_cosignature' };
}

/** Any address may be reached, because the operator named the witnesses. */
export const createWitnessClient = ({ version, publicUrl }: IssuingContext['config']): OutboundClient =>
  createOutboundClient({
    userAgent: `Dossier/${version} (+${publicUrl}/log)`,
    bodyLimit_bytes: 65_536,
    reach: (url) => ({ url, addresses: 'any' }),
  });

/** C2SP tlog-witness, `add-checkpoint`. */
const toBody = (oldSize: number, path: readonly Buffer[], checkpoint: string) =>
  [`old ${oldSize}`, ...path.map((hash) => hash.toString('base64')), '', checkpoint].join('\n');

type WitnessContext = Pick<IssuingContext, 'store'> & { readonly client: OutboundClient };

async function askOnce(
  { store, client }: WitnessContext,
  {
    witness,
    checkpoint,
    oldSize,
  }: { readonly witness: AskedWitness; readonly checkpoint: IssuedCheckpoint; readonly oldSize: number },
): Promise<WitnessReply> {
  const path = await consistencyProof(store.log.tree(checkpoint.head.id), oldSize, checkpoint.size);
  const answer = await client.fetch({
    url: new URL(`${witness.url.href.replace(/\/$/, '')}/add-checkpoint`),
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(toBody(oldSize, path, checkpoint.text)),
    deadline: AbortSignal.timeout(exchange_ms),
  });
  if (answer.result !== 'response') return { result: 'unavailable', why: answer.result };
  const body = answer.body.toString('utf8');
  if (answer.status === 200) return readAnswer(body, checkpoint, witness);
  const conflict = answer.status === 409 ? /^(0|[1-9]\d{0,15})\n$/.exec(body)?.[1] : undefined;
  const size = conflict === undefined ? undefined : Number(conflict);
  // The witness has a different tree of the size that was sent (tlog-witness, "add-checkpoint").
  if (answer.status === 422 || size === oldSize) return { result: 'refused_tree' };
  if (size !== undefined) return { result: 'other_size', size };
  return { result: 'unavailable', why: `status ${answer.status}` };
}

/** Another node may have published the larger tree meanwhile. */
async function compareWithDatabase(
  { store }: WitnessContext,
  size: number,
  { head }: IssuedCheckpoint,
): Promise<WitnessReply> {
  const now = (await store.log.heads()).find(({ id }) => id === head.id);
  return { result: now && now.size >= size ? 'other_size' : 'larger_tree', size };
}

/** `before` is the size that the witness says it cosigned last. Never rejects because of an answer. */
export async function askWitness(asking: WitnessContext, question: Parameters<typeof askOnce>[1]) {
  const { checkpoint } = question;
  const first = await askOnce(asking, question);
  if (first.result !== 'other_size') return { asked: first, before: undefined };
  const { size: before } = first;
  if (before > checkpoint.size)
    return { asked: await compareWithDatabase(asking, before, checkpoint), before };
  return { asked: await askOnce(asking, { ...question, oldSize: before }), before };
}

const faults: Partial<Record<WitnessReply['result'], string>> = {
  larger_tree:
    'a witness cosigned a larger tree of this log than the database has: the log was rolled back, or the witness is wrong; run dossier audit with a saved checkpoint',
  refused_tree:
    'a witness says that this log does not continue the tree that it cosigned: there are two histories, or the witness is wrong; run dossier audit with a saved checkpoint',
  wrong_cosignature: 'a witness sent a cosignature that is not valid for the checkpoint; it is not published',
};

function report({ log }: IssuingContext, { name }: AskedWitness, asked: WitnessReply, size: number): void {
  const about = { witness: name, size, ...(asked.result === 'larger_tree' && { cosigned_size: asked.size }) };
  const fault = faults[asked.result];
  if (fault) log.error(about, fault);
  if (asked.result === 'unavailable')
    log.warn({ ...about, why: asked.why }, 'a witness did not cosign; it is asked again');
}

/**
 * Rejects if the log cannot be read. After a start, the first request states size 0, which a witness that has
 * cosigned before answers with its own (409).
 */
export function createWitnessRound(context: IssuingContext) {
  const { checkpoints, config } = context;
  const asking = { store: context.store, client: createWitnessClient(config) };
  const witnesses = readWitnesses(config.witnesses);
  const sizes = new Map<string, number>();

  async function askOne(witness: AskedWitness, checkpoint: IssuedCheckpoint): Promise<WitnessReply> {
    const key = `${checkpoint.head.id} ${witness.name}`;
    const oldSize = Math.min(sizes.get(key) ?? 0, checkpoint.size);
    const { asked } = await askWitness(asking, { witness, checkpoint, oldSize });
    const labels = { witness: witness.name };
    measure('dossier_witness_answers_total', { ...labels, result: asked.result });
    measure('dossier_witness_cosigned', labels, asked.result === 'cosigned' ? 1 : 0);
    if (asked.result === 'cosigned') {
      sizes.set(key, asked.size);
      measure('dossier_witness_last_cosigned_timestamp_seconds', labels, context.clock().getTime() / 1000);
    }
    report(context, witness, asked, checkpoint.size);
    return asked;
  }

  return async (): Promise<void> => {
    const checkpoint = await currentCheckpoint(context);
    if (checkpoint.size === 0) return;
    const { cosigned } = checkpoints;
    const lines = new Map(cosigned?.checkpoint.text === checkpoint.text ? cosigned.lines : []);
    const pending = witnesses.filter(({ name }) => !lines.has(name));
    const answers = await Promise.all(
      pending.map(async (witness) => ({ witness, asked: await askOne(witness, checkpoint) })),
    );
    for (const { witness, asked } of answers)
      if (asked.result === 'cosigned') lines.set(witness.name, asked.line);
    if (lines.size > 0) checkpoints.cosigned = { checkpoint, lines };
  };
}

const pause_ms = 5000;

/**
 * Every five seconds, so that the loss of older entries is found even if nobody reads a checkpoint. Logs
 * failures.
 */
export async function startIssuing(context: IssuingContext, signal: AbortSignal): Promise<void> {
  const ask = createWitnessRound(context);
  await every({
    signal,
    pause_ms,
    run: () => unlessAborted(ask(), signal),
    onError: (err) => context.log.warn({ err }, 'no checkpoint could be issued; the next attempt follows'),
  });
}
