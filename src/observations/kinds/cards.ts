import { z } from 'zod';
import { asMembers, type JsonObject, readObject } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { code, count, join, ours, own, say, type Words } from '../../core/words.ts';
import { type Fetched, returned } from '../../net/answer.ts';
import { defineKind } from '../kind.ts';
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

/** What of a card is not as the endpoint, its address or its record say. */
const differing = (compared: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(compared).filter((what) => compared[what] === false);

const differsWords = (differs: readonly string[]): Words =>
  differs.length === 0
    ? own('')
    : say`; not as the record and the endpoint have it: ${join(differs.map(ours), ', ')}`;

const versionWords = (version: string | undefined): Words =>
  version === undefined ? own('') : say` version ${code(version)}`;

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
  const value = {
    name,
    ...(version && { version }),
    skills: Math.min(card.skills.length, mostSkills),
    differs: differing({ host: isHere }),
  };
  return { value, outcome: 'seen' as const };
}

/** Whether the host of an endpoint also presents itself to other agents (A2A). */
export const agentCard = defineKind({
  kind: 'card.a2a',
  value: z.strictObject({
    name: z.string(),
    version: z.string().optional(),
    skills: z.number(),
    /** `host`, if it names no address at the host that has it. */
    differs: z.array(z.string()),
  }),
  name: 'A2A card',
  isSeldom: true,
  question: 'publisher',
  title: 'Agent card (A2A)',
  means:
    'The name in the agent card at /.well-known/agent-card.json of the endpoint’s host, how many skills it lists, and whether it names an address at that host.',
  doesNotMean:
    'The card is its publisher’s own word; Dossier has not talked to the agent, and checks no signature of it.',
  say({ value: { name, version, skills, differs } }) {
    const where = differs.length > 0 ? own('; names no address at the host that has it') : own('');
    return say`${code(name)}${versionWords(version)}, ${count(skills, 'skill')}${where}`;
  },
  method_version: 'card/3',
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
  return { value: { name, version, differs }, outcome: 'seen' as const };
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
  value: z.strictObject({
    name: z.string(),
    version: z.string(),
    /** What of it is not as the record and the endpoint have it: `name`, `version`, `address`. */
    differs: z.array(z.string()),
  }),
  isSeldom: true,
  question: 'publisher',
  title: 'Server card (MCP)',
  means:
    'The name in the MCP server card beside the endpoint (its address with /server-card), and which of name, version and address in it are not those of the record and the endpoint.',
  doesNotMean: 'The card is its publisher’s own word. SEP-2127 is a draft, and most servers have none.',
  say: ({ value: { name, version, differs } }) =>
    say`${code(name)}${versionWords(version)}${differsWords(differs)}`,
  method_version: 'card/2',
  ...ofRareRemotes(async ({ url, introduction }, run) => {
    const answer = await run.get(cardPlace(url));
    if (answer.result !== 'response') return answer;
    const known = { handle: run.listing.handle, url, serverInfo: introduction?.serverInfo };
    return serverFinding(answer, known) ?? returned(code(answer.url), answer, own('a server card (MCP)'));
  }),
});
