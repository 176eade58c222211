import type { Fetched } from '../../observation/answer.ts';
import { defineKind } from '../../observation/kind.ts';
import { readObject } from '../../text/json-object.ts';
import { toLine } from '../../text/sanitize.ts';
import { ofPlaces, perOrigin, wellKnown } from '../remotes.ts';

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

function toFinding({ text }: Fetched) {
  const card = readCard(text);
  return card && { value: card.name, state: 'observed' as const, details: card };
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
  about: perOrigin,
  isOptional: true,
  check: (look) =>
    ofPlaces(look, wellKnown(look.listing, '/.well-known/agent-card.json'), {
      what: 'agent card (A2A)',
      toFinding,
    }),
});
