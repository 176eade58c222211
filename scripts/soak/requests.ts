import { setTimeout as wait } from 'node:timers/promises';
import type { ClusterNode } from './cluster.ts';

const timeout_ms = 10_000;

/** Counts of what happened, by kind. */
export interface Tally {
  count(kind: string): void;
  readonly counts: ReadonlyMap<string, number>;
}

/** An empty tally. */
export function createTally(): Tally {
  const counts = new Map<string, number>();
  return { counts, count: (kind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1) };
}

/** One request to a node; a POST where it has a body. */
export interface Call {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** A plain call of a tool. */
export const toTool = (tool: string, body: object, capability?: string): Call => ({
  path: `/api/tools/${tool}`,
  body,
  ...(capability && { headers: { authorization: `Bearer ${capability}` } }),
});

/** Why there was no answer: the code of the socket's error. */
function kindOf(error: unknown): string {
  const { cause, name } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? name;
}

/**
 * Sends one request. Returns the status and the text of a 200; anything else is counted among `errors` by its
 * kind.
 */
async function exchange(
  node: ClusterNode,
  { path, body, headers }: Call,
  errors: Tally,
): Promise<{ readonly status: number | undefined; readonly text: string | undefined }> {
  try {
    const answer = await fetch(node.url + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      signal: AbortSignal.timeout(timeout_ms),
    });
    const { status } = answer;
    const text = await answer.text();
    if (status === 200) return { status, text };
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    errors.count(`${status} ${code} from ${path.split('/').slice(0, 4).join('/')}`);
    return { status, text: undefined };
  } catch (error) {
    errors.count(kindOf(error));
    return { status: undefined, text: undefined };
  }
}

/** Sends one request. Returns the text of a 200; anything else is counted among `errors` by its kind. */
export const send = async (node: ClusterNode, call: Call, errors: Tally): Promise<string | undefined> =>
  (await exchange(node, call, errors)).text;

/** A node says that there is nothing by that name: sent again, the call would be refused again. */
export class NotThereError extends Error {}

/**
 * Sends a call to the nodes in turn, starting with node `first`, until one acknowledges it. Returns its text
 * and the number of the node; throws if none does within a minute, and NotThereError as soon as one answers
 * 404.
 */
export async function sendUntilAcknowledged(
  nodes: readonly ClusterNode[],
  call: Call,
  { first, errors }: { readonly first: number; readonly errors: Tally },
): Promise<{ readonly text: string; readonly by: number }> {
  const end_ms = performance.now() + 60_000;
  for (let tried = 0; performance.now() < end_ms; tried++) {
    const by = (first + tried) % nodes.length;
    const node = nodes[by];
    const { status, text } = node ? await exchange(node, call, errors) : {};
    if (text !== undefined) return { text, by };
    if (status === 404) throw new NotThereError(`${call.path}: not found`);
    await wait(20 + 30 * Math.random());
  }
  throw new Error(`no node acknowledged ${call.path} in a minute`);
}
