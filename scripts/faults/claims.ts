import { setTimeout as wait } from 'node:timers/promises';
import { createGitServer, type GitServer } from '../../test/support/git-server.ts';
import type { Cluster } from '../soak/cluster.ts';
import { send, toTool } from '../soak/requests.ts';
import { byNow_ms, type Ledger } from '../soak/writers.ts';

const pause_ms = 1000;

/** A real git server that stands for github.com, and the setting by which nodes read it. */
export interface Forge {
  readonly git: GitServer;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts it, without repositories. */
export async function openForge(): Promise<Forge> {
  const git = await createGitServer();
  const REPOSITORY_HOSTS = JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } });
  return { git, environment: { REPOSITORY_HOSTS } };
}

/** The fields of a claim's answer that tell what to do next. */
interface Answer {
  readonly status: string;
  readonly check: { readonly result: string };
  readonly repository: string;
  readonly claim_file: string;
  readonly challenge?: string;
}

interface Claims {
  readonly git: GitServer;
  readonly handles: readonly string[];
  readonly ledger: Ledger;
}

const any = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];

/** Asks any node that is up, without the answer of a node that failed. */
async function ask({ nodes }: Cluster, body: object, { errors }: Ledger): Promise<Answer | undefined> {
  const node = any(nodes.filter(({ isUp }) => isUp));
  const text = node && (await send(node, toTool('claim_agent', body), errors));
  return text === undefined ? undefined : (JSON.parse(text) as Answer);
}

/**
 * Claims one listing as its owner would: asks, commits the line to the repository, asks again until it is
 * claimed.
 */
async function claim(cluster: Cluster, handle: string, claims: Claims & { readonly stopped: AbortSignal }) {
  let [repository, rotate]: [ReturnType<GitServer['createRepository']> | undefined, boolean] = [
    undefined,
    false,
  ];
  for (; !claims.stopped.aborted; await wait(pause_ms)) {
    const answer = await ask(cluster, { handle, rotate }, claims.ledger);
    if (answer?.status === 'claimed') {
      claims.ledger.claims.push({ id: handle, at_ms: byNow_ms() });
      return;
    }
    // A line that was made while the clock was ahead or behind does not count any more.
    rotate = answer?.check.result.startsWith('challenge_') ?? false;
    if (!answer?.challenge) continue;
    repository ??= claims.git.createRepository(new URL(answer.repository).pathname.slice(1));
    repository.commit({ [answer.claim_file]: answer.challenge });
  }
}

/**
 * Claims the listings one after the other until the signal; those that a node acknowledged are in the ledger.
 */
export async function claimAll(cluster: Cluster, claims: Claims, stopped: AbortSignal): Promise<void> {
  for (const handle of claims.handles) {
    if (stopped.aborted) return;
    await claim(cluster, handle, { ...claims, stopped });
    await wait(pause_ms * 2 * Math.random());
  }
}
