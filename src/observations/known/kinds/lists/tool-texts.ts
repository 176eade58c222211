import { hash } from 'node:crypto';
import { z } from 'zod';
import { hiddenCharacters, nameHidden } from '../../../../core/text.ts';
import { code, count, join, ours, own, quote, say } from '../../../../core/words.ts';
import { noAnswer } from '../../../../net/answer.ts';
import type { EndpointAnswer } from '../../../asked/endpoint/conversation.ts';
import { shortNameOf, surfaces } from '../../../asked/endpoint/surface.ts';
import { hasTexts, membersOf, textsIn, whyNotWhole } from '../../../asked/endpoint/texts.ts';
import { defineKind } from '../../kind.ts';
import { ofRareRemotes } from '../remotes.ts';
import { toHints } from './tools.ts';

export const toolsHints = defineKind({
  kind: 'tools.hints',
  value: z.strictObject({ read_only: z.number(), destructive: z.number(), without_hint: z.number() }),
  say: ({ value: { read_only, destructive, without_hint } }) =>
    join(
      [
        ...(read_only > 0 ? [say`${read_only} read-only`] : []),
        ...(destructive > 0 ? [say`${destructive} destructive`] : []),
        ...(without_hint > 0 ? [say`${without_hint} without a hint`] : []),
      ],
      ', ',
    ),
  line: 'tools',
  question: 'tools',
  title: 'Hints of the tools',
  means:
    'How many of the tools say in their annotations that they are read-only, how many say only that they are destructive, and how many say neither.',
  doesNotMean:
    'Hints are the publisher’s word. If a tool says that it is read-only, a client may let a model call it without asking the user.',
  changed: own('Its tools have different hints'),
  saidIn: 'tools',
  sayInLine: ({ value: { read_only, destructive } }) =>
    read_only + destructive > 0 ? undefined : own('no tool says read-only or destructive'),
  method_version: 'tools/2',
  ...ofRareRemotes(({ list }) => {
    if (list.result !== 'listed') return list;
    if (list.members.length === 0) return noAnswer('nothing', own('The endpoint listed no tools.'));
    // With both hints, a tool is read-only (MCP, ToolAnnotations).
    const first = list.members.map((tool) => toHints(tool)[0]);
    const count = (hint: string | undefined) => first.filter((one) => one === hint).length;
    return {
      value: {
        read_only: count('read-only'),
        destructive: count('destructive'),
        without_hint: count(undefined),
      },
      outcome: 'seen',
    };
  }),
});

const mostShown = 500;

export const toolsInstructions = defineKind({
  kind: 'tools.instructions',
  isLocked: true,
  value: z.strictObject({ sha256: z.string(), characters: z.number() }),
  line: 'tools',
  question: 'tools',
  title: 'Instructions for models',
  means:
    'The SHA-256 and the length of the instructions in the endpoint’s introduction, and their beginning. Clients may give them to a model.',
  doesNotMean: 'Dossier neither judges nor follows the instructions.',
  changed: own('The endpoint sends different instructions for models'),
  sayChange: (_was, _now, between) => say`Its instructions for models changed (${between})`,
  say({ value: { sha256, characters }, as_seen }) {
    const { text } = as_seen ?? {};
    const begin = characters > mostShown && own(' beginning with');
    const said = typeof text === 'string' && say`:${begin} ${quote(text)}`;
    return say`${count(characters, 'character')}, SHA-256 ${ours(sha256.slice(0, 12))}${said}`;
  },
  method_version: 'instructions/2',
  ...ofRareRemotes(({ introduction, list }) => {
    const { instructions } = introduction ?? {};
    if (instructions !== undefined)
      return {
        value: { sha256: hash('sha256', instructions), characters: instructions.length },
        outcome: 'seen',
        as_seen: { text: instructions.slice(0, mostShown).toWellFormed() },
      };
    return introduction || list.result === 'listed'
      ? noAnswer('nothing', own('The endpoint introduced itself without instructions for models.'))
      : list;
  }),
});

const mostPlaces = 20;
const mostCharacters = 5;
function* textsFor(endpoint: EndpointAnswer): Generator<[place: string, text: string]> {
  for (const { surface, member } of membersOf(endpoint))
    yield* textsIn(member, `${surface}.${shortNameOf(member, surfaces[surface])}`);
  yield ['instructions', endpoint.introduction?.instructions ?? ''];
}

function findHidden(texts: Iterable<readonly [place: string, text: string]>) {
  let count = 0;
  const places: object[] = [];
  for (const [place, text] of texts) {
    const found = hiddenCharacters(text, mostCharacters);
    count += found.count;
    if (found.count > 0 && places.length < mostPlaces) places.push({ place: nameHidden(place), ...found });
  }
  return { count, places };
}

export const toolsHiddenText = defineKind({
  kind: 'tools.hidden_text',
  value: z.number(),
  line: 'tools',
  question: 'tools',
  title: 'Hidden characters in texts for models',
  means:
    'The number of characters that people cannot see, in the tools, prompts, resources, skills and instructions that the endpoint sent. These are control characters, direction marks, zero-width characters and tag characters, except where emoji and scripts need them.',
  doesNotMean:
    'Editors and copied web pages leave such characters in texts, too. The number says nothing about the text that people can see.',
  unit: 'characters',
  changed: own('Its texts for models have a different number of characters that people cannot see'),
  say: ({ value }) => (value === 0 ? own('none') : count(value, 'character')),
  standsOutAs: 'hidden_text',
  sayStandsOut({ value, subject = '', by, isOnly }) {
    const at = !isOnly && say` at ${code(subject)}`;
    return value > 0
      ? say`Texts for models${at} have ${count(value, 'character')} that people cannot see${by}`
      : undefined;
  },
  method_version: 'hidden/2',
  ...ofRareRemotes((endpoint) => {
    const { list } = endpoint;
    if (list.result !== 'listed' && !hasTexts(endpoint)) return list;
    const { count, places } = findHidden(textsFor(endpoint));
    const why = whyNotWhole(endpoint);
    if (why && count === 0) return why;
    return { value: count, outcome: 'seen', ...(why && { rule: 'unsure' }), as_seen: { places } };
  }),
});
