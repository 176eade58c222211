import { z } from 'zod';
import { asMembers, type JsonObject, readObject } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { code, join, ours, own, say, type Words } from '../../core/words.ts';
import { type Fetched, returned } from '../../net/answer.ts';
import { defineKind, type ShownFinding } from '../kind.ts';
import { ofOrigins, ofRareRemotes } from '../remotes.ts';

const longestName = 120;
const longestVersion = 40;
const mostSkills = 10_000;
const mostAddresses = 20;

const lineOf = (text: unknown, longest: number) =>
  typeof text === 'string' ? toLine(text).slice(0, longest) : '';

const urlsOf = (list: unknown): URL[] =>
  (Array.isArray(list) ? list : []).slice(0, mostAddresses).flatMap((one) => {
    const { url } = asMembers(one);
    return (typeof url === 'string' && URL.parse(url)) || [];
  });

/** What of a card is not as the endpoint, its address or its record say, unless all that can be compared agrees. */
function differing(compared: Readonly<Record<string, boolean>>) {
  const differs = Object.keys(compared).filter((what) => compared[what] === false);
  return differs.length > 0 && { differs };
}

const sayCard = ({ value, details }: ShownFinding<string>): Words => {
  const differs = Array.isArray(details?.differs)
    ? details.differs.map((name: unknown) => ours(String(name)))
    : [];
  const name = code(value);
  return differs.length > 0
    ? say`${name}; not as the record and the endpoint have it: ${join(differs, ', ')}`
    : name;
};

/** What an agent card says (A2A, section "Agent Card"): it must have a name and a list of skills. */
function agentFinding({ text, url }: Fetched) {
  const card = readObject(text);
  const name = lineOf(card?.name, longestName);
  if (!card || name === '' || !Array.isArray(card.skills)) return undefined;
  const version = lineOf(card.version, longestVersion);
  const addresses = [card, card.supportedInterfaces, card.additionalInterfaces].flatMap((one) =>
    urlsOf(Array.isArray(one) ? one : [one]),
  );
  const isHere = addresses.length === 0 || addresses.some(({ host }) => host === new URL(url).host);
  return {
    ...{ value: name, outcome: 'seen' as const },
    details: {
      ...{ name, skills: Math.min(card.skills.length, mostSkills) },
      ...(version && { version }),
      ...differing({ host: isHere }),
    },
  };
}

/** Whether the host of an endpoint also presents itself to other agents (A2A). */
export const agentCard = defineKind({
  kind: 'card.a2a',
  value: z.string(),
  comparesDetails: true,
  name: 'A2A card',
  isSeldom: true,
  question: 'publisher',
  title: 'Agent card (A2A)',
  means:
    'The name in the agent card at /.well-known/agent-card.json of the endpoint’s host, how many skills it lists, and whether it names an address at that host.',
  doesNotMean:
    'The card is its publisher’s own word; Dossier has not talked to the agent, and checks no signature of it.',
  say: sayCard,
  method_version: 'card/2',
  ...ofOrigins('/.well-known/agent-card.json', own('an agent card (A2A)'), agentFinding),
});

/** What a server card says (SEP-2127): it must have a name and a version. */
function serverFinding(
  { text }: Fetched,
  known: { readonly handle: string; readonly url: string; readonly serverInfo: JsonObject | undefined },
) {
  const card = readObject(text);
  const [name, version] = [lineOf(card?.name, longestName), lineOf(card?.version, longestVersion)];
  if (!card || name === '' || version === '') return undefined;
  const addresses = urlsOf(card.remotes);
  const said = lineOf(known.serverInfo?.version, longestVersion);
  const differs = differing({
    name: name.toLowerCase() === known.handle.toLowerCase(),
    version: said === '' || said === version,
    address:
      addresses.length === 0 ||
      addresses.length === mostAddresses ||
      addresses.some((one) => /[{}]|%7b/i.test(one.href) || placeOf(one) === placeOf(new URL(known.url))),
  });
  return { value: name, outcome: 'seen' as const, details: { name, version, ...differs } };
}

/** An address without what does not tell endpoints apart. */
const placeOf = ({ host, pathname }: URL) => `${host}${pathname.replace(/\/$/, '')}`;

const cardPlace = (endpoint: string): string => {
  const { origin, pathname } = new URL(endpoint);
  return `${origin}${pathname.replace(/\/$/, '')}/server-card`;
};

/** Whether an endpoint publishes an MCP server card, and whether it agrees with the record and the endpoint. */
export const serverCard = defineKind({
  kind: 'card.mcp',
  value: z.string(),
  comparesDetails: true,
  isSeldom: true,
  question: 'publisher',
  title: 'Server card (MCP)',
  means:
    'The name in the MCP server card beside the endpoint (its address with /server-card), and which of name, version and address in it are not those of the record and the endpoint.',
  doesNotMean: 'The card is its publisher’s own word. SEP-2127 is a draft, and most servers have none.',
  say: sayCard,
  method_version: 'card/1',
  ...ofRareRemotes(async ({ url, introduction }, run) => {
    const answer = await run.get(cardPlace(url));
    if (answer.result !== 'response') return answer;
    const known = { handle: run.listing.handle, url, serverInfo: introduction?.serverInfo };
    return serverFinding(answer, known) ?? returned(code(answer.url), answer, own('a server card (MCP)'));
  }),
});
