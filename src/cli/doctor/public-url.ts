import type { Store } from '../../store/store.ts';
import { logOrigin } from '../../transparency-log/keys.ts';
import { ask } from './ask.ts';
import { type Check, type Finding, fault, fine, type Subject, warning } from './check.ts';

const isLocal = (url: string) => /^(localhost|127\.|\[::1\])/.test(new URL(url).hostname);

/** Whether the newest checkpoint there is of this log: a proxy may lead to another service. */
async function compareLog(url: string, store: Store): Promise<Finding> {
  const [head] = (await store.log.heads()).toReversed();
  const origin = logOrigin(head?.id ?? 1, url);
  const answer = await ask(`https://${origin}/checkpoint`.replace('https:', new URL(url).protocol));
  if (typeof answer !== 'string' && answer.status === 200 && answer.text.startsWith(`${origin}\n`))
    return fine(`${url} leads to a service with this log’s name`);
  return fault(
    `${url} does not publish the log ${origin}`,
    'look where the proxy leads, and at PUBLIC_URL of that service',
  );
}

async function readHealth({ config: { publicUrl }, store }: Subject): Promise<Finding> {
  const answer = await ask(`${publicUrl}/healthz`);
  if (typeof answer === 'string')
    return warning(
      `${publicUrl} does not answer: ${answer}`,
      'start the service, or look at the proxy and at PUBLIC_URL',
    );
  if (answer.status !== 200 || answer.text !== 'ok\n')
    return fault(
      `${publicUrl}/healthz answers ${answer.status}, not as a Dossier`,
      'look where the proxy leads',
    );
  return store ? compareLog(publicUrl, store) : fine(`${publicUrl} answers`);
}

/** Whether PUBLIC_URL, which all links and challenges are made from, leads to this service. */
export const publicUrl: Check = {
  name: 'PUBLIC_URL',
  async look(subject) {
    const { publicUrl: url } = subject.config;
    const plain = url.startsWith('http:') && !isLocal(url);
    return [
      ...(plain
        ? [warning(`${url} is not encrypted`, 'put a proxy with TLS in front (docs/operations.md)')]
        : []),
      await readHealth(subject),
    ];
  },
};
