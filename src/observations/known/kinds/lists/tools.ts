import { hash } from 'node:crypto';
import { z } from 'zod';
import { asMembers, type Json } from '../../../../core/json.ts';
import { hiddenCharacters, nameHidden } from '../../../../core/text.ts';
import { code, count, join, number, ours, own, quote, say, type Words } from '../../../../core/words.ts';
import { noAnswer } from '../../../../net/answer.ts';
import type { EndpointAnswer } from '../../../asked/endpoint/conversation.ts';
import {
  type BesideName,
  type ListedMembers,
  type Surface,
  type SurfaceMember,
  type SurfaceName,
  type SurfaceTool,
  sentDigest,
  shortNameOf,
  surfaceDigest,
  surfaces,
} from '../../../asked/endpoint/surface.ts';
import { hasTexts, membersOf, textsIn, whyNotWhole } from '../../../asked/endpoint/texts.ts';
import { defineKind, type ShownFinding } from '../../kind.ts';
import { ofRareRemotes, ofRemotes, withoutAnswer } from '../remotes.ts';
import { listChangeWords, listDifference, surfaceWeight } from './member-changes.ts';
import { secretArguments } from './secret-argument.ts';

/** What the lists of an endpoint have in common. */
const ofList = <const Name extends SurfaceName>(surface: Surface & { readonly name: Name }) =>
  ({
    value: z.string(),
    question: 'tools',
    isLocked: true,
    lists: surface.name,
    pinnedAs: surface.name,
    sayChange: listChangeWords(surface),
    weighChange: surfaceWeight,
    difference: listDifference(surface),
  }) as const;

const toListedFinding = (
  surface: Surface,
  { digested, members }: ListedMembers,
  { introduction }: EndpointAnswer,
  toMore: (member: SurfaceMember) => object,
) => ({
  value: surfaceDigest(digested),
  whole: members as Json,
  whole_digest: surfaceDigest(digested),
  outcome: 'seen' as const,
  details: {
    [surface.name]: digested.map(({ member, sha256 }) => ({
      name: shortNameOf(member, surface),
      sha256,
      ...toMore(member),
    })),
  },
  as_seen: { era: introduction?.era, protocol: introduction?.protocol, digest: sentDigest(digested) },
});

export const listedNames = (members: unknown): string[] =>
  Array.isArray(members) ? members.map(({ name }: { name?: unknown }) => String(name ?? '')) : [];

/** Clients may decide by these hints whether to ask before a call. */
function toHints({ annotations }: SurfaceTool): string[] {
  const { readOnlyHint, destructiveHint } = asMembers(annotations);
  return [
    ...(readOnlyHint === true ? ['read-only'] : []),
    ...(destructiveHint === true ? ['destructive'] : []),
    ...(destructiveHint === false && readOnlyHint !== true ? ['not destructive'] : []),
  ];
}

export const toolsSurface = defineKind({
  kind: 'tools.surface',
  ...ofList(surfaces.tools),
  unchecked: { what: own('which tools the service lists') },
  entryName: 'tools',
  name: 'tools',
  line: 'tools',
  title: 'Tools it lists',
  means:
    'The SHA-256 Merkle root over the names, titles, descriptions, schemas and MCP annotations of all tools that the endpoint listed to Dossier. The same value means that these members are the same, apart from how an SDK or a revision of the protocol writes them.',
  doesNotMean: 'It does not say what a tool does when it is called; Dossier calls none.',
  changed: own('The endpoint lists different tools'),
  say: ({ details }) => {
    if (!Array.isArray(details?.tools)) return undefined;
    const names = listedNames(details.tools).map((name) => code(name));
    return names.length > 0 ? join(names, ', ') : own('none');
  },
  isList: true,
  method_version: 'tools/2',
  ...ofRemotes((endpoint) => {
    const { list } = endpoint;
    if (list.result !== 'listed') return list;
    const toMore = (tool: SurfaceTool) => {
      const hints = toHints(tool);
      const secrets = secretArguments(tool.inputSchema);
      return { ...(hints.length > 0 && { hints }), ...(secrets.length > 0 && { secrets }) };
    };
    return toListedFinding(surfaces.tools, list, endpoint, toMore);
  }),
});

export const toolsCount = defineKind({
  kind: 'tools.count',
  value: z.number(),
  say: ({ value }) => number(value),
  line: 'tools',
  question: 'tools',
  title: 'Number of tools',
  means: 'How many tools the endpoint listed to Dossier.',
  doesNotMean: 'More tools are not better, and callers with credentials may be shown different tools.',
  unit: 'tools',
  method_version: 'tools/1',
  ...ofRemotes(({ list }) =>
    list.result === 'listed' ? { value: list.members.length, outcome: 'seen' } : list,
  ),
});

export const toolsHints = defineKind({
  kind: 'tools.hints',
  value: z.strictObject({ read_only: z.number(), destructive: z.number(), without_hint: z.number() }),
  say: ({ value: { read_only, destructive, without_hint }, details }) => {
    const stated = Number(details?.not_destructive ?? 0);
    const unsaid = without_hint - stated;
    return join(
      [
        ...(read_only > 0 ? [say`${read_only} read-only`] : []),
        ...(destructive > 0 ? [say`${destructive} destructive`] : []),
        ...(stated > 0 ? [say`${stated} marked as not destructive`] : []),
        ...(unsaid > 0 ? [say`${unsaid} not marked as read-only or destructive`] : []),
      ],
      ', ',
    );
  },
  line: 'tools',
  question: 'tools',
  title: 'Hints of the tools',
  means:
    'How many of the tools say in their annotations that they are read-only, how many say only that they are destructive, and how many say neither; of these, how many say that they are not destructive.',
  doesNotMean:
    'Hints are the publisher’s word. If a tool says that it is read-only, a client may let a model call it without asking the user.',
  changed: own('Its tools have different hints'),
  saidIn: 'tools',
  sayInLine: ({ value: { read_only, destructive }, details }) => {
    const stated = Number(details?.not_destructive ?? 0);
    const others = stated > 0 && say`; ${count(stated, 'tool')} marked as not destructive`;
    return read_only + destructive > 0 ? undefined : say`no tool says read-only or destructive${others}`;
  },
  method_version: 'tools/2',
  ...ofRareRemotes(({ list }) => {
    if (list.result !== 'listed') return list;
    if (list.members.length === 0) return noAnswer('nothing', own('The endpoint listed no tools.'));
    // With both hints, a tool is read-only (MCP, ToolAnnotations).
    const first = list.members.map((tool) => toHints(tool)[0]);
    const having = (hint: string | undefined) => first.filter((one) => one === hint).length;
    // Destructive is the default (MCP, ToolAnnotations), so that it is denied may matter.
    const not_destructive = having('not destructive');
    return {
      value: {
        read_only: having('read-only'),
        destructive: having('destructive'),
        without_hint: having(undefined) + not_destructive,
      },
      ...(not_destructive > 0 && { details: { not_destructive } }),
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

const ask = (surface: Surface & { readonly name: BesideName }, toMore: (member: SurfaceMember) => object) =>
  ofRareRemotes((endpoint: EndpointAnswer) => {
    const { list, besides } = endpoint;
    const found = besides[surface.name];
    if (found?.result === 'listed') {
      const finding = toListedFinding(surface, found, endpoint, toMore);
      return { ...finding, details: { ...finding.details, count: found.members.length } };
    }
    // The endpoint declares the list, so the fact says why Dossier lacks it.
    if (found) return withoutAnswer(found);
    return list.result === 'listed' || list.outcome === 'absent'
      ? noAnswer('nothing', say`The endpoint declares no ${surface.title}.`)
      : list;
  });

/** A stored list may have been shortened. */
const countOf = ({ details }: ShownFinding) => Number(details?.count ?? 0);

const mostNamed = 100;

const listWords =
  (surface: Surface, note: (member: unknown) => Words | false = () => false) =>
  (found: ShownFinding): Words => {
    const members = found.details?.[surface.name];
    const shown = (Array.isArray(members) ? members : []).slice(0, mostNamed);
    const said = listedNames(shown).map((name, at) => say`${code(name)}${note(shown[at])}`);
    const all = countOf(found);
    if (said.length === 0) return all === 0 ? own('none') : surface.count(all);
    const more = all > said.length && say`${all - said.length} more`;
    return say`${surface.count(all)}: ${join([...said, more], ', ')}`;
  };

const ofBeside = <const Name extends BesideName>(
  surface: Surface & { readonly name: Name },
  note?: (member: unknown) => Words | false,
  toMore: (member: SurfaceMember) => object = () => ({}),
) => ({
  ...ofList(surface),
  isSeldom: true as const,
  saidIn: 'tools' as const,
  say: listWords(surface, note),
  sayInLine: (found: ShownFinding) => (countOf(found) > 0 ? surface.count(countOf(found)) : undefined),
  ...ask(surface, toMore),
});

export const promptsSurface = defineKind({
  kind: 'prompts.surface',
  ...ofBeside(surfaces.prompts),
  title: 'Prompts it lists',
  means:
    'The SHA-256 Merkle root over the names, titles, descriptions and arguments of all prompts that the endpoint listed to Dossier.',
  doesNotMean: 'It does not say what a prompt contains; Dossier fetches none.',
  changed: own('The endpoint lists different prompts'),
  method_version: 'prompts/1',
});

export const resourcesSurface = defineKind({
  kind: 'resources.surface',
  ...ofBeside(surfaces.resources),
  isPublishedIfSaid: true,
  title: 'Resources it lists',
  means:
    'The SHA-256 Merkle root over the addresses, names, titles, descriptions, media types, audiences and priorities of all resources and resource templates that the endpoint listed to Dossier.',
  doesNotMean:
    'It does not say what a resource contains; Dossier reads none. Lists of documents may change daily.',
  changed: own('The endpoint lists different resources'),
  // Documents come and go. A change is reported only if words changed, since a model may act on words.
  sayChange: (was, now, between) =>
    was.counts?.words ? listChangeWords(surfaces.resources)(was, now, between) : undefined,
  method_version: 'resources/1',
});

export const skillsSurface = defineKind({
  kind: 'skills.surface',
  ...ofBeside(
    surfaces.skills,
    (skill) => asMembers(skill).files === 'dynamic' && own(' (files: dynamic)'),
    ({ resources }) => ({
      files: Array.isArray(resources) ? resources.length : resources === 'dynamic' ? 'dynamic' : null,
    }),
  ),
  title: 'Skills it lists',
  means:
    'The SHA-256 Merkle root over all skills that the endpoint listed to Dossier (SEP-2640): the address and frontmatter of each skill, and the address, digest and size of each of its files. A skill whose files are dynamic has no digests.',
  doesNotMean:
    'Dossier fetches no file of a skill, so it does not know whether the files have these digests.',
  changed: own('The endpoint lists different skills'),
  method_version: 'skills/1',
});
