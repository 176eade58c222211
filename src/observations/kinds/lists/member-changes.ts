import { isDeepStrictEqual } from 'node:util';
import { asMembers, isJsonObject } from '../../../core/json.ts';
import { code, join, own, say, type Words } from '../../../core/words.ts';
import { type Member, type Surface, shortNameOf } from '../../endpoint/surface.ts';
import { type ChangeClass, type ChangeCounts, changeClasses } from '../../tool-change.ts';
import { isSecretArgument } from './secret-argument.ts';

/**
 * The name of a member that changed: of a tool under the name that the log has had since the first list of
 * tools.
 */
export type NamedMember = { readonly tool: string } | { readonly name: string };

/** What names a member that changed. */
export const changedName = (item: NamedMember): string => ('tool' in item ? item.tool : item.name);

/** The name of a member of a surface, as a change has it. */
export const toNamed = (name: string, { name: surface }: Surface): NamedMember =>
  surface === 'tools' ? { tool: name } : { name };

/** How one member differs between two lists of a surface. */
export type MemberChange = NamedMember & Changed;

interface Changed {
  readonly change: 'added' | 'removed' | 'changed';
  /** What weighs most of it. */
  readonly class: ChangeClass;
  /** Members that differ, but for annotations. */
  readonly members?: readonly string[];
  /**
   * Annotations that differ, as `readOnlyHint: true -> false`: what a client may call without asking depends
   * on them.
   */
  readonly annotations?: readonly string[];
  /** Arguments that are new, or now required, of the class `secret` or `required`; at most 20. */
  readonly arguments?: readonly string[];
}

/** Changes beyond this many are counted only. */
const mostChanges = 100;
/**
 * Arguments of one tool that are named: a publisher decides how many there are, and the log keeps what is
 * named.
 */
const mostNamed = 20;
const longestName = 200;
const mostDepth = 12;

const shortName = (name: string) => name.slice(0, longestName);

const byName = (members: readonly Member[], surface: Surface) =>
  new Map(members.map((member) => [shortNameOf(member, surface), member]));

const differing = (before: Member, after: Member): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .sort();

const toText = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100));

/** A place in a tool, as `inputSchema`, `properties`, `to`, `description`; long names are cut. */
type Place = readonly string[];

const named = ['properties', '$defs', 'definitions'];

/**
 * The arguments that a place is within, the innermost first, each as the names that lead to it. A schema may
 * say the same of an argument in one form or within `anyOf`.
 */
function argumentsAround(place: Place): string[] {
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

/** An argument with the names that lead to it. */
interface Argument {
  readonly place: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/** The arguments that a schema names, at any depth. */
function* argumentsOf(schema: unknown, place: Place): Generator<Argument> {
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
 * The arguments of a tool; one that a schema names in several ways is required or secret if it is in one of
 * them.
 */
function readArguments(tool: Member): ReadonlyMap<string, Argument> {
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

/** The titles and descriptions in a value at any depth, by place. */
export function* textsOf(value: unknown, place: Place = []): Generator<[Place, string]> {
  if (place.length > mostDepth || typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const at = [...place, shortName(name)];
    if (typeof member !== 'string') yield* textsOf(member, at);
    else if (textMembers.includes(name)) yield [at, member];
  }
}

/** A schema without its titles and descriptions. */
function withoutTexts(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTexts);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => typeof value !== 'string' || !textMembers.includes(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutTexts(value)]));
}

/** The texts of a tool by the argument that they are about, each once, but for those of some arguments. */
function textsByArgument(
  tool: Member,
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

/** Whether a text differs in what both tools have; `ofOne` are the arguments that only one of them has. */
const hasOtherTexts = (before: Member, after: Member, ofOne: ReadonlySet<string>): boolean =>
  !isDeepStrictEqual(textsByArgument(before, ofOne), textsByArgument(after, ofOne));

const withoutTitle = (annotations: unknown) => {
  const { title: _, ...hints } = asMembers(annotations);
  return hints;
};

/** What changed of a tool, each class once, with the arguments that it is about. */
function classesOf(before: Member, after: Member) {
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

/** How a member differs from one of the same name, both without their form. */
function toChange(surface: Surface, before: Member, after: Member): Changed {
  const hintsBefore = asMembers(before.annotations);
  const hintsAfter = asMembers(after.annotations);
  const members = differing(before, after).filter((member) => member !== 'annotations');
  const annotations = differing(hintsBefore, hintsAfter).map(
    (hint) => `${hint}: ${toText(hintsBefore[hint])} -> ${toText(hintsAfter[hint])}`,
  );
  const found = classesOf(surface.asTool(before), surface.asTool(after));
  // What differs in no other way differs in texts that are data of a schema.
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

const weightOf = ({ class: name }: Changed) => changeClasses.indexOf(name);

/** Some of the changes, in their order: one of each class, and of the others those that weigh most. */
export function weightiest<Change extends Pick<Changed, 'class'>>(
  changes: readonly Change[],
  most: number,
): Change[] {
  const firsts = new Set([...Map.groupBy(changes, ({ class: name }) => name).values()].map(([one]) => one));
  const others = changes.filter((one) => !firsts.has(one)).slice(0, Math.max(0, most - firsts.size));
  const kept = new Set([...firsts, ...others]);
  return changes.filter((one) => kept.has(one));
}

/**
 * What changed from one list of a surface to the next: 100 changes, what weighs most first, and how many
 * there are of each class.
 */
export function surfaceChanges(
  surface: Surface,
  before: readonly Member[],
  after: readonly Member[],
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

/** How much a change of a list weighs: as much as the weightiest of its classes. */
export const surfaceWeight = ({ counts = {} }: { readonly counts?: ChangeCounts | undefined }): number =>
  changeClasses.length - (changeClasses.findIndex((name) => counts[name]) + 1 || changeClasses.length);

const classWords: Readonly<Record<ChangeClass, Words>> = {
  secret: own('a new argument named as a secret in'),
  hints: own('other hints of'),
  words: own('other words in'),
  files: own('other files in'),
  removed: own('removed'),
  required: own('another required argument in'),
  arguments: own('other arguments in'),
  result: own('another form of the result of'),
  added: own('added'),
};

/** A member that changed, and what weighs most of it. */
type NamedChange = NamedMember & Pick<Changed, 'class'>;

/** Which member changed, and what weighs most of it. */
export const changedMemberWords = (item: NamedChange): Words =>
  say`${classWords[item.class]} ${code(changedName(item))}`;

const mostSaid = 5;

/**
 * Which members changed and how, what weighs most first; every class is counted, and five are named, of each
 * class at least one.
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
