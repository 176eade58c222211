import { ownMember } from '../../core/json.ts';
import { readCheckpointFile } from '../../log/checkpoint-file.ts';
import { type IssuedCheckpoint, logOfOrigin } from '../../log/checkpoints.ts';
import { readCheckpoint } from '../../log/notes.ts';
import { type AskedWitness, type askWitness, readWitnesses } from '../../log/witnesses.ts';
import {
  ask,
  type DoctorFinding,
  type DoctorFindings,
  type DoctorSubject,
  fault,
  fine,
  warning,
} from './findings.ts';

const compare =
  'compare this log with checkpoints saved elsewhere: dossier audit --checkpoint FILE; ask the witness for the checkpoint that it cosigned';

const whyRefused: Readonly<Record<string, readonly [string, string]>> = {
  'status 404': ['does not know this log', 'send its operator the key at /log/key'],
  'status 403': ['knows another key of this log', 'send its operator the key at /log/key'],
};

async function publishedCheckpoint({ config, store }: DoctorSubject): Promise<IssuedCheckpoint | undefined> {
  const saved = (await readCheckpointFile(config))?.texts[0];
  const answer = saved === undefined ? await ask(`${config.publicUrl}/log/checkpoint`) : undefined;
  const text = saved ?? (typeof answer === 'object' && answer.status === 200 ? answer.text : '');
  const checkpoint = readCheckpoint(text);
  const head =
    checkpoint && (await store?.log.heads())?.find(({ id }) => id === logOfOrigin(checkpoint.origin));
  const isHere = head && checkpoint && checkpoint.size > 0 && head.size >= checkpoint.size;
  // Without the cosignatures that a service adds.
  const end = text.indexOf('\n', text.indexOf('\n\n') + 2) + 1;
  return isHere ? { head, size: checkpoint.size, text: text.slice(0, end) } : undefined;
}

function toUnavailable({ name, url }: AskedWitness, why: string): DoctorFinding {
  const [text, next] = ownMember(whyRefused, why) ?? [];
  if (text && next) return fault(`${name} ${text}`, next);
  return warning(
    `${name} does not answer at ${url.href}: ${why}`,
    'checkpoints go without its cosignature until it does; look at the network and at its address',
  );
}

function toWitnessFinding(
  witness: AskedWitness,
  { asked, before }: Awaited<ReturnType<typeof askWitness>>,
  size: number,
): DoctorFinding {
  const { name } = witness;
  switch (asked.result) {
    case 'cosigned':
      return before === undefined
        ? fine(`${name} has cosigned the published checkpoint of ${size} entries`)
        : fine(`${name} had cosigned ${before} of ${size} entries, and has now cosigned all of them`);
    case 'larger_tree':
      return fault(
        `${name} has cosigned ${asked.size} entries, and this log has fewer: it was rolled back, or the witness is wrong`,
        compare,
      );
    case 'refused_tree':
      return fault(
        `a fork: this log does not continue the tree of ${before ?? size} entries that ${name} cosigned, or the witness is wrong`,
        compare,
      );
    case 'wrong_cosignature':
      return fault(
        `${name} did not sign with the key that WITNESSES has for it`,
        'ask its operator for its key, and correct its line',
      );
    case 'other_size':
      return fine(`${name} has cosigned ${asked.size} entries; the log grew meanwhile`);
    case 'unavailable':
      return toUnavailable(witness, asked.why);
  }
}

export async function checkWitnesses(subject: DoctorSubject): DoctorFindings {
  const { config, store } = subject;
  const asked = readWitnesses(config.witnesses);
  if (asked.length === 0) return fine('none are asked (WITNESSES is not set)');
  const checkpoint = await publishedCheckpoint(subject);
  if (!store || !checkpoint)
    return warning(
      'not asked: the database contains no published checkpoint that has entries',
      'see log above',
    );
  const witnesses = await import('../../log/witnesses.ts');
  const asking = { store, client: witnesses.createWitnessClient(config) };
  const { size: oldSize } = checkpoint;
  return Promise.all(
    asked.map(async (witness) =>
      toWitnessFinding(
        witness,
        await witnesses.askWitness(asking, { witness, checkpoint, oldSize }),
        oldSize,
      ),
    ),
  );
}
