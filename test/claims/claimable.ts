import type { Timeouts } from '../../src/config/timeouts.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { createGitServer, type GitServer } from '../support/git-server.ts';

/** An answer of POST /api/claim-github, or its problem. */
export interface ClaimAnswer {
  readonly status: string | number;
  readonly check: { readonly result: string; readonly commit?: string };
  readonly challenge: string;
  readonly capability: string;
  readonly [field: string]: unknown;
}

/** A service whose listings record repositories of a real git server, used through its public doors. */
export interface Claimable {
  readonly directory: Directory;
  readonly git: GitServer;
  /**
   * POST /api/claim-github, more than 30 seconds after the last one; a capability goes into Authorization.
   */
  claim(handle: string, input?: Record<string, unknown>, capability?: string): Promise<ClaimAnswer>;
  /**
   * Checks, and checks again a day later, after a pass of re-checks: the result of two readings a day apart.
   */
  claimTwice(handle: string, input?: Record<string, unknown>): Promise<ClaimAnswer>;
  /** Status and body of a page or document. */
  get(path: string): Promise<{ status: number; body: string }>;
  /** The history of a claim: type, reason, control root. */
  history(handle: string): Promise<string[]>;
  close(): Promise<void>;
}

/** An entry whose listing records a repository of github.com. */
export const recorded = (handle: string, repository: string, more: Record<string, unknown> = {}) =>
  registryEntry(handle, {
    repository: { url: `https://github.com/${repository}`, source: 'github' },
    ...more,
  });

/** Opens the service; close it after use. */
export async function openClaimable(
  entries: Parameters<Directory['importEntries']>[0],
  environment: Record<string, string> = {},
  timeouts: Partial<Timeouts> = {},
): Promise<Claimable> {
  const git = await createGitServer();
  const REPOSITORY_HOSTS = JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } });
  const directory = await openDirectory({
    entries,
    environment: { LIMITS: 'off', REPOSITORY_HOSTS, ...environment },
    timeouts,
  });
  return {
    directory,
    git,
    async claim(handle, input = {}, capability) {
      directory.wait(31);
      const response = await directory.app.request('/api/claim-github', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(capability && { authorization: `Bearer ${capability}` }),
        },
        body: JSON.stringify({ handle, ...input }),
      });
      return (await response.json()) as ClaimAnswer;
    },
    async claimTwice(this: Claimable, handle, input) {
      await this.claim(handle, input);
      directory.wait(86_400);
      await directory.recheck();
      return this.claim(handle, input);
    },
    async get(path) {
      const response = await directory.app.request(path);
      return { status: response.status, body: await response.text() };
    },
    async history(handle) {
      const events = await directory.store.claims.history(handle);
      return events.map(({ type, reason, root, root_generation }) =>
        [type, reason, root && `${root} ${root_generation}`].filter(Boolean).join(' '),
      );
    },
    async close() {
      await directory.close();
      await git.close();
    },
  };
}
