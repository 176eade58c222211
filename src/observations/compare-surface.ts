import { hash } from 'node:crypto';
import { asMembers, countValues, parseForeignJson } from '../core/json.ts';
import { type ComparisonBudget, differenceText, differenceWithin } from '../core/word-difference.ts';
import { toCanonicalJson } from '../log/leaf.ts';
import { changedTexts } from './changed-texts.ts';
import { nameOf, type Tool, withoutForm } from './endpoint/surface.ts';
import { toShownName } from './gate.ts';

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

/** A tool with a digest of each compared member; `digest` covers all of them. */
interface DigestedTool {
  readonly tool: Tool;
  readonly name: string;
  readonly members: ReadonlyMap<Member, string>;
  readonly digest: string;
}

/** The tools that a caller was shown, prepared once so that they can be compared with several sets. */
export type ShownTools = ReturnType<typeof readShownTools>;

/** How a set of tools that a caller was shown differs from one that was seen here. */
export type SurfaceComparison = ReturnType<typeof compareTools>;

const mostTexts = 20;
const longestText = 400;
/** Hints that clients know; they leave out others. */
const hints = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** The limit of JSON values in all schemas that were sent as strings; no body may have so many. */
const mostValues = 100_000;

/** What a caller sent, by the names of the protocol: hosts call the input schema as their models' interfaces do. */
function toProtocolNames(sent: readonly Tool[]): Tool[] {
  let left = mostValues;
  /** Some clients send a schema as a string of JSON, whose values were not counted when the body was read. */
  const toSchema = (schema: unknown): unknown => {
    if (typeof schema !== 'string') return schema;
    left -= countValues(schema);
    return (left >= 0 ? parseForeignJson(schema) : undefined) ?? schema;
  };
  return sent.map(({ input_schema, parameters, ...tool }) =>
    withoutForm({ ...tool, inputSchema: toSchema(tool.inputSchema ?? input_schema ?? parameters) }),
  );
}

const pick = (value: unknown, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(asMembers(value)).filter(([name]) => names.has(name)));

function digestTool(tool: Tool, members: readonly Member[], annotations: ReadonlySet<string>): DigestedTool {
  const digests = members.map((member) => {
    const value = member === 'annotations' ? pick(tool.annotations, annotations) : tool[member];
    return [member, value === undefined ? '' : hash('sha256', toCanonicalJson({ value }))] as const;
  });
  const digest = digests.map(([, one]) => one).join(' ');
  return { tool, name: nameOf(tool), members: new Map(digests), digest };
}

const hasMember = (tools: readonly Tool[], member: Member) =>
  tools.some((tool) => tool[member] !== undefined);

/**
 * Prepares the tools that a caller was shown. Members that at least one of them has are compared; of annotations also the
 * hints that clients know.
 */
export function readShownTools(shown: readonly Tool[]) {
  const sent = toProtocolNames(shown);
  const members = comparedMembers.filter((member) => hasMember(sent, member));
  const annotations = new Set([
    ...hints,
    ...sent.flatMap((tool) => Object.keys(asMembers(tool.annotations))),
  ]);
  return { tools: sent.map((tool) => digestTool(tool, members, annotations)), members, annotations };
}

const longestPrefix = 101;
const longestName = 300;

/** The longest common prefix of all names, up to the length that a client may have added. */
function commonStart(names: readonly string[]): string {
  let common = names[0]?.slice(0, longestPrefix) ?? '';
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  return common;
}

const prefixForm = /^[\w.-]{0,100}[_.:/-]$/;

/** What a host put before every name, as `mcp__mail__`; empty unless the names seen here follow it. */
function prefixOf(sent: readonly string[], seen: ReadonlySet<string>): string {
  if (sent.some((name) => seen.has(name))) return '';
  const short = sent.filter((name) => name.length <= longestName);
  const common = commonStart(sent);
  let best = { prefix: '', matches: 0 };
  for (let length = common.length; length > 0; length -= 1) {
    const prefix = common.slice(0, length);
    if (!prefixForm.test(prefix)) continue;
    const matches = short.filter((name) => seen.has(name.slice(length))).length;
    if (matches > best.matches) best = { prefix, matches };
  }
  return best.prefix;
}

const differing = (seen: DigestedTool, sent: DigestedTool): Member[] =>
  [...seen.members.keys()].filter((member) => seen.members.get(member) !== sent.members.get(member));

/** Pairs the tools of one name: equal tools first, then the others in order. */
function comparePairs(name: string, seen: readonly DigestedTool[], sent: readonly DigestedTool[]) {
  const byDigest = Map.groupBy(seen, ({ digest }) => digest);
  const unmatched = sent.filter(({ digest }) => byDigest.get(digest)?.pop() === undefined);
  const left = [...byDigest.values()].flat();
  const others = unmatched.slice(0, left.length).map((tool, at) => [left[at] ?? tool, tool] as const);
  return {
    others,
    differs: [
      ...others.map(([own, tool]) => ({ name, difference: 'other', members: differing(own, tool) })),
      ...left.slice(others.length).map(() => ({ name, difference: 'only_here' })),
      ...unmatched.slice(others.length).map(() => ({ name, difference: 'only_there' })),
    ] as ToolDifference[],
  };
}

function repeatedIn(names: readonly string[]): string[] {
  const known = new Set<string>();
  return names.filter((name) => known.size === known.add(name).size);
}

/**
 * Compares tools by name and by the members that the caller sent for at least one of them; a name that occurs twice counts
 * twice. The cost grows with the sum of both sides, not with their product.
 */
export function compareTools(seen: readonly Tool[], { tools, members, annotations }: ShownTools) {
  const prefix = prefixOf(
    tools.map(({ name }) => name),
    new Set(seen.map(nameOf)),
  );
  const own = seen.map((tool) => digestTool(withoutForm(tool), members, annotations));
  const sent = tools.map((tool) => ({ ...tool, name: tool.name.slice(prefix.length) }));
  const [ownByName, sentByName] = [own, sent].map((side) => Map.groupBy(side, ({ name }) => name));
  const names = [...new Set([...own, ...sent].map(({ name }) => name))].sort();
  const pairs = names.map((name) =>
    comparePairs(name, ownByName?.get(name) ?? [], sentByName?.get(name) ?? []),
  );
  const not_sent = comparedMembers.filter((member) => !members.includes(member) && hasMember(seen, member));
  const repeated = [own, sent].flatMap((side) => repeatedIn(side.map(({ name }) => name)));
  return {
    differs: pairs.flatMap(({ differs }) => differs),
    /** Names that several tools of one side have. */
    repeated: [...new Set(repeated)].sort(),
    /** Members that were seen here and not sent of any tool, so that they were not compared. */
    not_sent,
    /** Whether nothing but names was compared of tools that have more. */
    is_of_names: members.length === 0 && not_sent.length > 0,
    /** What the caller's host put before every name. */
    prefix,
    /** Pairs of tools with the same name that differ: the one seen here, and the one sent. */
    others: pairs.flatMap(({ others }) => others),
  };
}

const toText = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined ? '' : toCanonicalJson(asMembers(value));

/** Yields the differences between two tools: text by text for texts that models read, otherwise by whole member. */
function* textsOf(
  [seen, sent]: SurfaceComparison['others'][number],
  budget: ComparisonBudget,
): Generator<{ readonly name: string; readonly member: string; readonly difference: string }> {
  const members = differing(seen, sent);
  const picked = ({ tool }: DigestedTool) => ({ ...pick(tool, new Set(members)), name: '' });
  const found = new Set<string | undefined>();
  for (const { member, difference } of changedTexts([picked(seen)], [picked(sent)], budget)) {
    found.add(member.split('.')[0]);
    yield { name: seen.name, member, difference: differenceText(difference) };
  }
  for (const member of members.filter((one) => !found.has(one))) {
    const difference = differenceWithin(budget, toText(seen.tool[member]), toText(sent.tool[member]));
    if (difference) yield { name: seen.name, member, difference: differenceText(difference) };
  }
}

/** The differences in members of tools, at most 20, in the form [-here-]{+there+}. */
export const textsOfPairs = ({ others }: Pick<SurfaceComparison, 'others'>, budget: ComparisonBudget) =>
  others
    .values()
    .flatMap((pair) => textsOf(pair, budget))
    .take(mostTexts)
    .map((text) => ({
      ...text,
      name: toShownName(text.name),
      difference: text.difference.slice(0, longestText).toWellFormed(),
    }))
    .toArray();

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
  return { differs, repeated, not_sent: [], is_of_names: false, prefix: '', others: [] };
}
