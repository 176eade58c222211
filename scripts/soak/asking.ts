import { setTimeout as wait } from 'node:timers/promises';
import type { ClusterNode } from './cluster.ts';

const timeout_ms = 10_000;

/** What was asked and what came of it, counted by kind. */
export interface Tally {
  count(kind: string): void;
  readonly counts: ReadonlyMap<string, number>;
}

/** A tally with nothing in it. */
export function createTally(): Tally {
  const counts = new Map<string, number>();
  return { counts, count: (kind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1) };
}

/** One request. */
export interface Asked {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** A plain call of a tool. */
export const toTool = (tool: string, body: object, capability?: string): Asked => ({
  path: `/api/tools/${tool}`,
  body,
  ...(capability && { headers: { authorization: `Bearer ${capability}` } }),
});

/** Why no answer came: the code of the socket's error. */
function kindOf(error: unknown): string {
  const { cause, name } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? name;
}

/** Asks a node once. Answers the text of a 200; anything else is counted among `errors` by its kind. */
export async function ask(node: ClusterNode, asked: Asked, errors: Tally): Promise<string | undefined> {
  const { path, body, headers } = asked;
  try {
    const answer = await fetch(node.url + path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      signal: AbortSignal.timeout(timeout_ms),
    });
    const text = await answer.text();
    if (answer.status === 200) return text;
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    errors.count(`${answer.status} ${code} from ${path.split('/').slice(0, 4).join('/')}`);
  } catch (error) {
    errors.count(kindOf(error));
  }
  return undefined;
}

/**
 * Asks the nodes in turn, beginning with one of them, until one acknowledges. Answers its text and which it was; throws
 * where none does in a minute.
 */
export async function untilAcknowledged(
  nodes: readonly ClusterNode[],
  asked: Asked,
  { first, errors }: { readonly first: number; readonly errors: Tally },
): Promise<{ readonly text: string; readonly by: number }> {
  const end_ms = performance.now() + 60_000;
  for (let tried = 0; performance.now() < end_ms; tried++) {
    const by = (first + tried) % nodes.length;
    const node = nodes[by];
    const text = node && (await ask(node, asked, errors));
    if (text !== undefined) return { text, by };
    await wait(20 + 30 * Math.random());
  }
  throw new Error(`no node acknowledged ${asked.path} in a minute`);
}
