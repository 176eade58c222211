import { setTimeout as wait } from 'node:timers/promises';
import { type OfferedTool, startModernServer } from '../../../test/support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../../../test/support/entries.ts';

const publishers = ['one', 'two', 'three', 'four', 'five'];
const hostOf = (name: string) => `mcp.healthy-${name}.example`;

/** Their listings. */
export const healthyHandles: readonly string[] = publishers.map((name) => `example.healthy-${name}/agent`);

export const healthyEntries = publishers.map((name, at) =>
  registryEntry(healthyHandles[at] ?? '', {
    remotes: [{ type: 'streamable-http', url: `https://${hostOf(name)}/mcp` }],
  }),
);

const tools: readonly OfferedTool[] = [
  { name: 'replay', description: 'Sends a delivery again', readOnlyHint: false },
  { name: 'list', description: 'Lists deliveries', readOnlyHint: true },
];

const answersAfter_ms = 1000;

/** Starts the endpoint of healthy publishers, which takes its time, at a name that the system resolves. */
export async function startHealthy() {
  const endpoint = await startModernServer(
    () => tools,
    () => wait(answersAfter_ms),
  );
  const url = endpoint.url.replace('127.0.0.1', 'localhost');
  return {
    overrides: Object.fromEntries(publishers.map((name) => [hostOf(name), url])),
    close: endpoint.close,
  };
}

type Facts = ReadonlyMap<string, string>;

interface Observation {
  readonly kind: string;
  readonly subject?: string;
  readonly outcome: string;
  readonly value?: unknown;
  /** Absent before the first check. */
  readonly observed_at?: string;
}

/** What a listing's document says was observed, by kind and subject. */
async function readFacts(url: string, handle: string): Promise<Facts> {
  const answer = await fetch(`${url}/agents/${handle}.json`, { signal: AbortSignal.timeout(10_000) });
  const { observations = [] } = (await answer.json()) as { observations?: readonly Observation[] };
  return new Map(
    observations
      .filter(({ observed_at }) => observed_at !== undefined)
      .map(({ kind, subject = '', outcome, value }) => [
        `${kind} ${subject.replace(/healthy-\w+/, 'healthy')}`,
        JSON.stringify([outcome, value ?? null]),
      ]),
  );
}

/** What all healthy publishers' listings say; nothing of those that cannot be read. */
export const readAllFacts = (url: string): Promise<Facts[]> =>
  Promise.all(healthyHandles.map((handle) => readFacts(url, handle).catch(() => new Map())));

/** Facts that differ from those of a listing that nobody attacked, as `kind: what it says`. */
export function toFalseFacts(found: readonly Facts[], right: Facts): string[] {
  const wrong = found.flatMap((facts) => [...facts].filter(([kind, said]) => right.get(kind) !== said));
  return wrong.map(([kind, said]) => `${kind}: ${said}`);
}
