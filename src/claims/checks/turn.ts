import { toWidestNetwork } from '../../limits/networks.ts';
import { Problem } from '../../problem.ts';
import { type CheckSubject, findCurrent, type Node } from './current-check.ts';

const tooMany = () =>
  new Problem('unavailable', {
    retry_after_s: 5,
    detail: 'Too many repositories are being checked at the moment.',
  });

/** Waits until a check may begin, unless there is a current one; returns what ends it. Throws unavailable. */
export async function awaitTurn(subject: CheckSubject, node: Node): Promise<() => void> {
  const { store, checkTurns, caller } = node;
  if (await findCurrent(store.checks, { subject, node, late: undefined })) return () => {};
  const hasClaim = (await store.claims.claim(subject.handle)) !== undefined;
  const leave = await checkTurns.enter({ network: toWidestNetwork(caller.network), hasClaim });
  if (!leave) throw tooMany();
  return leave;
}
