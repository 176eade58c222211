import type { ServerResponse } from 'node:http';
import { type RegistryEntry, registryEntry } from '../../../test/support/entries.ts';

/** What Dossier asked a hostile host for: the path, the body, and the host's name in the record. */
export interface Asked {
  readonly path: string;
  readonly body: string;
  readonly host: string;
}

/** What it gets: an answer, or what somebody does with the response. */
export type Reply =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Buffer;
    }
  | ((response: ServerResponse) => void);

/** A publisher who wants to stop the service, or others: some listings, and what their endpoints answer. */
export interface HostilePublisher {
  /** 1 if absent. */
  readonly listings?: number;
  /** Of each listing; 1 if absent. */
  readonly remotes?: number;
  /** Whether each remote is on a host of its own. */
  readonly areApart?: true;
  /** Behind the path of each remote. */
  readonly suffix?: string;
  /** Absent: its hosts have no address, and its name servers do what `names.ts` says. */
  readonly answer?: (asked: Asked) => Reply;
}

/** Publishers by the name of their domain. */
export type HostilePublishers = Readonly<Record<string, HostilePublisher>>;

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

const hostOf = (name: string, { areApart }: HostilePublisher, listing: number, remote: number): string =>
  areApart ? `h${listing}-${remote}.${name}.example` : `mcp.${name}.example`;

const hostsOf = (name: string, publisher: HostilePublisher): string[] =>
  upTo(publisher.listings ?? 1).flatMap((listing) =>
    upTo(publisher.remotes ?? 1).map((remote) => hostOf(name, publisher, listing, remote)),
  );

/** The handles of a publisher. */
export const toHandles = (name: string, { listings = 1 }: HostilePublisher): string[] =>
  upTo(listings).map((listing) => `example.${name}/agent-${listing}`);

/** Their records in a registry. */
export const toEntries = (name: string, publisher: HostilePublisher): RegistryEntry[] =>
  toHandles(name, publisher).map((handle, listing) =>
    registryEntry(handle, {
      remotes: upTo(publisher.remotes ?? 1).map((remote) => ({
        type: 'streamable-http',
        url: `https://${hostOf(name, publisher, listing, remote)}/mcp/${remote}${publisher.suffix ?? ''}`,
      })),
    }),
  );

/** HOST_OVERRIDES: where hosts.ts answers for them, below a path for each. */
export const toOverrides = (publishers: HostilePublishers, url: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(publishers)
      .filter(([, { answer }]) => answer)
      .flatMap(([name, publisher]) => hostsOf(name, publisher))
      .map((host) => [host, `${url}/${host}`]),
  );

/** The publisher of a host, by its name. */
export const publisherOf = (host: string): string => host.split('.').at(-2) ?? '';

/** That there is nothing. */
export const notFound: Reply = { status: 404, body: '' };

/** An answer in the content type of its body. */
export const json = (body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

const methodAndId = (body: string): { method?: string; id?: unknown } => {
  try {
    return JSON.parse(body) as { method?: string; id?: unknown };
  } catch {
    return {};
  }
};

/**
 * The JSON-RPC answers of an endpoint of 2026-07-28 whose list of tools is this JSON; everything else is not
 * there.
 */
export function answerMcp({ path, body }: Asked, result: () => string): Reply {
  if (!path.startsWith('/mcp')) return notFound;
  const { method, id } = methodAndId(body);
  const toMessage = (of: string) => json(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${of}}`);
  if (method === 'server/discover')
    return toMessage('{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}');
  return method === 'tools/list' ? toMessage(result()) : notFound;
}
