import { asMembers, attempt, type JsonObject } from '../../core/json.ts';

const texts = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');

/** `cmd` and `uri` are Goose's. */
const launching = ['command', 'url', 'serverUrl', 'httpUrl', 'cmd', 'uri'];

export const isLaunching = (server: JsonObject): boolean => launching.some((member) => server[member]);

/** How a client of MCP reaches a server. Neither if it has both without a type. */
export function readServer(server: JsonObject) {
  const { command = server.cmd } = server;
  const [address] = texts([server.url, server.serverUrl, server.httpUrl, server.uri]).filter(Boolean);
  const { path = command, args = server.args } = asMembers(command);
  const given = [...texts(path), ...texts(typeof args === 'string' ? args.split(/\s+/) : args)];
  const isStdio = server.type === 'stdio' || server.type === 'local';
  if (address !== undefined && (given.length === 0 || (server.type !== undefined && !isStdio)))
    return { address };
  if (address !== undefined && !isStdio) return {};
  const variables = { ...asMembers(server.env), ...asMembers(server.envs), ...asMembers(server.environment) };
  return { given, variables };
}

const deepest = 5;

/** `name` is that of its member, or its own. */
export interface ConfiguredServer {
  readonly server: JsonObject;
  readonly name?: string | undefined;
}

/** A word that is nothing but JSON in base64 or encoded for an address, without an option before it. */
export function decodedWord(word: string): string {
  const [, base64, encoded] =
    /^(?:--?[\w-]+=)?(?:(e[wy][\w+/-]{20,}={0,2})|(%(?:7b|5b)\S+))$/i.exec(word) ?? [];
  if (base64 !== undefined) return Buffer.from(base64, 'base64').toString();
  return (encoded && attempt(() => decodeURIComponent(encoded))) || '';
}

const longestWrapped = 4000;

/** Those that a word or a variable of a server is the configuration of, such as what a proxy starts. */
export function wrappedIn(server: JsonObject, depth = 1): ConfiguredServer[] {
  const { given = [], variables = {} } = readServer(server);
  return texts([...given, ...Object.values(variables)]).flatMap((word) => {
    const text = word.length > longestWrapped ? '' : decodedWord(word) || word;
    const json = text.slice(text.search(/[{[]/), Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1);
    const value = attempt(() => JSON.parse(json) as unknown);
    // The address of anything else is no server.
    return serversIn(value, undefined, depth).filter((one) => {
      const { address = 'mcp' } = readServer(one.server);
      return one.server.type !== undefined || /mcp|sse/i.test(address);
    });
  });
}

/** Those that a configuration starts or connects to, at any member, and those within them. */
export function serversIn(value: unknown, name?: string, depth = 0): ConfiguredServer[] {
  if (depth > deepest || typeof value !== 'object' || value === null) return [];
  const server = asMembers(value);
  const [own] = texts(server.name);
  if (isLaunching(server)) return [{ server, name: name ?? own }, ...wrappedIn(server, depth + 1)];
  return Object.entries(value).flatMap(([member, inner]) =>
    // Of a record, that is where its code is.
    member === 'repository' ? [] : serversIn(inner, Array.isArray(value) ? undefined : member, depth + 1),
  );
}
