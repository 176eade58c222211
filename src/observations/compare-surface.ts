import { isDeepStrictEqual } from 'node:util';
import { asMembers, attempt } from '../core/json.ts';
import { differenceText, wordDifference } from '../core/word-difference.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import type { Tool } from './endpoint/messages.ts';
import { changedTexts, nameOf } from './kinds/tools.ts';

/** Members of a tool that every era of the protocol has; hosts hand on some of them. */
const comparedMembers = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
type Member = (typeof comparedMembers)[number];

/** How one tool differs between what a caller sees and what was seen here. */
export interface ToolDifference {
  readonly name: string;
  readonly difference: 'only_here' | 'only_there' | 'other';
  /** Which members differ, if tools themselves were compared. */
  readonly members?: string[];
}

/** How a set of tools that a caller was shown differs from one that was seen here. */
export type SurfaceComparison = ReturnType<typeof compareTools>;

const mostTexts = 20;
const longestText = 400;
/** Hints that clients know; they leave out others. */
const hints = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** A schema that a host hands on as its JSON text. */
const toSchema = (sent: unknown): unknown =>
  typeof sent === 'string' ? (attempt(() => JSON.parse(sent) as unknown) ?? sent) : sent;

/** What a caller sent, by the names of the protocol: hosts call the input schema as their models' interfaces do. */
const toTool = ({ input_schema, parameters, ...tool }: Tool): Tool => ({
  ...tool,
  inputSchema: toSchema(tool.inputSchema ?? input_schema ?? parameters),
});

const prefixForm = /^[\w.-]{0,100}[_.:/-]$/;

/** What a host put before every name, as `mcp__mail__`; empty unless the names seen here follow it. */
function prefixOf(sent: readonly string[], seen: ReadonlySet<string>): string {
  if (sent.some((name) => seen.has(name))) return '';
  const found = new Set(
    sent.flatMap((name) =>
      [...seen].filter((own) => own !== '' && name.endsWith(own)).map((own) => name.slice(0, -own.length)),
    ),
  );
  const isCommon = (prefix: string) =>
    prefixForm.test(prefix) && sent.every((name) => name.startsWith(prefix));
  const matches = (prefix: string) => sent.filter((name) => seen.has(name.slice(prefix.length))).length;
  return [...found].filter(isCommon).toSorted((a, b) => matches(b) - matches(a))[0] ?? '';
}

const isSameMember = (member: Member, seen: Tool, sent: Tool): boolean => {
  if (member !== 'annotations') return isDeepStrictEqual(seen[member], sent[member]);
  const [own, shown] = [asMembers(seen.annotations), asMembers(sent.annotations)];
  return [...hints, ...Object.keys(shown)].every((hint) => isDeepStrictEqual(own[hint], shown[hint]));
};

/** The tools of one name: those that are the same are set against each other first. */
function comparePairs(
  name: string,
  seen: readonly Tool[],
  sent: readonly Tool[],
  members: readonly Member[],
) {
  const differing = (a: Tool, b: Tool) => members.filter((member) => !isSameMember(member, a, b));
  const left = [...seen];
  const unmatched = sent.filter((tool) => {
    const at = left.findIndex((own) => differing(own, tool).length === 0);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const others = unmatched.slice(0, left.length).map((tool, at) => [left[at] ?? {}, tool] as const);
  return {
    others,
    differs: [
      ...others.map(([own, tool]) => ({ name, difference: 'other', members: differing(own, tool) })),
      ...left.slice(others.length).map(() => ({ name, difference: 'only_here' })),
      ...unmatched.slice(others.length).map(() => ({ name, difference: 'only_there' })),
    ] as ToolDifference[],
  };
}

const toText = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined ? '' : toCanonicalJson(asMembers(value));

/** How the members that differ of two tools read: texts for models at their places, else the whole member. */
function textsOf([seen, sent]: readonly [Tool, Tool], members: readonly Member[]) {
  const pick = (tool: Tool) => ({ name: '', ...Object.fromEntries(members.map((one) => [one, tool[one]])) });
  const texts = changedTexts([pick(seen)], [pick(sent)], mostTexts);
  const whole = members
    .filter((member) => !isSameMember(member, seen, sent))
    .filter((member) => !texts.some((text) => text.member.split('.')[0] === member))
    .map((member) => ({ member, difference: wordDifference(toText(seen[member]), toText(sent[member])) }));
  return [...texts, ...whole].map(({ member, difference }) => ({
    name: nameOf(seen),
    member,
    difference: differenceText(difference).slice(0, longestText).toWellFormed(),
  }));
}

const repeatedIn = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at);

/** Compares tools by name and by those members that the caller sent of any of them; a name that occurs twice counts twice. */
export function compareTools(seen: readonly Tool[], shown: readonly Tool[]) {
  const seenNames = new Set(seen.map(nameOf));
  const prefix = prefixOf(shown.map(nameOf), seenNames);
  const sent = shown.map((tool) => ({ ...toTool(tool), name: nameOf(tool).slice(prefix.length) }));
  const has = (tools: readonly Tool[], member: Member) => tools.some((tool) => tool[member] !== undefined);
  const members = comparedMembers.filter((member) => has(sent, member));
  const [own, theirs] = [Map.groupBy(seen, nameOf), Map.groupBy(sent, nameOf)];
  const names = [...new Set([...own.keys(), ...theirs.keys()])].sort();
  const pairs = names.map((name) => comparePairs(name, own.get(name) ?? [], theirs.get(name) ?? [], members));
  const not_sent = comparedMembers.filter((member) => !members.includes(member) && has(seen, member));
  return {
    differs: pairs.flatMap(({ differs }) => differs),
    /** Names that several tools of one side have. */
    repeated: [...new Set([...repeatedIn(seen.map(nameOf)), ...repeatedIn(sent.map(nameOf))])].sort(),
    /** Members that were seen here and not sent of any tool, so that they were not compared. */
    not_sent,
    /** Whether nothing but names was compared of tools that have more. */
    is_of_names: members.length === 0 && not_sent.length > 0,
    /** What the caller's host put before every name. */
    prefix,
    /** How members that differ read: [-here-]{+there+}. */
    texts: pairs
      .flatMap(({ others }) => others)
      .slice(0, mostTexts)
      .flatMap((pair) => textsOf(pair, members))
      .slice(0, mostTexts),
  };
}

/** Compares tools by name and digest; what was seen twice under one name is no single digest. */
export function compareDigests(
  seen: readonly { readonly name: string; readonly sha256: string }[],
  sent: Readonly<Record<string, string>>,
): SurfaceComparison {
  const own = Map.groupBy(seen, ({ name }) => name);
  const names = [...new Set([...own.keys(), ...Object.keys(sent)])].sort();
  const differs = names.flatMap((name): ToolDifference[] => {
    const known = own.get(name) ?? [];
    if (!Object.hasOwn(sent, name)) return known.map(() => ({ name, difference: 'only_here' }));
    if (known.length === 0) return [{ name, difference: 'only_there' }];
    return known.length === 1 && known[0]?.sha256 === sent[name] ? [] : [{ name, difference: 'other' }];
  });
  const repeated = [...new Set(repeatedIn(seen.map(({ name }) => name)))];
  return { differs, repeated, not_sent: [], is_of_names: false, prefix: '', texts: [] };
}
