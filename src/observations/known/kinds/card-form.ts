import { asMembers, asObject, type JsonObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { code, say } from '../../../core/words.ts';
import { nameOf, surfaces } from '../../asked/endpoint/surface.ts';

export const longestName = 120;
export const longestVersion = 40;
export const mostAddresses = 20;
const mostTools = 2000;

export const lineOf = (text: unknown, longest: number): string =>
  typeof text === 'string' ? toLine(text).slice(0, longest) : '';

export const urlsOf = (list: unknown, base?: string): URL[] =>
  (Array.isArray(list) ? list : []).slice(0, mostAddresses).flatMap((one) => {
    const { url } = asMembers(one);
    return (typeof url === 'string' && URL.parse(url, base)) || [];
  });

export const differing = <const Name extends string>(compared: Readonly<Record<Name, boolean>>): Name[] =>
  (Object.keys(compared) as Name[]).filter((what) => !compared[what]);

export const versionWords = (version: string | undefined) =>
  version !== undefined && say` version ${code(version)}`;

export const placeOf = ({ host, pathname }: URL): string => `${host}${pathname.replace(/\/+$/, '')}`;

export interface ServerCard {
  readonly form: 'SEP-2127' | 'SEP-1649';
  /** In SEP-1649, the name with which the server introduces itself; otherwise a handle. */
  readonly name: string;
  readonly version: string | undefined;
  readonly addresses: readonly URL[];
  protocolsOf(url: URL): readonly unknown[];
  /** Undefined also if the card calls its tools dynamic. */
  readonly tools: readonly string[] | undefined;
}

function toolsOf({ tools }: JsonObject): string[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  const names = tools
    .slice(0, mostTools)
    .map((tool) => (typeof tool === 'string' ? tool : nameOf(asMembers(tool), surfaces.tools)));
  const isDynamic = names.length === 1 && names[0] === 'dynamic';
  return isDynamic ? undefined : names.filter((name) => name !== '');
}

/** `base` is the address of the card: in SEP-1649, that of the endpoint may be only a path. */
export function toServerCard(card: JsonObject, base: string): ServerCard | undefined {
  const { serverInfo, remotes, transport, transports } = card;
  const info = asObject(serverInfo);
  const isOlder = info !== undefined && !Array.isArray(remotes);
  const { name: stated, version: statedVersion } = isOlder ? info : card;
  const name = lineOf(stated, longestName);
  const version = lineOf(statedVersion, longestVersion);
  if (name === '' || (version === '' && !isOlder)) return undefined;
  const { endpoint, url } = asMembers(transport);
  const listed = (Array.isArray(remotes) ? remotes : transports) ?? [{ url: endpoint ?? url }];
  return {
    form: isOlder ? ('SEP-1649' as const) : ('SEP-2127' as const),
    name,
    version: version === '' ? undefined : version,
    tools: toolsOf(card),
    addresses: urlsOf(listed, base),
    protocolsOf(at) {
      const all = (Array.isArray(remotes) ? remotes : []).slice(0, mostAddresses).map(asMembers);
      const here = all.find((one) => urlsOf([one], base).some((address) => placeOf(address) === placeOf(at)));
      return Array.isArray(here?.supportedProtocolVersions) ? here.supportedProtocolVersions : [];
    },
  };
}
