import type { Observation } from '../../../src/observations/known/observation.ts';
import { type Directory, openDirectory } from '../directory.ts';
import { registryEntry } from '../entries.ts';
import type { Endpoint } from './mcp-endpoint.ts';

/** A directory whose listings have their endpoints at servers of a test. */
export interface ObservedDirectory {
  readonly directory: Directory;
  /**
   * Checks a host, and reads its facts of a kind. Of a price, `place` is `quote`, or the end of the subject:
   * `.well-known/x402`.
   */
  look(host: string, kind: string, place?: string): Promise<Observation[]>;
  close(): Promise<void>;
}

/** The handle of the listing whose endpoint is at `<name>.example.com`. */
export const handleAt = (name: string): string => `com.example.${name}/a`;

/**
 * Opens a directory with one listing for each server: endpoint `https://<name>.example.com/mcp`, website
 * `/about` there, both reached at the server's address. Closes the servers with it.
 */
export async function openObserved(
  servers: Readonly<Record<string, Endpoint>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ObservedDirectory> {
  const hosts = Object.entries(servers).map(([name, { url }]) => [`${name}.example.com`, url]);
  const directory = await openDirectory({
    entries: Object.keys(servers).map((name) =>
      registryEntry(handleAt(name), {
        websiteUrl: `https://${name}.example.com/about`,
        remotes: [{ type: 'streamable-http', url: `https://${name}.example.com/mcp` }],
      }),
    ),
    environment: { HOST_OVERRIDES: JSON.stringify(Object.fromEntries(hosts)), ...environment },
  });
  return {
    directory,
    async look(name, kind, place) {
      await directory.observe(handleAt(name));
      const answer = await directory.app.request(`/agents/${handleAt(name)}.json`);
      const { observations } = (await answer.json()) as { observations: Observation[] };
      const isThere = ({ subject = '' }: Observation) =>
        place === undefined ||
        (place === 'quote' ? !subject.includes(' in ') : subject.endsWith(` in ${place}`));
      return observations.filter((one) => one.kind === kind && isThere(one));
    },
    async close() {
      await directory.close();
      await Promise.all(Object.values(servers).map((server) => server.close()));
    },
  };
}

/** Opens a directory with a server that `start` makes for each name, and checks each twice. */
export async function openCheckedTwice(
  names: readonly string[],
  start: (name: string) => Promise<Endpoint>,
): Promise<ObservedDirectory> {
  const servers = await Promise.all(names.map(async (name) => [name, await start(name)] as const));
  const observed = await openObserved(Object.fromEntries(servers), { LIMITS: 'off' });
  for (const name of [...names, ...names]) await observed.directory.observe(handleAt(name));
  return observed;
}
