import { isDeepStrictEqual } from 'node:util';
import { asMembers, isJsonObject } from '../../../core/json.ts';
import { code, join, own, say, type Words } from '../../../core/words.ts';
import { type Surface, type SurfaceMember, shortNameOf } from '../../endpoint/surface.ts';
import { type ChangeClass, type ChangeCounts, changeClasses } from '../../tool-change.ts';
import { isSecretArgument } from './secret-argument.ts';

/** The name of a tool has the key `tool`, because entries of the log use this key. */
export type NamedMember = { readonly tool: string } | { readonly name: string };

export const changedName = (item: NamedMember): string => ('tool' in item ? item.tool : item.name);

export const toNamed = (name: string, { name: surface }: Surface): NamedMember =>
  surface === 'tools' ? { tool: name } : { name };

export type MemberChange = NamedMember & ChangedMember;

interface ChangedMember {
  readonly change: 'added' | 'removed' | 'changed';
  /** The weightiest class of the change. */
  readonly class: ChangeClass;
  /** The JSON members that differ, except `annotations`. */
  readonly members?: readonly string[];
  /** Annotations that differ, such as `readOnlyHint: true -> false`. */
  readonly annotations?: readonly string[];
  /** At most 20 arguments: newly secret ones in the class `secret`, newly required ones in `required`. */
  readonly arguments?: readonly string[];
}

/** The most changes that are returned. Further changes are only counted. */
const mostChanges = 100;
/** The most arguments that a change names. The number is small, because the log keeps the names. */
const mostNamed = 20;
const longestName = 200;
const mostDepth = 12;

const shortName = (name: string) => name.slice(0, longestName);

const byName = (members: readonly SurfaceMember[], surface: Surface) =>
  new Map(members.map((member) => [shortNameOf(member, surface), member]));

const differing = (before: SurfaceMember, after: SurfaceMember): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .sort();

const toMemberText = (value: unknown) =>
  value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100);

/**
 * A path into a tool, for example `['inputSchema', 'properties', 'to', 'description']`. Long names are cut.
 */
type MemberPath = readonly string[];

const named = ['properties', '$defs', 'definitions'];

/**
 * Returns the arguments that contain a path, the innermost first. Keywords of JSON Schema are left out, so an
 * argument inside of `anyOf` is the same as one outside of it.
 */
function argumentsAround(place: MemberPath): string[] {
  const around: string[] = [];
  const names = place.slice(0, 1);
  for (let at = 1; at + 1 < place.length; at += 1) {
    if (!named.includes(place[at] ?? '')) continue;
    at += 1;
    names.push(place[at] ?? '');
    around.unshift(JSON.stringify(names));
  }
  return around;
}

/** `place` has the names that lead to the argument, as JSON. */
interface Argument {
  readonly place: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/** Arguments deeper than a limit are left out. */
function* argumentsOf(schema: unknown, place: MemberPath): Generator<Argument> {
  if (place.length > 2 * mostDepth || typeof schema !== 'object' || schema === null) return;
  const { properties, required } = asMembers(schema);
  const isRequired = new Set(Array.isArray(required) ? required : []);
  for (const [name, one] of Object.entries(asMembers(properties))) {
    const [argument = ''] = argumentsAround([...place, 'properties', shortName(name), '']);
    yield { place: argument, name, isRequired: isRequired.has(name), isSecret: isSecretArgument(name, one) };
  }
  for (const [name, one] of Object.entries(schema)) yield* argumentsOf(one, [...place, shortName(name)]);
}

/**
 * A schema may name an argument in several places. The argument counts as required, or as secret, if it is so
 * in one of these places.
 */
function readArguments(tool: SurfaceMember): ReadonlyMap<string, Argument> {
  const found = new Map<string, Argument>();
  for (const one of argumentsOf(tool.inputSchema, ['inputSchema'])) {
    const { isRequired = false, isSecret = false } = found.get(one.place) ?? {};
    found.set(one.place, {
      ...one,
      isRequired: isRequired || one.isRequired,
      isSecret: isSecret || one.isSecret,
    });
  }
  return found;
}

const textMembers = ['title', 'description'];

/** Texts deeper than a limit are left out. */
export function* textsOf(value: unknown, place: MemberPath = []): Generator<[MemberPath, string]> {
  if (place.length > mostDepth || typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const at = [...place, shortName(name)];
    if (typeof member !== 'string') yield* textsOf(member, at);
    else if (textMembers.includes(name)) yield [at, member];
  }
}

function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => typeof value !== 'string' || !textMembers.includes(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutTexts(value)]));
}

function textsByArgument(
  tool: SurfaceMember,
  without: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const texts = new Map<string, Set<string>>();
  for (const [place, text] of textsOf(tool)) {
    const around = argumentsAround(place);
    if (around.some((argument) => without.has(argument))) continue;
    const about = around[0] ?? place.join('.');
    const known = texts.get(about) ?? new Set();
    texts.set(about, known.add(text));
  }
  return texts;
}

/** Ignores the texts of arguments that only one of the tools has (`ofOne`). */
const hasOtherTexts = (before: SurfaceMember, after: SurfaceMember, ofOne: ReadonlySet<string>): boolean =>
  !isDeepStrictEqual(textsByArgument(before, ofOne), textsByArgument(after, ofOne));

const withoutTitle = (annotations: unknown) => {
  const { title: _, ...hints } = asMembers(annotations);
  return hints;
};

function classesOf(before: SurfaceMember, after: SurfaceMember) {
  const old = readArguments(before);
  const now = readArguments(after);
  const found = [...now.values()];
  const secret = found.filter(({ place, isSecret }) => isSecret && !old.get(place)?.isSecret);
  const required = found.filter(({ place, isRequired }) => isRequired && !old.get(place)?.isRequired);
  const [input, output] = (['inputSchema', 'outputSchema'] as const).map(
    (member) => !isDeepStrictEqual(withoutTexts(before[member]), withoutTexts(after[member])),
  );
  const hasOtherHints = !isDeepStrictEqual(withoutTitle(before.annotations), withoutTitle(after.annotations));
  const is: Readonly<Partial<Record<ChangeClass, boolean | undefined>>> = {
    secret: secret.length > 0,
    hints: hasOtherHints,
    words: hasOtherTexts(before, after, new Set(old.keys()).symmetricDifference(new Set(now.keys()))),
    required: required.length > 0,
    arguments: input,
    files: !isDeepStrictEqual(before.files, after.files),
    result: output,
  };
  return { classes: changeClasses.filter((name) => is[name]), secret, required };
}

/** Both members are results of `withoutForm`. */
function toChange(surface: Surface, before: SurfaceMember, after: SurfaceMember): ChangedMember {
  const hintsBefore = asMembers(before.annotations);
  const hintsAfter = asMembers(after.annotations);
  const members = differing(before, after).filter((member) => member !== 'annotations');
  const annotations = differing(hintsBefore, hintsAfter).map(
    (hint) => `${hint}: ${toMemberText(hintsBefore[hint])} -> ${toMemberText(hintsAfter[hint])}`,
  );
  const found = classesOf(surface.asTool(before), surface.asTool(after));
  // A change that fits no class counts as `words`, for example a different name of a resource.
  const [most = 'words'] = found.classes;
  const about = most === 'secret' || most === 'required' ? found[most] : [];
  return {
    change: 'changed',
    class: most,
    ...(members.length > 0 && { members }),
    ...(annotations.length > 0 && { annotations }),
    ...(about.length > 0 && { arguments: about.slice(0, mostNamed).map(({ name }) => shortName(name)) }),
  };
}

const weightOf = ({ class: name }: ChangedMember) => changeClasses.indexOf(name);

/** Keeps the first change of each class, and further changes up to `most` in all. */
export function weightiest<Change extends Pick<ChangedMember, 'class'>>(
  changes: readonly Change[],
  most: number,
): Change[] {
  const firsts = new Set([...Map.groupBy(changes, ({ class: name }) => name).values()].map(([one]) => one));
  const others = changes.filter((one) => !firsts.has(one)).slice(0, Math.max(0, most - firsts.size));
  const kept = new Set([...firsts, ...others]);
  return changes.filter((one) => kept.has(one));
}

/** Returns at most 100 changes, the weightiest first, and the number of changes in each class. */
export function surfaceChanges(
  surface: Surface,
  before: readonly SurfaceMember[],
  after: readonly SurfaceMember[],
): { readonly items: readonly MemberChange[]; readonly counts: ChangeCounts } {
  const old = byName(before, surface);
  const now = byName(after, surface);
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  const all = names
    .flatMap((name): MemberChange[] => {
      const was = old.get(name);
      const is = now.get(name);
      const named = toNamed(name, surface);
      if (!was) return [{ ...named, change: 'added', class: 'added' }];
      if (!is) return [{ ...named, change: 'removed', class: 'removed' }];
      const from = surface.withoutForm(was);
      const to = surface.withoutForm(is);
      return isDeepStrictEqual(from, to) ? [] : [{ ...named, ...toChange(surface, from, to) }];
    })
    .sort((a, b) => weightOf(a) - weightOf(b));
  const byClass = Map.groupBy(all, ({ class: name }) => name);
  return {
    items: weightiest(all, mostChanges),
    counts: Object.fromEntries([...byClass].map(([name, { length }]) => [name, length])),
  };
}

export const surfaceWeight = ({ counts = {} }: { readonly counts?: ChangeCounts | undefined }): number =>
  changeClasses.length - (changeClasses.findIndex((name) => counts[name]) + 1 || changeClasses.length);

const classWords: Readonly<Record<ChangeClass, Words>> = {
  secret: own('a newly secret argument in'),
  hints: own('changed hints of'),
  words: own('changed words in'),
  files: own('changed files in'),
  removed: own('removed'),
  required: own('a newly required argument in'),
  arguments: own('changed arguments in'),
  result: own('a changed result schema in'),
  added: own('added'),
};

type NamedChange = NamedMember & Pick<ChangedMember, 'class'>;

export const changedMemberWords = (item: NamedChange): Words =>
  say`${classWords[item.class]} ${code(changedName(item))}`;

const mostSaid = 5;

/**
 * Names each class with one of its members, if `members` has any. Adds further members, up to five in all.
 */
export function changedMembersWords(
  surface: Surface,
  members: readonly NamedChange[],
  counts: ChangeCounts,
): Words {
  const all = changeClasses.filter((name) => counts[name]);
  let left = Math.max(0, mostSaid - all.length);
  const said = all.map((name) => {
    const ofClass = members.filter((one) => one.class === name);
    const named = ofClass.slice(0, 1 + left);
    left -= Math.max(0, named.length - 1);
    const more = (counts[name] ?? 0) - named.length;
    const names = join(
      named.map((item) => code(changedName(item))),
      ', ',
    );
    if (named.length === 0) return say`${classWords[name]} ${surface.count(more)}`;
    return more > 0 ? say`${classWords[name]} ${names} and ${more} more` : say`${classWords[name]} ${names}`;
  });
  return join(said, '; ');
}
