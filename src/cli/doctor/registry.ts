import { sampleSource } from '../../evidence/listing/state/sample.ts';
import { ask } from './ask.ts';
import { type Check, type Finding, fault, fine, type Subject, warning } from './check.ts';

async function readImport({ store, config, clock }: Subject): Promise<Finding> {
  const { run, done } = (await store?.imports.last()) ?? {};
  if (run?.state === 'held')
    return fault('the newest import is held, because it would change too much', 'see dossier import --help');
  if (run?.state === 'failed')
    return fault(
      `the newest import failed: ${run.error ?? 'the log of the service says why'}`,
      'look at the registry and at REGISTRY_URL; dossier import tries again',
    );
  const isSample = done?.source === sampleSource;
  if (isSample && /^https?:/.test(config.registryUrl))
    return warning(
      'only the sample was imported yet, no registry',
      'start the service, or run dossier import; the log of the service says why there was none',
    );
  if (!done?.finished_at)
    return warning('nothing was imported yet', 'start the service, or run dossier import');
  const age_s = (clock().getTime() - Date.parse(done.finished_at)) / 1000;
  const text = `the last import${isSample ? ', of the sample,' : ''} ended ${done.finished_at}`;
  const isOld = /^https?:/.test(config.registryUrl) && age_s > 3 * config.importInterval_s;
  return isOld ? warning(text, 'the log of the service says why there was none since') : fine(text);
}

async function readUpstream(registryUrl: string): Promise<Finding> {
  if (!/^https?:/.test(registryUrl)) return fine(`REGISTRY_URL is ${registryUrl}: no registry is asked`);
  const answer = await ask(`${registryUrl}/v0.1/servers?limit=1`);
  if (typeof answer !== 'string' && answer.status === 200) return fine(`${registryUrl} answers`);
  return fault(
    `${registryUrl} ${typeof answer === 'string' ? `cannot be reached: ${answer}` : `answers ${answer.status}`}`,
    'look at the network and at REGISTRY_URL; listings stay as they are until it answers',
  );
}

/** Whether the registry answers, and when the last import ended. */
export const registry: Check = {
  name: 'registry',
  look: async (subject) => [await readUpstream(subject.config.registryUrl), await readImport(subject)],
};
