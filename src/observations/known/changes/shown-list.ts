import { difference, type ValueDifference } from '../../../core/difference/difference.ts';
import {
  type ComparisonBudget,
  differenceText,
  differenceWithin,
} from '../../../core/difference/word-difference.ts';
import { asMembers, countValues, type JsonObject, ownMember, parseForeignJson } from '../../../core/json.ts';
import { toShownName } from '../../../core/text.ts';
import { toCanonicalJson } from '../../../log/leaf.ts';
import { nameOf, type Surface, type SurfaceMember } from '../../asked/endpoint/surface.ts';
import { changedTexts } from './changed-texts.ts';

export interface MemberDifference {
  readonly name: string;
  readonly difference: 'only_here' | 'only_there' | 'other';
  readonly members?: string[];
}

/** What is compared of a member. */
interface ComparedMember {
  readonly name: string;
  readonly members: JsonObject;
}

export type ShownList = ReturnType<typeof readShown>;

export type SurfaceComparison = ReturnType<typeof compareList>;

const mostTexts = 20;
const longestText = 400;
/** Clients know these, and may leave out others. */
const hints = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const mostValues = 100_000;

/** Or `input_schema` or `parameters`, as the API of a model calls it. */
function toProtocolNames(sent: readonly SurfaceMember[]): SurfaceMember[] {
  let left = mostValues;
  /** Some clients send a schema as a string of JSON, whose values were not counted with the body. */
  const toSchema = (schema: unknown): unknown => {
    if (typeof schema !== 'string') return schema;
    left -= countValues(schema);
    return (left >= 0 ? parseForeignJson(schema) : undefined) ?? schema;
  };
  return sent.map(({ input_schema, parameters, ...tool }) => ({
    ...tool,
    inputSchema: toSchema(tool.inputSchema ?? input_schema ?? parameters),
  }));
}

const pick = (value: unknown, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(asMembers(value)).filter(([name]) => names.has(name)));

function toCompared(sent: SurfaceMember, name: string, { members, annotations }: ComparedSurface) {
  const values = members.flatMap((member) => {
    const value = member === 'annotations' ? pick(sent.annotations, annotations) : ownMember(sent, member);
    return value === undefined ? [] : [[member, value]];
  });
  return { name, members: Object.fromEntries(values) } satisfies ComparedMember;
}

const hasMember = (list: readonly SurfaceMember[], member: string) =>
  list.some((one) => ownMember(one, member) !== undefined);

interface ComparedSurface {
  readonly members: readonly string[];
  readonly annotations: ReadonlySet<string>;
}

export function readShown(surface: Surface, shown: readonly SurfaceMember[]) {
  const named = surface.name === 'tools' ? toProtocolNames(shown) : shown;
  const sent = named.map((one) => surface.withoutForm(one));
  const members = surface.compared.filter((member) => hasMember(sent, member));
  const annotations = new Set([...hints, ...sent.flatMap((one) => Object.keys(asMembers(one.annotations)))]);
  const compared = { members, annotations };
  const list = sent.map((one) => toCompared(one, nameOf(one, surface), compared));
  return { surface, list, unsent: unsentNamesOf(surface, sent), ...compared };
}

const longestPrefix = 101;
const longestName = 300;
/** Each is looked for in every name. The longest first, because the names themselves may begin alike. */
const mostPrefixes = 10;

function commonStart(names: readonly string[]): string {
  let common = names[0]?.slice(0, longestPrefix) ?? '';
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  return common;
}

const prefixForm = /^[\w.-]{0,100}[_.:/-]$/;

/** Such as `mcp__mail__`, which a client puts before every name. */
function prefixOf(sent: readonly string[], seen: ReadonlySet<string>): string {
  if (sent.some((name) => seen.has(name))) return '';
  const short = sent.filter((name) => name.length <= longestName);
  const common = commonStart(sent);
  const starts = common.split('').map((_, at) => common.slice(0, common.length - at));
  let best = { prefix: '', matches: 0 };
  for (const prefix of starts.filter((text) => prefixForm.test(text)).slice(0, mostPrefixes)) {
    const matches = short.filter((name) => seen.has(name.slice(prefix.length))).length;
    if (matches > best.matches) best = { prefix, matches };
  }
  return best.prefix;
}

const byName = { key: ({ name }: JsonObject) => String(name) };

function toMemberDifference({ name = '', was, is, inside = [] }: ValueDifference): MemberDifference {
  if (is === undefined) return { name, difference: 'only_here' };
  if (was === undefined) return { name, difference: 'only_there' };
  const members = [...new Set(inside.flatMap(({ path: [, member] }) => member ?? []))];
  return { name, difference: 'other', ...(members.length > 0 && { members }) };
}

function repeatedIn(names: readonly string[]): string[] {
  const known = new Set<string>();
  return names.filter((name) => known.size === known.add(name).size);
}

/** Clients list resources and templates separately. An empty list is one of resources. */
function unsentNamesOf({ namedBy: [first, ...others] }: Surface, sent: readonly SurfaceMember[]): string[] {
  const absent = others.filter((name) => !hasMember(sent, name));
  const isFirstSent = hasMember(sent, first) || absent.length === others.length;
  return isFirstSent ? absent : [first, ...absent];
}

const toMember =
  ({ namedBy: [named] }: Surface) =>
  ({ name, members }: ComparedMember): JsonObject => ({ ...members, [named]: name });

/** A repeated name counts twice. Linear in the lengths of the two lists. */
export function compareList(all: readonly SurfaceMember[], shown: ShownList) {
  const { surface, list, members, unsent } = shown;
  const seen = all.filter((one) => unsent.every((name) => ownMember(one, name) === undefined));
  const prefix = prefixOf(
    list.map(({ name }) => name),
    new Set(seen.map((one) => nameOf(one, surface))),
  );
  const here = seen.map((one) => toCompared(surface.withoutForm(one), nameOf(one, surface), shown));
  const sent = list.map((one) => ({ ...one, name: one.name.slice(prefix.length) }));
  const found = difference(here, sent, byName);
  const not_sent = surface.compared.filter((member) => !members.includes(member) && hasMember(seen, member));
  const unsentNames = surface.namedBy.filter((name) => hasMember(all, name) && !hasMember(seen, name));
  const repeated = [here, sent].flatMap((side) => repeatedIn(side.map(({ name }) => name)));
  return {
    differs: found.map(toMemberDifference),
    repeated: [...new Set(repeated)].sort(),
    /** Of a list that was not sent, the member that names its entries. */
    not_sent: [...not_sent, ...unsentNames],
    is_of_names: members.length === 0 && not_sent.length > 0,
    /** Put by the caller's program before every name; empty if there is none. */
    prefix,
    others: found.filter(({ inside }) => inside),
    was: here.map(toMember(surface)),
    is: sent.map(toMember(surface)),
    surface,
  };
}

const nameless = ({ namedBy: [name] }: Surface) => ({ [name]: '' });

const toText = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined ? '' : toCanonicalJson(asMembers(value));

/** If another JSON member differs, it yields the difference of the whole member. */
function* textsOf(surface: Surface, other: ValueDifference, budget: ComparisonBudget) {
  const { name, members = [] } = toMemberDifference(other);
  const [seen, sent] = [other.was, other.is].map((one) =>
    pick((one as ComparedMember).members, new Set(members)),
  );
  const toNameless = (one: JsonObject = {}) => [{ ...one, ...nameless(surface) }];
  const found = new Set<string | undefined>();
  for (const { member, difference: text } of changedTexts(
    surface,
    toNameless(seen),
    toNameless(sent),
    budget,
  )) {
    found.add(member.split('.')[0]);
    yield { name, member, difference: differenceText(text) };
  }
  for (const member of members.filter((one) => !found.has(one))) {
    const text = differenceWithin(budget, toText(seen?.[member]), toText(sent?.[member]));
    if (text) yield { name, member, difference: differenceText(text) };
  }
}

export const textsOfPairs = (
  { others, surface }: Pick<SurfaceComparison, 'others' | 'surface'>,
  budget: ComparisonBudget,
) =>
  others
    .values()
    .flatMap((pair) => textsOf(surface, pair, budget))
    .take(mostTexts)
    .map((text) => ({
      ...text,
      name: toShownName(text.name),
      difference: text.difference.slice(0, longestText).toWellFormed(),
    }))
    .toArray();

export function compareDigests(
  surface: Surface,
  seen: readonly { readonly name: string; readonly sha256: string }[],
  sent: Readonly<Record<string, string>>,
): SurfaceComparison {
  const all = Object.entries(sent).map(([name, sha256]) => ({ name, sha256 }));
  const differs = difference(seen, all, byName).map(toMemberDifference);
  const repeated = [...new Set(repeatedIn(seen.map(({ name }) => name)))];
  return {
    differs,
    repeated,
    not_sent: [],
    is_of_names: false,
    prefix: '',
    others: [],
    was: [],
    is: [],
    surface,
  };
}
