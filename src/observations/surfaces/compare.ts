import { hash } from 'node:crypto';
import {
  type ComparisonBudget,
  differenceText,
  differenceWithin,
} from '../../core/difference/word-difference.ts';
import { asMembers, countValues, ownMember, parseForeignJson } from '../../core/json.ts';
import { toCanonicalJson } from '../../log/leaf.ts';
import { changedTexts } from '../changed-texts.ts';
import { nameOf, type Surface, type SurfaceMember } from '../endpoint/surface.ts';
import { toShownName } from '../gate.ts';

export interface MemberDifference {
  readonly name: string;
  readonly difference: 'only_here' | 'only_there' | 'other';
  /**
   * The JSON members that differ. The array is absent for a member of only one list, and if only digests were
   * compared.
   */
  readonly members?: string[];
}

/** `digest` covers all JSON members that are compared. */
interface Digested {
  readonly sent: SurfaceMember;
  readonly name: string;
  readonly members: ReadonlyMap<string, string>;
  readonly digest: string;
}

/** The list that a caller sent, prepared once for the comparison with several lists. */
export type ShownList = ReturnType<typeof readShown>;

export type SurfaceComparison = ReturnType<typeof compareList>;

const mostTexts = 20;
const longestText = 400;
/** Clients know these annotations, and may leave out others. */
const hints = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

const mostValues = 100_000;

/**
 * The caller's program may call the input schema `input_schema` or `parameters`, as the API of a model does.
 */
function toProtocolNames(sent: readonly SurfaceMember[]): SurfaceMember[] {
  let left = mostValues;
  /** Some clients send a schema as a string of JSON. Its values were not counted when the body was read. */
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

function digest(sent: SurfaceMember, name: string, { members, annotations }: ComparedSurface): Digested {
  const digests = members.map((member) => {
    const value = member === 'annotations' ? pick(sent.annotations, annotations) : ownMember(sent, member);
    return [member, value === undefined ? '' : hash('sha256', toCanonicalJson({ value }))] as const;
  });
  return { sent, name, members: new Map(digests), digest: digests.map(([, one]) => one).join(' ') };
}

const hasMember = (list: readonly SurfaceMember[], member: string) =>
  list.some((one) => ownMember(one, member) !== undefined);

interface ComparedSurface {
  readonly members: readonly string[];
  readonly annotations: ReadonlySet<string>;
}

/**
 * Only JSON members that at least one entry has are compared. An annotation is compared if clients know it or
 * at least one entry has it.
 */
export function readShown(surface: Surface, shown: readonly SurfaceMember[]) {
  const named = surface.name === 'tools' ? toProtocolNames(shown) : shown;
  const sent = named.map((one) => surface.withoutForm(one));
  const members = surface.compared.filter((member) => hasMember(sent, member));
  const annotations = new Set([...hints, ...sent.flatMap((one) => Object.keys(asMembers(one.annotations)))]);
  const compared = { members, annotations };
  const list = sent.map((one) => digest(one, nameOf(one, surface), compared));
  return { surface, list, unsent: unsentNamesOf(surface, sent), ...compared };
}

const longestPrefix = 101;
const longestName = 300;
/** Each is looked for in every name. The longest come first, because the names themselves may begin alike. */
const mostPrefixes = 10;

function commonStart(names: readonly string[]): string {
  let common = names[0]?.slice(0, longestPrefix) ?? '';
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  return common;
}

const prefixForm = /^[\w.-]{0,100}[_.:/-]$/;

/** A client may put a prefix such as `mcp__mail__` before every name. */
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

const differing = (seen: Digested, sent: Digested): string[] =>
  [...seen.members.keys()].filter((member) => seen.members.get(member) !== sent.members.get(member));

/** Equal members are paired first. The others are paired in their order. */
function comparePairs(name: string, seen: readonly Digested[], sent: readonly Digested[]) {
  const byDigest = Map.groupBy(seen, ({ digest }) => digest);
  const unmatched = sent.filter(({ digest }) => byDigest.get(digest)?.pop() === undefined);
  const left = [...byDigest.values()].flat();
  const others = unmatched.slice(0, left.length).map((one, at) => [left[at] ?? one, one] as const);
  return {
    others,
    differs: [
      ...others.map(([here, there]) => ({ name, difference: 'other', members: differing(here, there) })),
      ...left.slice(others.length).map(() => ({ name, difference: 'only_here' })),
      ...unmatched.slice(others.length).map(() => ({ name, difference: 'only_there' })),
    ] as MemberDifference[],
  };
}

function repeatedIn(names: readonly string[]): string[] {
  const known = new Set<string>();
  return names.filter((name) => known.size === known.add(name).size);
}

/**
 * The names of entries whose list was not sent. Clients list resources and resource templates separately, so
 * the list that was sent may have only one of the two. An empty list counts as a list of resources.
 */
function unsentNamesOf({ namedBy: [first, ...others] }: Surface, sent: readonly SurfaceMember[]): string[] {
  const absent = others.filter((name) => !hasMember(sent, name));
  const isFirstSent = hasMember(sent, first) || absent.length === others.length;
  return isFirstSent ? absent : [first, ...absent];
}

/**
 * A name that occurs twice counts twice. The cost grows with the sum of the lengths of the two lists, not
 * with their product.
 */
export function compareList(all: readonly SurfaceMember[], shown: ShownList) {
  const { surface, list, members, unsent } = shown;
  const seen = all.filter((one) => unsent.every((name) => ownMember(one, name) === undefined));
  const prefix = prefixOf(
    list.map(({ name }) => name),
    new Set(seen.map((one) => nameOf(one, surface))),
  );
  const here = seen.map((one) => digest(surface.withoutForm(one), nameOf(one, surface), shown));
  const sent = list.map((one) => ({ ...one, name: one.name.slice(prefix.length) }));
  const [ownByName, sentByName] = [here, sent].map((side) => Map.groupBy(side, ({ name }) => name));
  const names = [...new Set([...here, ...sent].map(({ name }) => name))].sort();
  const pairs = names.map((name) =>
    comparePairs(name, ownByName?.get(name) ?? [], sentByName?.get(name) ?? []),
  );
  const not_sent = surface.compared.filter((member) => !members.includes(member) && hasMember(seen, member));
  const unsentNames = surface.namedBy.filter((name) => hasMember(all, name) && !hasMember(seen, name));
  const repeated = [here, sent].flatMap((side) => repeatedIn(side.map(({ name }) => name)));
  return {
    differs: pairs.flatMap(({ differs }) => differs),
    /** Names that several members of one list have. */
    repeated: [...new Set(repeated)].sort(),
    /**
     * JSON members that were seen here and not compared, because the list that was sent has none of them. For
     * a list that was not sent, it has the JSON member that names the entries of the list.
     */
    not_sent: [...not_sent, ...unsentNames],
    /** Whether only names were compared, although the members seen here have more. */
    is_of_names: members.length === 0 && not_sent.length > 0,
    /** The prefix that the caller's program puts before every name; empty if there is none. */
    prefix,
    /** Pairs of members that have one name and differ: the member seen here, and the member that was sent. */
    others: pairs.flatMap(({ others }) => others),
    surface,
  };
}

/** Gives both members of a pair one name, so that a prefix makes no difference. */
const nameless = ({ namedBy: [name] }: Surface) => ({ [name]: '' });

const toText = (value: unknown) =>
  typeof value === 'string' ? value : value === undefined ? '' : toCanonicalJson(asMembers(value));

/**
 * Yields the difference of each text for models. If another JSON member differs, yields the difference of the
 * whole member.
 */
function* textsOf(
  surface: Surface,
  [seen, sent]: SurfaceComparison['others'][number],
  budget: ComparisonBudget,
): Generator<{ readonly name: string; readonly member: string; readonly difference: string }> {
  const members = differing(seen, sent);
  const picked = (one: Digested) => [{ ...pick(one.sent, new Set(members)), ...nameless(surface) }];
  const found = new Set<string | undefined>();
  for (const { member, difference } of changedTexts(surface, picked(seen), picked(sent), budget)) {
    found.add(member.split('.')[0]);
    yield { name: seen.name, member, difference: differenceText(difference) };
  }
  for (const member of members.filter((one) => !found.has(one))) {
    const difference = differenceWithin(
      budget,
      toText(ownMember(seen.sent, member)),
      toText(ownMember(sent.sent, member)),
    );
    if (difference) yield { name: seen.name, member, difference: differenceText(difference) };
  }
}

/** Writes differences in the form [-here-]{+there+}. */
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

/** A name that was seen twice differs, because it has no single digest. */
export function compareDigests(
  surface: Surface,
  seen: readonly { readonly name: string; readonly sha256: string }[],
  sent: Readonly<Record<string, string>>,
): SurfaceComparison {
  const here = Map.groupBy(seen, ({ name }) => name);
  const names = [...new Set([...here.keys(), ...Object.keys(sent)])].sort();
  const differs = names.flatMap((name): MemberDifference[] => {
    const known = here.get(name) ?? [];
    if (!Object.hasOwn(sent, name)) return known.map(() => ({ name, difference: 'only_here' }));
    if (known.length === 0) return [{ name, difference: 'only_there' }];
    return known.length === 1 && known[0]?.sha256 === sent[name] ? [] : [{ name, difference: 'other' }];
  });
  const repeated = [...new Set(repeatedIn(seen.map(({ name }) => name)))];
  return { differs, repeated, not_sent: [], is_of_names: false, prefix: '', others: [], surface };
}
