import pino from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { defaultTimeouts } from '../../src/config/timeouts.ts';
import { type Context, withCaller } from '../../src/context.ts';
import { createSearches } from '../../src/limits/searches.ts';
import type { Listing } from '../../src/listings/listing.ts';
import { createDomainReader } from '../../src/net/domains.ts';
import { createCheckTurns, createRepositoryReader } from '../../src/net/git.ts';
import type { Store } from '../../src/store/store.ts';
import { claimAgent } from '../../src/tools/claim-agent.ts';
import { callTool, type Tool } from '../../src/tools/tool.ts';
import { createDatabase, openDatabase } from '../support/database.ts';
import { createGitServer, type GitRepository, type GitServer } from '../support/git-server.ts';

/** An answer of claim_agent as a caller reads it. */
export interface Answer {
  readonly status: string;
  readonly check: {
    readonly result: string;
    readonly pinned: boolean;
    readonly retry_after_s?: number;
  } & Record<string, unknown>;
  readonly challenge: string;
  readonly capability: string;
  readonly capability_id: string;
  readonly [field: string]: unknown;
}

/** A directory with one listing, its repository on a real git server, and a clock that tests move. */
export interface ClaimDirectory {
  readonly context: Context;
  readonly git: GitServer;
  readonly repository: GitRepository;
  /** Moves the clock. */
  wait(seconds: number): void;
  /** Asks claim_agent, more than 30 s after the question before; a capability goes into Authorization. */
  ask(input?: Record<string, unknown>, capability?: string): Promise<Answer>;
  /** The same directory as another node sees it: its own memory, the same database. */
  otherNode(): Context;
  as(capability: string): Context;
  close(): Promise<void>;
}

const at = '2026-11-01T00:00:00.000Z';

/** A listing of one version, with a repository. */
export const claimableListing = (id: number, handle: string, repository: string | undefined): Listing => ({
  id,
  handle,
  title: 'Webhook',
  description: 'Receive, inspect, replay and deliver webhooks.',
  version: '1.0.0',
  origin: 'registry.test (MCP)',
  origin_status: 'active',
  status_message: undefined,
  published_at: at,
  updated_at: at,
  imported_at: at,
  import_run: 1,
  endpoint: 'https://mcp.webhook.co/mcp',
  repository,
  repository_key: repository?.replace('https://', '').toLowerCase(),
  website: undefined,
  remotes: [],
  packages: [],
  tags: [],
  withdrawn: undefined,
  facets: ['state:imported', 'has:repository'],
});

/** Adds or replaces listings. */
export const putListings = (store: Store, ...rows: Listing[]) =>
  store.write((tx) => tx.listings.putListings(rows));

/** A context as a process makes it, with a reader of its own whose github.com is the git server. */
export function createClaimContext(
  gitUrl: string,
  node: { readonly store: Store; readonly clock: () => Date },
  environment: Record<string, string> = {},
): Context {
  const REPOSITORY_HOSTS = JSON.stringify({ 'github.com': { git: gitUrl, raw: `${gitUrl}/raw` } });
  const config = readConfig(
    { PUBLIC_URL: 'https://dossier.example', LIMITS: 'off', REPOSITORY_HOSTS, ...environment },
    '0.0.0',
  );
  return {
    ...node,
    config,
    repositories: createRepositoryReader(config.repositoryHosts),
    domains: createDomainReader(config, defaultTimeouts),
    runningChecks: new Map(),
    askedChecks: {},
    checkTurns: createCheckTurns(),
    searches: createSearches(config),
    checkpoints: {},
    reading: {},
    timeouts: defaultTimeouts,
    log: pino({ level: 'silent' }),
    caller: { network: '127.0.0.1' },
  };
}

/** Opens a directory with the listing co.webhook/webhook at github.com/webhook-co/webhook. */
export async function openClaimDirectory(environment: Record<string, string> = {}): Promise<ClaimDirectory> {
  const git = await createGitServer();
  const store = await openDatabase(await createDatabase());
  await putListings(
    store,
    claimableListing(1, 'co.webhook/webhook', 'https://github.com/webhook-co/webhook'),
  );
  const now = new Date('2026-11-21T10:00:00Z');
  const createContext = () => createClaimContext(git.url, { store, clock: () => new Date(now) }, environment);
  const context = createContext();
  const wait = (seconds: number) => void now.setTime(now.getTime() + seconds * 1000);
  return {
    context,
    git,
    repository: git.createRepository('webhook-co/webhook'),
    wait,
    ask(input = {}, capability) {
      wait(31);
      const caller = { network: '127.0.0.1', ...(capability && { capability }) };
      return askClaim(withCaller(context, caller), input);
    },
    otherNode: createContext,
    as: (capability) => withCaller(context, { network: '127.0.0.1', capability }),
    async close() {
      await store.close();
      await git.close();
    },
  };
}

/** One call of claim_agent through the tool door. */
export const askClaim = async (context: Context, input: Record<string, unknown> = {}): Promise<Answer> => {
  const sent = { handle: 'co.webhook/webhook', ...input };
  return (await callTool(claimAgent as unknown as Tool, sent, context)) as unknown as Answer;
};
