import { type Directory, type DirectoryOptions, openDirectory } from './directory.ts';
import { createGitServer, type GitServer } from './git-server.ts';
import { ratingOf } from './ratings.ts';

type Json = Record<string, unknown>;

/** A whole service whose github.com is a real git server on loopback. */
export interface ClaimedDirectory extends Directory {
  readonly git: GitServer;
  /** Claims a listing as its owner would, over HTTP with a commit in between; returns the live capability. */
  claim(handle: string, repository: string): Promise<string>;
  /** Rates a listing with a capability; what the tool answers, which must be no problem. */
  rate(handle: string, capability: string, more?: object): Promise<{ rating_id: string; status: string }>;
}

/** Opens it, by default with the two listings of the specification, limits off; close it after use. */
export async function openClaimedDirectory(options: DirectoryOptions = {}): Promise<ClaimedDirectory> {
  const git = await createGitServer();
  const REPOSITORY_HOSTS = JSON.stringify({ 'github.com': { git: git.url, raw: `${git.url}/raw` } });
  const directory = await openDirectory({
    ...options,
    environment: { LIMITS: 'off', REPOSITORY_HOSTS, ...options.environment },
  });
  const { post } = directory;
  return {
    ...directory,
    git,
    async claim(handle, path) {
      const repository = git.createRepository(path);
      repository.commit({ 'README.md': 'a repository' });
      const issued = (await (await post('/api/claim-github', { handle })).json()) as Json;
      repository.commit({ 'dossier-claim.txt': String(issued.file_contents) });
      directory.wait(31);
      const { status } = (await (await post('/api/claim-github', { handle })).json()) as Json;
      if (status !== 'claimed') throw new Error(`${handle} is ${String(status)}`);
      return String(issued.capability);
    },
    async rate(handle, capability, more = {}) {
      const rating = ratingOf(handle, { interaction_at: directory.context.clock().toISOString(), ...more });
      const answer = await post('/api/tools/submit_rating', rating, capability);
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as { rating_id: string; status: string };
    },
    async close() {
      await directory.close();
      await git.close();
    },
  };
}
