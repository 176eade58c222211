import { createHash } from 'node:crypto';
import { splitNote } from '../evidence/log/note-signatures.ts';
import { sizeContentType } from '../evidence/log/witness/add-checkpoint.ts';
import { type CosigningKey, cosign } from '../evidence/log/witness/cosigning-key.ts';
import { type Judgement, judge } from '../evidence/log/witness/judge.ts';
import type { PolicyLog } from '../evidence/log/witness/policy.ts';
import type { WitnessState } from './state.ts';

/** What a witness is made of. */
export interface WitnessParts {
  readonly logs: readonly PolicyLog[];
  readonly keys: readonly CosigningKey[];
  readonly state: WitnessState;
  readonly clock: () => Date;
}

/** An answer over HTTP. */
export interface WitnessAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A witness of logs (C2SP tlog-witness). */
export interface Witness {
  addCheckpoint(body: string): Promise<WitnessAnswer>;
  /** The newest checkpoint that it cosigned; `hash` is the SHA-256 of the origin in hex. */
  checkpoint(hash: string): WitnessAnswer;
}

const plain = 'text/plain; charset=utf-8';
const toHash = (origin: string) => createHash('sha256').update(origin).digest('hex');

/** The text of a checkpoint and its log's own signature lines, without those of anybody else. */
function withoutOthers(checkpoint: string): { text: string; own: string } {
  const { text = '', signatures = [] } = splitNote(checkpoint) ?? {};
  const [origin] = text.split('\n', 1);
  const own = signatures.filter(({ name }) => name === origin).map(({ line }) => `${line}\n`);
  return { text, own: own.join('') };
}

async function answer(judged: Judgement, { keys, state, clock }: WitnessParts): Promise<WitnessAnswer> {
  if (judged.status === 409) return { status: 409, contentType: sizeContentType, body: `${judged.size}\n` };
  if (judged.status !== 200)
    return { status: judged.status, contentType: plain, body: `${judged.message}\n` };
  const { text, own } = withoutOthers(judged.checkpoint);
  const lines = keys.map((key) => cosign(text, key, clock())).join('');
  await state.remember(judged.origin, judged.head, `${text}\n${own}${lines}`);
  return { status: 200, contentType: plain, body: lines };
}

/** Opens a witness. Requests are judged one after another, and no cosignature leaves before the state is on the disk. */
export function openWitness(parts: WitnessParts): Witness {
  const { logs, state } = parts;
  let last: Promise<unknown> = Promise.resolve();
  return {
    addCheckpoint(body) {
      const answered = last.then(() => answer(judge(body, logs, state.lastOf), parts));
      last = answered.catch(() => undefined);
      return answered;
    },
    checkpoint(hash) {
      const log = logs.find(({ verifier }) => toHash(verifier.name) === hash);
      const body = log && state.checkpointOf(log.verifier.name);
      return body === undefined
        ? { status: 404, contentType: plain, body: 'no checkpoint of this log was cosigned\n' }
        : { status: 200, contentType: plain, body };
    },
  };
}
