import { isDeepStrictEqual } from 'node:util';
import { asMembers, isJsonObject } from '../../core/json.ts';
import { code, count, join, own, say, type Words } from '../../core/words.ts';
import { shortNameOf, type Tool, withoutForm } from '../endpoint/surface.ts';
import { type ChangeClass, type ChangeCounts, changeClasses } from '../tool-change.ts';
import { isSecretArgument } from './secret-argument.ts';

/** How one tool differs between two lists of tools. */
export interface ToolChange {
  readonly tool: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** What weighs most of it. */
  readonly class: ChangeClass;
  /** Members that differ, but for annotations. */
  readonly members?: readonly string[];
  /** Annotations that differ, at most 20, as `readOnlyHint: true -> false`: what a client may call without asking depends on them. */
  readonly annotations?: readonly string[];
  /** Arguments that are new, or now required, of the class `secret` or `required`; at most 20. */
  readonly arguments?: readonly string[];
}

/** Changes beyond this many are counted only. */
const mostChanges = 100;
/** Annotations and arguments of one tool that are named: a publisher decides how many there are, and the log keeps what is named. */
const mostNamed = 20;
const longestName = 200;
const mostDepth = 12;
const longestPlace = 1000;

const shortName = (name: string) => name.slice(0, longestName);

const byName = (tools: readonly Tool[]) => new Map(tools.map((tool) => [shortNameOf(tool), tool]));

const differing = (before: Tool, after: Tool): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => !isDeepStrictEqual(before[member], after[member]))
    .sort();

const toText = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100));

/** An argument by its place in the tool, as `inputSchema.properties.to`. */
interface Argument {
  readonly place: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/** The arguments that a schema names, at any depth. */
function* argumentsOf(schema: unknown, place: readonly string[]): Generator<Argument> {
  if (place.length > 2 * mostDepth || typeof schema !== 'object' || schema === null) return;
  const { properties, required } = asMembers(schema);
  for (const [name, one] of Object.entries(asMembers(properties)))
    yield {
      ...{ place: [...place, 'properties', name].join('.'), name },
      isRequired: Array.isArray(required) && required.includes(name),
      isSecret: isSecretArgument(name, one),
    };
  for (const [name, one] of Object.entries(schema)) yield* argumentsOf(one, [...place, name]);
}

const readArguments = (tool: Tool) =>
  new Map([...argumentsOf(tool.inputSchema, ['inputSchema'])].map((one) => [one.place, one]));

const textMembers = ['title', 'description'];

/** The titles and descriptions in a value at any depth, by place. */
export function* textsOf(value: unknown, place: readonly string[] = []): Generator<[string, string]> {
  if (place.length > mostDepth || typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const at = [...place, name];
    if (typeof member !== 'string') yield* textsOf(member, at);
    else if (textMembers.includes(name)) yield [at.join('.'), member];
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

/** Whether a place is one of some others, or within it. */
function isWithin(place: string, others: ReadonlySet<string>): boolean {
  if (place.length > longestPlace) return false;
  const parts = place.split('.');
  return parts.some((_, at) => others.has(parts.slice(0, at + 1).join('.')));
}

/** Whether a text differs in what both tools have; `others` are the places that only one of them has. */
function hasOtherTexts(before: Tool, after: Tool, others: ReadonlySet<string>): boolean {
  const [old, now] = [before, after].map((tool) => new Map(textsOf(tool)));
  const places = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...places].some((place) => old?.get(place) !== now?.get(place) && !isWithin(place, others));
}

const withoutTitle = (annotations: unknown) => {
  const { title: _, ...hints } = asMembers(annotations);
  return hints;
};

/** What changed of a tool, each class once, with the arguments that it is about. */
function classesOf(before: Tool, after: Tool) {
  const [old, now] = [readArguments(before), readArguments(after)];
  const others = new Set(old.keys()).symmetricDifference(new Set(now.keys()));
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
    words: hasOtherTexts(before, after, others),
    required: required.length > 0,
    arguments: input,
    result: output,
  };
  return { classes: changeClasses.filter((name) => is[name]), secret, required };
}

/** How a tool differs from one of the same name, both without their form. */
function toChange(tool: string, before: Tool, after: Tool): ToolChange {
  const [hintsBefore, hintsAfter] = [asMembers(before.annotations), asMembers(after.annotations)];
  const members = differing(before, after).filter((member) => member !== 'annotations');
  const annotations = differing(hintsBefore, hintsAfter)
    .slice(0, mostNamed)
    .map((hint) => `${shortName(hint)}: ${toText(hintsBefore[hint])} -> ${toText(hintsAfter[hint])}`);
  const found = classesOf(before, after);
  // What differs in no other way differs in texts that are data of a schema.
  const [most = 'words'] = found.classes;
  const about = most === 'secret' || most === 'required' ? found[most] : [];
  return {
    ...{ tool, change: 'changed', class: most },
    ...(members.length > 0 && { members }),
    ...(annotations.length > 0 && { annotations }),
    ...(about.length > 0 && { arguments: about.slice(0, mostNamed).map(({ name }) => shortName(name)) }),
  };
}

const weightOf = ({ class: name }: ToolChange) => changeClasses.indexOf(name);

/** Some of the changes, in their order: one of each class, and of the others those that weigh most. */
export function weightiest<Change extends Pick<ToolChange, 'class'>>(
  changes: readonly Change[],
  most: number,
): Change[] {
  const firsts = new Set([...Map.groupBy(changes, ({ class: name }) => name).values()].map(([one]) => one));
  const others = changes.filter((one) => !firsts.has(one)).slice(0, Math.max(0, most - firsts.size));
  const kept = new Set([...firsts, ...others]);
  return changes.filter((one) => kept.has(one));
}

/** What changed from one list of tools to the next: 100 changes, what weighs most first, and how many there are of each class. */
export function surfaceChanges(
  before: readonly Tool[],
  after: readonly Tool[],
): { readonly items: readonly ToolChange[]; readonly counts: ChangeCounts } {
  const [old, now] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])].sort();
  const all = names
    .flatMap((tool): ToolChange[] => {
      const [was, is] = [old.get(tool), now.get(tool)];
      if (!was) return [{ tool, change: 'added', class: 'added' }];
      if (!is) return [{ tool, change: 'removed', class: 'removed' }];
      const [from, to] = [withoutForm(was), withoutForm(is)];
      return isDeepStrictEqual(from, to) ? [] : [toChange(tool, from, to)];
    })
    .sort((a, b) => weightOf(a) - weightOf(b));
  const byClass = Map.groupBy(all, ({ class: name }) => name);
  return {
    items: weightiest(all, mostChanges),
    counts: Object.fromEntries([...byClass].map(([name, { length }]) => [name, length])),
  };
}

const classWords: Readonly<Record<ChangeClass, Words>> = {
  secret: own('an argument named as a secret in'),
  hints: own('other hints of'),
  words: own('other words in'),
  removed: own('removed'),
  required: own('another required argument in'),
  arguments: own('other arguments in'),
  result: own('another form of the result of'),
  added: own('added'),
};

/** Which tool changed, and what weighs most of it. */
export const changedToolWords = ({ tool, class: name }: Pick<ToolChange, 'tool' | 'class'>): Words =>
  say`${classWords[name]} ${code(tool)}`;

const mostSaid = 5;

/** Which tools changed and how, what weighs most first; every class is counted, and five tools are named, of each class at least one. */
export function changedToolsWords(
  tools: readonly Pick<ToolChange, 'tool' | 'class'>[],
  counts: ChangeCounts,
): Words {
  const all = changeClasses.filter((name) => counts[name]);
  let left = Math.max(0, mostSaid - all.length);
  const said = all.map((name) => {
    const ofClass = tools.filter((one) => one.class === name);
    const named = ofClass.slice(0, 1 + left);
    left -= Math.max(0, named.length - 1);
    const more = (counts[name] ?? 0) - named.length;
    const names = join(
      named.map(({ tool }) => code(tool)),
      ', ',
    );
    if (named.length === 0) return say`${classWords[name]} ${count(more, 'tool')}`;
    return more > 0 ? say`${classWords[name]} ${names} and ${more} more` : say`${classWords[name]} ${names}`;
  });
  return join(said, '; ');
}
