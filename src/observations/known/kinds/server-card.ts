import { z } from 'zod';
import { code, count, join, listed, own, say, type Words } from '../../../core/words.ts';
import type { EndpointAnswer } from '../../asked/endpoint/conversation.ts';
import { nameOf, surfaces } from '../../asked/endpoint/surface.ts';
import { defineKind } from '../kind.ts';
import {
  differing,
  lineOf,
  longestName,
  longestVersion,
  mostAddresses,
  placeOf,
  type ServerCard,
  versionWords,
} from './card-form.ts';
import { findCard } from './card-places.ts';
import { ofRareRemotes } from './remotes.ts';

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

const namesWords = (names: readonly string[], all: number): Words =>
  listed(
    names.map((name) => code(name)),
    mostNamed,
    all,
  );

function toolsWords({
  named,
  listed: all,
  both = 0,
  not_in_card = [],
  only_in_card = [],
}: z.infer<typeof comparedTools>): Words {
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
  addresses.some((one) => /[{}]|%7b/i.test(one.href) || placeOf(one) === placeOf(url));

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
