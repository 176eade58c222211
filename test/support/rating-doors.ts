import { type ClaimedDirectory, openClaimedDirectory } from './claimed-directory.ts';
import { registryEntry, seedEntries } from './entries.ts';
import { type AnyClient, connect } from './mcp-clients.ts';
import { ratingOf } from './ratings.ts';
import { onGitHub } from './registry-entries.ts';

/** What a call answered: a tool's data, or the code and facts of its problem. */
export type Answered = Readonly<Record<string, unknown>> & {
  readonly code?: string;
  readonly rating_id?: string;
  readonly log_index?: number;
};

/** Calls a tool with a capability, through one public door. */
type CallTool = (tool: string, input: object, capability?: string) => Promise<Answered>;

/** A directory whose listings can be rated, and the claimed ones' capabilities. */
export interface RatedDirectory extends ClaimedDirectory {
  readonly call: CallTool;
  /** `com.rater/api`, claimed ten days before the tests begin. */
  readonly rater: string;
  /** `co.webhook/webhook`, claimed as long ago. */
  readonly subject: string;
  /** `com.third/api`, claimed just now. */
  readonly third: string;
  /** A well-formed submission of a new interaction with co.webhook/webhook; `change` replaces members. */
  rating(change?: object): Record<string, unknown>;
  /** The clock's time some seconds from now. */
  at(seconds: number): string;
}

const remote = (url: string) => ({ remotes: [{ type: 'streamable-http', url }] });
const packaged = (registryType: string, identifier: string) => ({ packages: [{ registryType, identifier }] });
const gone = (status: string) => registryEntry('org.gone/server', onGitHub('gone/server'), { status });

const entries = [
  ...seedEntries,
  registryEntry('com.rater/api', { ...onGitHub('rater/api'), ...remote('https://mcp.rater.example/mcp') }),
  registryEntry('com.third/api', onGitHub('third/api')),
  registryEntry('COM.Rater/other', onGitHub('elsewhere/other')),
  registryEntry('org.owner/same', onGitHub('RATER/another')),
  registryEntry('org.host/same', { ...onGitHub('b/b'), ...remote('https://MCP.rater.example:443/else') }),
  registryEntry('org.image/same', packaged('oci', 'ghcr.io/Rater/server:1.0.0')),
  registryEntry(
    'org.bundle/same',
    packaged('mcpb', 'https://github.com/rater/x/releases/download/v1/x.mcpb'),
  ),
  registryEntry('org.image/other', packaged('oci', 'docker.io/rater/server:1.0.0')),
  registryEntry('com.rater/all', { ...onGitHub('rater/all'), ...remote('https://mcp.rater.example/all') }),
  registryEntry('org.repository/same', onGitHub('Rater/API.git')),
  registryEntry('org.plain/server', onGitHub('plain/server')),
  registryEntry('org.plain/fresh', onGitHub('plain/fresh')),
  registryEntry('org.suspended/server', onGitHub('suspended/server')),
  registryEntry('org.revoked/server', onGitHub('revoked/server')),
  registryEntry('org.leaked/server', onGitHub('leaked/server')),
  gone('active'),
];

const overRest =
  ({ post }: ClaimedDirectory): CallTool =>
  async (tool, input, capability) =>
    (await (await post(`/api/tools/${tool}`, input, capability)).json()) as Answered;

function overMcp({ app }: ClaimedDirectory): CallTool {
  const clients = new Map<string, Promise<AnyClient>>();
  return async (tool, input, capability = '') => {
    const headers: Record<string, string> = capability ? { authorization: `Bearer ${capability}` } : {};
    const client = clients.get(capability) ?? connect('v2 at 2026-07-28', { app }, headers);
    clients.set(capability, client);
    const { structuredContent = {}, isError } = await (await client).call(tool, { ...input });
    return (isError ? structuredContent.error : structuredContent) as Answered;
  };
}

const doors = { 'POST /api/tools': overRest, 'an MCP client': overMcp } as const;
type DoorName = keyof typeof doors;
/** The public doors of the tools: plain JSON, and a real MCP client. */
export const doorNames = Object.keys(doors) as DoorName[];

/** Opens it with limits off; close it after use. */
export async function openRatedDirectory(
  door: DoorName,
  environment: Readonly<Record<string, string>> = {},
): Promise<RatedDirectory> {
  const directory = await openClaimedDirectory({ entries, environment });
  await directory.importEntries([gone('deleted')]);
  const rater = await directory.claim('com.rater/api', 'rater/api');
  const subject = await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  directory.wait(10 * 86_400);
  const third = await directory.claim('com.third/api', 'third/api');
  const at = (seconds: number) =>
    new Date(directory.context.clock().getTime() + seconds * 1000).toISOString();
  let made = 0;
  return {
    ...directory,
    call: doors[door](directory),
    rater,
    subject,
    third,
    at,
    rating: (change = {}) =>
      ratingOf('co.webhook/webhook', { interaction_id: `job-${made++}`, interaction_at: at(-60), ...change }),
  };
}
