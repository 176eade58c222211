import { z } from 'zod';
import { asMembers, asObject, type JsonObject, readObject } from '../../../core/json.ts';
import { isTemplate, toLine } from '../../../core/text.ts';
import { code, count, eachCode, join, listed, own, say, type Words } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, returned } from '../../../net/answer.ts';
import type { EndpointAnswer } from '../../asked/endpoint/conversation.ts';
import { nameOf, surfaces } from '../../asked/endpoint/surface.ts';
import type { CheckRun } from '../../asked/run.ts';
import { defineKind } from '../kind.ts';
import { ofOrigins, ofRareRemotes } from './remotes.ts';

const longestName = 120;
const longestVersion = 40;
const mostAddresses = 20;
const mostTools = 2000;

const lineOf = (text: unknown, longest: number): string =>
  typeof text === 'string' ? toLine(text).slice(0, longest) : '';

const urlsOf = (list: unknown, base?: string): URL[] =>
  (Array.isArray(list) ? list : []).slice(0, mostAddresses).flatMap((one) => {
    const { url } = asMembers(one);
    return (typeof url === 'string' && URL.parse(url, base)) || [];
  });

const differing = <const Name extends string>(compared: Readonly<Record<Name, boolean>>): Name[] =>
  (Object.keys(compared) as Name[]).filter((what) => !compared[what]);

const versionWords = (version: string | undefined) => version !== undefined && say` version ${code(version)}`;

export const placeOf = ({ host, pathname }: URL): string => `${host}${pathname.replace(/\/+$/, '')}`;

type ServerCard = NonNullable<ReturnType<typeof toServerCard>>;

/** Undefined also if the card calls its tools dynamic. */
function toolsOf({ tools }: JsonObject): string[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  const names = tools
    .slice(0, mostTools)
    .map((tool) => (typeof tool === 'string' ? tool : nameOf(asMembers(tool), surfaces.tools)));
  const isDynamic = names.length === 1 && names[0] === 'dynamic';
  return isDynamic ? undefined : names.filter((name) => name !== '');
}

/** `base` is the address of the card: in SEP-1649, that of the endpoint may be only a path. */
function toServerCard(card: JsonObject, base: string) {
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
    /** In SEP-1649, the name with which the server introduces itself; otherwise a handle. */
    name,
    version: version === '' ? undefined : version,
    tools: toolsOf(card),
    addresses: urlsOf(listed, base),
    protocolsOf(at: URL): readonly unknown[] {
      const all = (Array.isArray(remotes) ? remotes : []).slice(0, mostAddresses).map(asMembers);
      const here = all.find((one) => urlsOf([one], base).some((address) => placeOf(address) === placeOf(at)));
      return Array.isArray(here?.supportedProtocolVersions) ? here.supportedProtocolVersions : [];
    },
  };
}

const cardIn = (answer: Awaited<ReturnType<CheckRun['get']>>, at: string) =>
  answer.result === 'response' ? toServerCard(asMembers(readObject(answer.text)), at) : undefined;

/** Also read for terms of service (terms.ts), so a second read sends no request. */
const catalogs = ['/.well-known/ard.json', '/.well-known/ai-catalog.json'];
/** Of SEP-1649, which SEP-2127 replaces; most cards are here. */
const wellKnown = ['/.well-known/mcp/server-card.json', '/.well-known/mcp.json'];
const cardType = 'application/mcp-server-card+json';
const mostEntries = 1000;
const mostFollowed = 3;

interface FoundCard {
  readonly result: 'card';
  readonly at: string;
  readonly card: ServerCard;
}

const shortPath = ({ pathname, search }: URL): string => `${pathname}${search}`.slice(0, 200);

const names = ({ addresses }: ServerCard, url: URL): boolean =>
  addresses.some((one) => placeOf(one) === placeOf(url));

/** A card that names no address at the host is about its only endpoint. */
function isAbout(card: ServerCard, url: URL, run: CheckRun): boolean {
  const isOnly = run.listing.remotes.filter((one) => URL.parse(one.url)?.origin === url.origin).length === 1;
  const isOfHost = card.addresses.some(({ host }) => host === url.host);
  return isOfHost ? names(card, url) : isOnly;
}

function entriesOf(text: string): { readonly data?: unknown; readonly url?: unknown }[] {
  const { entries } = asMembers(readObject(text));
  return (Array.isArray(entries) ? entries : [])
    .slice(0, mostEntries)
    .map(asMembers)
    .filter(({ type }) => type === cardType);
}

/** A catalog may hold cards of other services, so the card must name the endpoint. */
async function findInCatalogs(
  run: CheckRun,
  url: URL,
  asked: ReadonlySet<string>,
): Promise<FoundCard | undefined> {
  let followed = 0;
  for (const path of catalogs) {
    const catalog = await run.get(`${url.origin}${path}`);
    for (const { data, url: stated } of catalog.result === 'response' ? entriesOf(catalog.text) : []) {
      const inline = toServerCard(asMembers(data), `${url.origin}${path}`);
      if (inline && names(inline, url)) return { result: 'card', at: path, card: inline };
      const at = typeof stated === 'string' ? URL.parse(stated, url) : null;
      // Other hosts cannot speak for this one, and a catalog's author must not choose whom Dossier asks.
      if (!at || at.origin !== url.origin || asked.has(at.href) || followed === mostFollowed) continue;
      followed += 1;
      const answer = await run.get(at.href);
      const card = cardIn(answer, at.href);
      if (card && names(card, url)) return { result: 'card', at: shortPath(at), card };
    }
  }
  return undefined;
}

async function findCard(run: CheckRun, endpoint: string): Promise<FoundCard | NoAnswer> {
  const url = new URL(endpoint);
  const failures: NoAnswer[] = [];
  const ask = async (at: string, isBeside: boolean): Promise<FoundCard | undefined> => {
    const answer = await run.get(at);
    const card = cardIn(answer, at);
    if (card && (isBeside || isAbout(card, url, run)))
      return { result: 'card', at: shortPath(new URL(at)), card };
    failures.push(
      answer.result === 'response' ? returned(code(at), answer, own('a server card (MCP)')) : answer,
    );
    return undefined;
  };
  const beside = `${url.origin}${url.pathname.replace(/\/+$/, '')}/server-card`;
  const first = await ask(beside, true);
  if (first) return first;
  const named = await findInCatalogs(run, url, new Set([beside]));
  if (named) return named;
  for (const path of wellKnown) {
    const found = await ask(`${url.origin}${path}`, false);
    if (found) return found;
  }
  return failures.find(({ outcome }) => outcome !== 'absent') ?? (failures[0] as NoAnswer);
}

const mostSkills = 10_000;

function agentFinding({ text, url }: Fetched) {
  const card = readObject(text);
  const name = lineOf(card?.name, longestName);
  if (!card || name === '' || !Array.isArray(card.skills)) return undefined;
  const version = lineOf(card.version, longestVersion);
  const addresses = [card, card.supportedInterfaces, card.additionalInterfaces].flatMap((one) =>
    urlsOf(Array.isArray(one) ? one : [one]),
  );
  const isHere = addresses.length === 0 || addresses.some(({ host }) => host === new URL(url).host);
  const value = {
    name,
    ...(version && { version }),
    skills: Math.min(card.skills.length, mostSkills),
    differs: differing({ host: isHere }),
  };
  return { value, outcome: 'seen' as const };
}

export const agentCard = defineKind({
  kind: 'card.a2a',
  value: z.strictObject({
    name: z.string(),
    version: z.string().optional(),
    skills: z.number(),
    /** Has `host` if the card names addresses, but none at its own host. */
    differs: z.array(z.string()),
  }),
  name: 'A2A card',
  isSeldom: true,
  question: 'publisher',
  title: 'Agent card (A2A)',
  means:
    'The name and version in the agent card at /.well-known/agent-card.json of the endpoint’s host, and how many skills the card lists. It is also said if the card names addresses, but none at that host.',
  doesNotMean:
    'The card is its publisher’s own word; Dossier has not talked to the agent, and does not check the signature of the card.',
  say({ value: { name, version, skills, differs } }) {
    const where = differs.length > 0 && own('; the card names no address at its own host');
    return say`${code(name)}${versionWords(version)}, ${count(skills, 'skill')}${where}`;
  },
  method_version: 'card/3',
  ...ofOrigins('/.well-known/agent-card.json', own('an agent card (A2A)'), agentFinding),
});

const comparedTools = z.strictObject({
  named: z.number(),
  listed: z.number().optional(),
  both: z.number().optional(),
  not_in_card: z.array(z.string()).optional(),
  only_in_card: z.array(z.string()).optional(),
});

const longestTool = 200;

function compareTools(named: readonly string[], list: EndpointAnswer['list']): z.infer<typeof comparedTools> {
  const inCard = new Set(named);
  if (list.result !== 'listed') return { named: inCard.size };
  const atEndpoint = new Set(list.members.map((tool) => nameOf(tool, surfaces.tools)));
  const short = (names: Iterable<string>) => [...names].sort().map((name) => name.slice(0, longestTool));
  return {
    named: inCard.size,
    listed: atEndpoint.size,
    both: inCard.intersection(atEndpoint).size,
    not_in_card: short(atEndpoint.difference(inCard)),
    only_in_card: short(inCard.difference(atEndpoint)),
  };
}

const mostNamed = 3;

const namesWords = (names: readonly string[], all: number): Words => listed(eachCode(names), mostNamed, all);

function toolsWords(tools: z.infer<typeof comparedTools>): Words {
  const { named, listed: all, both = 0, not_in_card = [], only_in_card = [] } = tools;
  if (all === undefined) return say`; names ${count(named, 'tool')}`;
  const missing = all - both;
  const more = named - both;
  if (missing + more === 0) return say`; names the ${count(all, 'tool')} that the endpoint lists`;
  const notInCard = missing > 0 && say`; not in the card: ${namesWords(not_in_card, missing)}`;
  const onlyInCard = more > 0 && say`; only in the card: ${namesWords(only_in_card, more)}`;
  return say`; names ${count(named, 'tool')}, while the endpoint lists ${all}${notInCard}${onlyInCard}`;
}

function differingTools(tools: z.infer<typeof comparedTools>): Words | undefined {
  const { named, listed: all, both = 0, not_in_card = [], only_in_card = [] } = tools;
  if (all === undefined || (all === both && named === both)) return undefined;
  const missing = all > both && say`leaves out ${namesWords(not_in_card, all - both)}`;
  const more = say`names ${namesWords(only_in_card, named - both)}, which the endpoint does not list`;
  return say`its server card ${join([missing, named > both && more], ', and ')}`;
}

const differsWords = {
  name: own('name'),
  version: own('version'),
  address: own('address'),
  protocol: own('revisions of MCP'),
  tools: own('tools'),
};
type Differs = keyof typeof differsWords;
const differsNames = Object.keys(differsWords) as [Differs, ...Differs[]];

/** A template, or a list that is empty or was cut, does not contradict the address. */
const namesAddress = ({ addresses }: ServerCard, url: URL): boolean =>
  addresses.length === 0 ||
  addresses.length === mostAddresses ||
  addresses.some((one) => isTemplate(one.href) || placeOf(one) === placeOf(url));

function toDiffers(card: ServerCard, { url, introduction, list }: EndpointAnswer, handle: string): Differs[] {
  const { form, name, version, tools } = card;
  const said = introduction?.serverInfo;
  const other = form === 'SEP-2127' ? handle : lineOf(said?.name, longestName) || name;
  const saidVersion = lineOf(said?.version, longestVersion);
  const protocols = introduction?.isSpoken ? card.protocolsOf(new URL(url)) : [];
  const compared = tools && compareTools(tools, list);
  return differing({
    name: name.toLowerCase() === other.toLowerCase(),
    version: saidVersion === '' || version === undefined || saidVersion === version,
    address: namesAddress(card, new URL(url)),
    protocol: protocols.length === 0 || protocols.includes(introduction?.protocol),
    tools: !compared?.not_in_card || compared.not_in_card.length + (compared.only_in_card?.length ?? 0) === 0,
  });
}

export const serverCard = defineKind({
  kind: 'card.mcp',
  value: z.strictObject({
    name: z.string(),
    version: z.string().optional(),
    form: z.enum(['SEP-2127', 'SEP-1649']),
    at: z.string(),
    tools: comparedTools.optional(),
    differs: z.array(z.enum(differsNames)),
  }),
  isSeldom: true,
  saidIn: 'tools',
  question: 'publisher',
  title: 'Server card (MCP)',
  means:
    'The name in the MCP server card of the endpoint, and what in the card differs from the record or the endpoint: the name, version, address, revisions of MCP or tools. The card is at the endpoint’s address with /server-card (SEP-2127), in a catalog of the host or named there, or at /.well-known/mcp/server-card.json or /.well-known/mcp.json (SEP-1649).',
  doesNotMean:
    'The card is its publisher’s own word. SEP-2127 and SEP-1649 are drafts, and most servers have no card.',
  say({ value: { name, version, form, at, tools, differs } }) {
    const isUsual = at.endsWith('/server-card') && form === 'SEP-2127';
    const place = !isUsual && say` at ${code(at)} (${own(form)})`;
    const others = differs.flatMap((what) => (what === 'tools' ? [] : differsWords[what]));
    const not = others.length > 0 && say`; differs from the record or the endpoint in: ${join(others, ', ')}`;
    return say`${code(name)}${versionWords(version)}${place}${tools && toolsWords(tools)}${not}`;
  },
  sayInLine: ({ value: { tools } }) => tools && differingTools(tools),
  method_version: 'card/4',
  ...ofRareRemotes(async (endpoint, run) => {
    const found = await findCard(run, endpoint.url);
    if (found.result !== 'card') return found;
    const { card, at } = found;
    const { name, version, form, tools } = card;
    return {
      value: {
        name,
        ...(version !== undefined && { version }),
        form,
        at,
        ...(tools && { tools: compareTools(tools, endpoint.list) }),
        differs: toDiffers(card, endpoint, run.listing.handle),
      },
      outcome: 'seen' as const,
    };
  }),
});
