import { z } from 'zod';
import { readObject } from '../../../core/json.ts';
import { code, count, own, say } from '../../../core/words.ts';
import type { Fetched } from '../../../net/answer.ts';
import { defineKind } from '../kind.ts';
import { differing, lineOf, longestName, longestVersion, urlsOf, versionWords } from './card-form.ts';
import { ofOrigins } from './remotes.ts';

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
