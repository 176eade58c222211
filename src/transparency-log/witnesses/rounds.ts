import type { AskedWitness } from '../../config/witnesses-file.ts';
import { witnessAnswers } from '../../observability/events.ts';
import { currentCheckpoint, type IssuedCheckpoint, type IssuingContext } from '../issue-checkpoint.ts';
import { type Asked, askWitness, createWitnessClient } from './ask.ts';

/** Asks all witnesses of a service. */
export interface WitnessRounds {
  /** Asks those that have not cosigned the newest checkpoint; what arrives is published at the end. Rejects if the log cannot be read. */
  ask(): Promise<void>;
}

/** What the operator reads of a witness that did not cosign. */
function report({ log }: IssuingContext, { name }: AskedWitness, asked: Asked, size: number): void {
  const about = { witness: name, size };
  if (asked.result === 'larger_tree')
    log.error(
      { ...about, cosigned_size: asked.size },
      'a witness cosigned a larger tree of this log than the database has: the log was rolled back, or the witness is wrong; run dossier audit with a saved checkpoint',
    );
  else if (asked.result === 'refused_tree')
    log.error(
      about,
      'a witness says that this log does not continue the tree that it cosigned: there are two histories, or the witness is wrong; run dossier audit with a saved checkpoint',
    );
  else if (asked.result === 'wrong_cosignature')
    log.error(
      about,
      'a witness sent a cosignature that is not valid for the checkpoint; it is not published',
    );
  else if (asked.result === 'unavailable')
    log.warn({ ...about, why: asked.why }, 'a witness did not cosign; it is asked again');
}

/** The rounds of one process. Which size each witness cosigned last is learnt from it after a start (answer 409). */
export function createWitnessRounds(context: IssuingContext): WitnessRounds {
  const { checkpoints, config } = context;
  const asking = { store: context.store, client: createWitnessClient(config) };
  const sizes = new Map<string, number>();
  const sizeKey = (witness: AskedWitness, { head }: IssuedCheckpoint) => `${head.id} ${witness.name}`;

  async function askOne(witness: AskedWitness, checkpoint: IssuedCheckpoint): Promise<Asked> {
    const key = sizeKey(witness, checkpoint);
    const oldSize = Math.min(sizes.get(key) ?? 0, checkpoint.size);
    const { asked } = await askWitness(asking, { witness, checkpoint, oldSize });
    if (asked.result === 'cosigned') sizes.set(key, asked.size);
    witnessAnswers.publish({ witness: witness.name, result: asked.result, at_ms: context.clock().getTime() });
    report(context, witness, asked, checkpoint.size);
    return asked;
  }

  return {
    async ask() {
      const checkpoint = await currentCheckpoint(context);
      if (checkpoint.size === 0) return;
      const { cosigned } = checkpoints;
      const lines = new Map(cosigned?.checkpoint.text === checkpoint.text ? cosigned.lines : []);
      const pending = config.witnesses.filter(({ name }) => !lines.has(name));
      const answers = await Promise.all(
        pending.map(async (witness) => ({ witness, asked: await askOne(witness, checkpoint) })),
      );
      for (const { witness, asked } of answers)
        if (asked.result === 'cosigned') lines.set(witness.name, asked.line);
      if (lines.size > 0) checkpoints.cosigned = { checkpoint, lines };
    },
  };
}
