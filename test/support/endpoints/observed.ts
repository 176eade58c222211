import type { Observation } from '../../../src/observations/known/observation.ts';
import { type Directory, documentOf } from '../directory.ts';
import { registryEntry, remotesAt } from '../entries.ts';
import { opened, openedDirectory } from '../opened.ts';
import type { Endpoint } from './mcp-endpoint.ts';

/** A directory whose listings have their endpoints at servers of a test. */
export interface ObservedDirectory {
  readonly directory: Directory;
  /** The servers by their names. */
  readonly servers: Readonly<Record<string, Endpoint>>;
  /**
   * Checks a host, and reads its facts of a kind. Of a price, `place` is `quote`, or the end of the subject:
   * `.well-known/x402`.
   */
  look(host: string, kind: string, place?: string): Promise<Observation[]>;
}

/** The handle of the listing whose endpoint is at `<name>.example.com`. */
export const handleAt = (name: string): string => `com.example.${name}/a`;

/**
 * Opens a directory with one listing for each server: endpoint `https://<name>.example.com/mcp`, website
 * `/about` there, both reached at the server's address; it closes them all by itself.
 */
export async function openObserved(
  servers: Readonly<Record<string, Endpoint | Promise<Endpoint>>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ObservedDirectory> {
  const started = await Promise.all(
    Object.entries(servers).map(async ([name, one]) => [name, await one] as const),
  );
  for (const [, server] of started) await opened(server);
  const directory = await openedDirectory({
    entries: started.map(([name]) =>
      registryEntry(handleAt(name), {
        websiteUrl: `https://${name}.example.com/about`,
        ...remotesAt(`https://${name}.example.com/mcp`),
      }),
    ),
    hosts: Object.fromEntries(started.map(([name, server]) => [`${name}.example.com`, server])),
    environment,
  });
  return {
    directory,
    servers: Object.fromEntries(started),
    async look(name, kind, place) {
      await directory.observe(handleAt(name));
      const { observations } = (await documentOf(directory, handleAt(name))) as {
        observations: Observation[];
      };
      const isThere = ({ subject = '' }: Observation) =>
        place === undefined ||
        (place === 'quote' ? !subject.includes(' in ') : subject.endsWith(` in ${place}`));
      return observations.filter((one) => one.kind === kind && isThere(one));
    },
  };
}

/** Opens a directory with a server that `start` makes for each name, and checks each twice. */
export async function openCheckedTwice(
  names: readonly string[],
  start: (name: string) => Promise<Endpoint>,
): Promise<ObservedDirectory> {
  const servers = Object.fromEntries(names.map((name) => [name, start(name)]));
  const observed = await openObserved(servers, { LIMITS: 'off' });
  for (const name of [...names, ...names]) await observed.directory.observe(handleAt(name));
  return observed;
}
