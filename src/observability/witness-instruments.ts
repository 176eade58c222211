import { Counter, Gauge, type Registry } from 'prom-client';
import { witnessAnswers } from './events.ts';

/** Shows what each witness of WITNESSES answered, and when it cosigned last. Returns a function that stops it. */
export function measureWitnesses(registers: Registry[]): () => void {
  const answers = new Counter({
    name: 'dossier_witness_answers_total',
    help: 'Answers of witnesses that were asked to cosign: cosigned, or why not',
    labelNames: ['witness', 'result'],
    registers,
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['witness'], registers });
  const cosignedAt = gauge(
    'dossier_witness_last_cosigned_timestamp_seconds',
    'When a witness cosigned a checkpoint last; a log without new entries is not cosigned again',
  );
  const isCosigned = gauge(
    'dossier_witness_cosigned',
    'Whether a witness cosigned the checkpoint that it was asked for last',
  );
  return witnessAnswers.subscribe(({ witness, result, at_ms }) => {
    answers.inc({ witness, result });
    isCosigned.set({ witness }, result === 'cosigned' ? 1 : 0);
    if (result === 'cosigned') cosignedAt.set({ witness }, at_ms / 1000);
  });
}
