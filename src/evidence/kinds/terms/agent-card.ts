import { defineKind } from '../../observation/kind.ts';
import type { Look } from '../../observation/look.ts';
import type { Finding } from '../../observation/observation.ts';
import { readObject } from '../../text/json-object.ts';
import { toLine } from '../../text/sanitize.ts';
import { originsOf, ownProbe, withoutAnswer } from '../remotes.ts';

const longestName = 120;
const longestVersion = 40;
const mostSkills = 10_000;

const lineOf = (text: unknown, longest: number) =>
  typeof text === 'string' ? toLine(text).slice(0, longest) : '';

/** What an agent card says (A2A, section "Agent Card"): it must have a name and a list of skills. */
function readCard(text: string) {
  const card = readObject(text);
  const name = lineOf(card?.name, longestName);
  if (!card || name === '' || !Array.isArray(card.skills)) return undefined;
  const version = lineOf(card.version, longestVersion);
  return { name, skills: Math.min(card.skills.length, mostSkills), ...(version && { version }) };
}

async function ofOrigin(look: Look, origin: string): Promise<Finding> {
  const url = `${origin}/.well-known/agent-card.json`;
  const answer = await look.get(url);
  if (answer.result !== 'response') return withoutAnswer(answer, origin);
  const card = answer.status === 200 ? readCard(answer.text) : undefined;
  const place = { subject: origin, source: ownProbe, source_url: url };
  if (card) return { ...place, value: card.name, state: 'observed', details: card };
  const reason = `${url} answered with HTTP status ${answer.status} and no agent card (A2A).`;
  return { ...place, value: null, state: 'not_found', reason };
}

/** Whether the host of an endpoint also presents itself to other agents (A2A). */
export const agentCard = defineKind({
  kind: 'card.a2a',
  question: 'publisher',
  title: 'Agent card (A2A)',
  means:
    'The name in the agent card at /.well-known/agent-card.json of the endpoint’s host, and how many skills it lists.',
  doesNotMean:
    'The card is its publisher’s own word; Dossier has not talked to the agent, and checks no signature of it.',
  method_version: 'card/1',
  applies: () => false,
  check: (look) => Promise.all(originsOf(look.listing).map((origin) => ofOrigin(look, origin))),
});
