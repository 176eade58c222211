import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { asMembers } from '../../core/json.ts';
import { type ComparisonBudget, differenceWithin, type TextPart } from '../../core/word-difference.ts';
import { code, isEmpty, join, own, say } from '../../core/words.ts';
import { type DigestedTool, nameOf, surfaceDigest, type Tool, toolDigest } from '../endpoint/surface.ts';
import { defineKind } from '../kind.ts';
import type { Finding, ObservationChange } from '../observation.ts';
import { ofRemotes } from '../remotes.ts';

const longestName = 200;
const shortName = (name: string) => name.slice(0, longestName);
export const shortNameOf = (tool: Tool) => shortName(nameOf(tool));

/** What a tool states that it does to the world: clients may ask or not ask before a call because of it. */
export function toHints({ annotations }: Tool): string[] {
  const { readOnlyHint, destructiveHint } = asMembers(annotations);
  return [
    ...(readOnlyHint === true ? ['read-only'] : []),
    ...(destructiveHint === true ? ['destructive'] : []),
  ];
}

const toolNames = (tools: unknown): string[] =>
  Array.isArray(tools) ? tools.map(({ name }: { name?: unknown }) => String(name ?? '')) : [];

const commonMembers = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** The digest of the members that tools have in both eras of the protocol; the others depend on the era that was spoken. */
function commonDigest({ tool, sha256 }: DigestedTool): string {
  const members = Object.entries(tool);
  const common = members.filter(([name]) => commonMembers.includes(name));
  return common.length === members.length ? sha256 : toolDigest(Object.fromEntries(common));
}

const digestsOf = ({ details }: Pick<Finding, 'details'>) =>
  new Map(
    (Array.isArray(details?.tools) ? details.tools : []).map(
      ({ name, sha256 }: { name: string; sha256: string }) => [name, sha256],
    ),
  );

/** Tools of a set that are named where the set before it is. */
const mostNamed = 20;

/** Which tools differ from those that were seen before; nothing where one era of the protocol says others than the other. */
export function changedTools(
  before: Pick<Finding, 'details' | 'form'>,
  after: Pick<Finding, 'details' | 'form'>,
) {
  const [old, now] = [digestsOf(before), digestsOf(after)];
  if (old.size + now.size === 0 || before.form?.name !== after.form?.name) return {};
  const tools = [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((tool) => {
    const [was, is] = [old.get(tool), now.get(tool)];
    if (was === is) return [];
    return [
      { tool, change: was === undefined ? 'added' : is === undefined ? 'removed' : 'changed' } as const,
    ];
  });
  return { tools: tools.slice(0, mostNamed) };
}

const mostSaid = 5;

/** The set of tools that an endpoint lists, as one digest. */
export const toolsSurface = defineKind({
  kind: 'tools.surface',
  value: z.string(),
  name: 'tools',
  line: 'tools',
  isLocked: true,
  question: 'tools',
  title: 'Tools it lists',
  means:
    'The SHA-256 Merkle root over all tools that the endpoint listed to Dossier; the same value means that no name, description, schema or annotation differs. What only one era of the protocol has of a tool is no difference between two checks.',
  doesNotMean: 'It does not say what a tool does when it is called; Dossier calls none.',
  changed: own('The endpoint lists other tools'),
  say: ({ details }) => {
    const names = toolNames(details?.tools).map((name) => code(name));
    return names.length > 0 ? join(names, ', ') : own('none');
  },
  isList: true,
  sayChange({ tools = [] }, _now, between) {
    const names = tools.slice(0, mostSaid).map(({ tool, change }) => say`${code(tool)} ${own(change)}`);
    const more = tools.length > mostSaid ? [say`${tools.length - mostSaid} more`] : [];
    const what = join([...names, ...more], ', ');
    return say`Its tools changed ${between}${isEmpty(what) ? what : say`: ${what}`}`;
  },
  method_version: 'tools/1',
  ...ofRemotes(({ list, introduction }) => {
    if (list.result !== 'tools') return list;
    const { digested } = list;
    const digest = surfaceDigest(digested);
    const digests = digested.map(({ tool, sha256 }) => ({
      name: shortNameOf(tool),
      sha256,
      ...(toHints(tool).length > 0 && { hints: toHints(tool) }),
    }));
    const common = surfaceDigest(digested.map((one) => ({ sha256: commonDigest(one) })));
    return {
      value: digest,
      outcome: 'seen',
      details: { tools: digests },
      form: { name: introduction?.era ?? '', common },
      as_seen: { era: introduction?.era, protocol: introduction?.protocol, digest },
    };
  }),
});

/** How many tools an endpoint lists. */
export const toolsCount = defineKind({
  kind: 'tools.count',
  value: z.number(),
  line: 'tools',
  question: 'tools',
  title: 'Number of tools',
  means: 'How many tools the endpoint listed to Dossier.',
  doesNotMean: 'More tools are not better, and callers with credentials may be shown others.',
  unit: 'tools',
  method_version: 'tools/1',
  ...ofRemotes(({ list }) =>
    list.result === 'tools' ? { value: list.tools.length, outcome: 'seen' } : list,
  ),
});

/** A text of a tool that differs between two lists of tools, for models to read: `member` is its place in the tool. */
interface ChangedText {
  readonly tool: string;
  /** As `description`, or `inputSchema.properties.to.description`. */
  readonly member: string;
  readonly difference: readonly TextPart[];
}

const textMembers = ['title', 'description'];
const mostTexts = 200;
const mostDepth = 12;

/** The titles and descriptions of a tool at any depth, by place. */
function* textsOf(value: unknown, place: readonly string[] = []): Generator<[string, string]> {
  if (place.length > mostDepth || typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const at = [...place, name];
    if (typeof member !== 'string') yield* textsOf(member, at);
    else if (textMembers.includes(name)) yield [shortName(at.join('.')), member];
  }
}

const readTexts = (tool: Tool) => new Map(textsOf(tool).take(mostTexts));

function* changesOf(
  tool: string,
  [before, after]: readonly [Tool, Tool],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const [old, now] = [readTexts(before), readTexts(after)];
  for (const member of new Set([...old.keys(), ...now.keys()])) {
    const [was = '', is = ''] = [old.get(member), now.get(member)];
    const difference = was === is ? undefined : differenceWithin(budget, was, is);
    if (difference) yield { tool, member, difference };
  }
}

/** Yields the texts that differ in tools that are in both lists; each is compared only when the caller asks for it. */
export function* changedTexts(
  before: readonly Tool[],
  after: readonly Tool[],
  budget: ComparisonBudget,
): Generator<ChangedText> {
  const old = byName(before);
  for (const tool of after) {
    const known = old.get(shortNameOf(tool));
    if (known) yield* changesOf(shortNameOf(tool), [known, tool], budget);
  }
}

/** How one tool differs between two lists of tools. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Members that differ, but for annotations; at most 20. */
  readonly members?: readonly string[];
  /** Annotations that differ, at most 20, as `readOnlyHint: true -> false`: what a client may call without asking depends on them. */
  readonly annotations?: readonly string[];
}

/** Changes beyond this many are counted only. */
const mostChanges = 100;
/** Members of one tool that are named: a publisher decides how many a tool has, and the log keeps what is named. */
const mostMembers = 20;

const byName = (tools: readonly Tool[]) => new Map(tools.map((tool) => [shortNameOf(tool), tool]));

const differing = (before: Tool, after: Tool): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .sort();

const toText = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100));

function toChange(tool: string, before: Tool, after: Tool): ToolChange {
  const [hintsBefore, hintsAfter] = [asMembers(before.annotations), asMembers(after.annotations)];
  const members = differing(before, after)
    .filter((member) => member !== 'annotations')
    .slice(0, mostMembers);
  const annotations = differing(hintsBefore, hintsAfter)
    .slice(0, mostMembers)
    .map((hint) => `${shortName(hint)}: ${toText(hintsBefore[hint])} -> ${toText(hintsAfter[hint])}`);
  return {
    tool,
    change: 'changed',
    ...(members.length > 0 && { members: members.map(shortName) }),
    ...(annotations.length > 0 && { annotations }),
  };
}

/** What changed from one list of tools to the next, by name, at most 100 changes. */
export function surfaceChanges(before: readonly Tool[], after: readonly Tool[]): ToolChange[] {
  const [old, now] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  return names
    .flatMap((tool): ToolChange[] => {
      const [was, is] = [old.get(tool), now.get(tool)];
      if (!was) return [{ tool, change: 'added' }];
      if (!is) return [{ tool, change: 'removed' }];
      return isDeepStrictEqual(was, is) ? [] : [toChange(tool, was, is)];
    })
    .slice(0, mostChanges);
}

/** A change as a history shows it. */
export interface ShownChange extends ObservationChange {
  /** Where tools changed and both sets of them are still stored: which texts for models differ, and where. */
  readonly texts?: readonly ChangedText[];
}

const mostShownTexts = 10;

/** Finds a stored set of tools by its endpoint and digest; undefined if it is stored no more. */
export type FindSet = (endpoint: string, digest: unknown) => readonly Tool[] | undefined;

/** Adds the texts that differ to a change of tools, if the sets before and after it are still stored. */
export function withTexts(change: ObservationChange, find: FindSet, budget: ComparisonBudget): ShownChange {
  if (!isOfTools(change)) return change;
  const [was, is] = [change.before, change.after].map((one) => find(change.subject ?? '', one?.value));
  const texts = was && is ? changedTexts(was, is, budget).take(mostShownTexts).toArray() : [];
  return texts.length > 0 ? { ...change, texts } : change;
}

/** Whether a change replaced one set of tools by another one. */
export const isOfTools = ({ kind, before }: ObservationChange): boolean =>
  kind === toolsSurface.kind && before !== undefined;
