import { difference, isNew, type ValueDifference } from '../../../../core/difference/difference.ts';
import { asMembers, isJsonObject, type Json, type JsonObject, mapTexts } from '../../../../core/json.ts';
import { toShownName } from '../../../../core/text.ts';
import { code, eachCode, join, listed, own, say, type Words } from '../../../../core/words.ts';
import { nameOf, type Surface, type SurfaceMember } from '../../../asked/endpoint/surface.ts';
import type { Difference } from '../../kind.ts';
import { type ChangeClass, type ChangeCounts, changeClasses, changeClassWords } from '../../observation.ts';
import { isSecretArgument } from './secret-argument.ts';

/** Entries of the log use the key `tool`. */
export type NamedMember = { readonly tool: string } | { readonly name: string };

export const changedName = (item: NamedMember): string => ('tool' in item ? item.tool : item.name);

export const toNamed = (name: string, { name: surface }: Surface): NamedMember =>
  surface === 'tools' ? { tool: name } : { name };

export type MemberChange = NamedMember & ChangedMember;

interface ChangedMember {
  readonly change: 'added' | 'removed' | 'changed';
  readonly class: ChangeClass;
  readonly members?: readonly string[];
  readonly annotations?: readonly string[];
  /** Newly secret ones in the class `secret`, newly required ones in others. */
  readonly arguments?: readonly string[];
}

const mostChanges = 100;
/** Small, because the log keeps the names. */
const mostNamed = 20;
const longestName = 200;
const mostDepth = 12;

const shortName = (name: string) => name.slice(0, longestName);

const toMemberText = (value: unknown) =>
  value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100);

/** For example `['inputSchema', 'properties', 'to', 'description']`. */
type MemberPath = readonly string[];

const named = ['properties', '$defs', 'definitions'];

/** The innermost first, without keywords: inside of `anyOf`, an argument is the same as outside. */
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
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

function* argumentsOf(schema: unknown, place: MemberPath): Generator<Argument> {
  if (place.length > 2 * mostDepth || typeof schema !== 'object' || schema === null) return;
  const { properties, required } = asMembers(schema);
  const isRequired = new Set(Array.isArray(required) ? required : []);
  for (const [name, one] of Object.entries(asMembers(properties))) {
    const [argument = ''] = argumentsAround([...place, 'properties', shortName(name), '']);
    yield { place: argument, isRequired: isRequired.has(name), isSecret: isSecretArgument(name, one) };
  }
  for (const [name, one] of Object.entries(schema)) yield* argumentsOf(one, [...place, shortName(name)]);
}

const textMembers = ['title', 'description'];

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

const withoutTitle = (annotations: unknown) => {
  const { title: _, ...hints } = asMembers(annotations);
  return hints;
};

function textsByPlace(tool: SurfaceMember) {
  const texts = Map.groupBy(textsOf(tool), ([place]) => {
    const around = argumentsAround(place);
    return JSON.stringify([around[0] ?? place.join('.'), around]);
  });
  return Object.fromEntries(
    [...texts].map(([about, all]) => [about, [...new Set(all.map(([, text]) => text))].sort()]),
  );
}

function partsOf(tool: SurfaceMember) {
  const found = [...argumentsOf(tool.inputSchema, ['inputSchema'])];
  const placesOf = (some: readonly Argument[]) => Object.fromEntries(some.map(({ place }) => [place, true]));
  return {
    named: placesOf(found),
    secret: placesOf(found.filter(({ isSecret }) => isSecret)),
    hints: withoutTitle(tool.annotations),
    words: textsByPlace(tool),
    required: placesOf(found.filter(({ isRequired }) => isRequired)),
    arguments: withoutTexts(tool.inputSchema),
    files: tool.files,
    result: withoutTexts(tool.outputSchema),
  };
}

/** Ignores the texts of arguments that only one of the tools has. */
function classesOf(before: SurfaceMember, after: SurfaceMember) {
  const found = Map.groupBy(difference(partsOf(before), partsOf(after)), ({ path: [part] }) => part);
  const ofOne = new Set(found.get('named')?.map(({ path }) => path[1]));
  const aboutBoth = ({ path: [, about = '[]'] }: ValueDifference) =>
    !(JSON.parse(about) as [string, string[]])[1].some((place) => ofOne.has(place));
  const differing = {
    ...Object.fromEntries(found),
    words: found.get('words')?.filter(aboutBoth),
    secret: found.get('secret')?.filter(isNew),
    required: found.get('required')?.filter(isNew),
  } as Readonly<Partial<Record<ChangeClass, readonly ValueDifference[]>>>;
  // For example, a different name of a resource fits no class.
  const most = changeClasses.find((name) => differing[name]?.length) ?? 'words';
  const places = (most === 'secret' ? differing.secret : differing.required) ?? [];
  return { class: most, ...toArguments(places.map(({ path: [, place = ''] }) => place)) };
}

function toArguments(places: readonly string[]): Pick<ChangedMember, 'arguments'> {
  const names = places.map((place) => (JSON.parse(place) as string[]).at(-1) ?? '');
  return names.length > 0 ? { arguments: names.slice(0, mostNamed) } : {};
}

/** Described as a changed one is. */
function toAdded(tool: SurfaceMember): ChangedMember {
  const { secret, required } = partsOf(tool);
  const secrets = Object.keys(secret);
  return secrets.length > 0
    ? { change: 'added', class: 'secret', ...toArguments(secrets) }
    : { change: 'added', class: 'added', ...toArguments(Object.keys(required)) };
}

/** Both members are results of `withoutForm`. */
function toChange(surface: Surface, { was, is, inside = [] }: ValueDifference): ChangedMember {
  if (was === undefined) return toAdded(surface.asTool(asMembers(is)));
  if (is === undefined) return { change: 'removed', class: 'removed' };
  const before = asMembers(was);
  const after = asMembers(is);
  const differing = new Set(inside.map(({ path: [member = ''] }) => member));
  const members = [...differing].filter((member) => member !== 'annotations');
  const hints = difference(asMembers(before.annotations), asMembers(after.annotations));
  const annotations = hints.map(
    (one) => `${one.path.join('.')}: ${toMemberText(one.was)} -> ${toMemberText(one.is)}`,
  );
  return {
    change: 'changed',
    ...classesOf(surface.asTool(before), surface.asTool(after)),
    ...(members.length > 0 && { members }),
    ...(annotations.length > 0 && { annotations }),
  };
}

const weightOf = ({ class: name }: ChangedMember) => changeClasses.indexOf(name);

export function weightiest<Change extends Pick<ChangedMember, 'class'>>(
  changes: readonly Change[],
  most: number,
): Change[] {
  const firsts = new Set([...Map.groupBy(changes, ({ class: name }) => name).values()].map(([one]) => one));
  const others = changes.filter((one) => !firsts.has(one)).slice(0, Math.max(0, most - firsts.size));
  const kept = new Set([...firsts, ...others]);
  return changes.filter((one) => kept.has(one));
}

export function surfaceChanges(
  surface: Surface,
  before: readonly SurfaceMember[],
  after: readonly SurfaceMember[],
): { readonly items: readonly MemberChange[]; readonly counts: ChangeCounts } {
  const found = difference(before.map(surface.withoutForm), after.map(surface.withoutForm), {
    key: (member) => nameOf(member, surface),
  });
  const all = found
    .map((one) => ({ ...toNamed(shortName(one.name ?? ''), surface), ...toChange(surface, one) }))
    .sort((a, b) => weightOf(a) - weightOf(b));
  const byClass = Map.groupBy(all, ({ class: name }) => name);
  return {
    items: weightiest(all, mostChanges),
    counts: Object.fromEntries([...byClass].map(([name, { length }]) => [name, length])),
  };
}

const mostShown = 20;

export const listDifference =
  (surface: Surface) =>
  (was: Json, is: Json): Difference => {
    const changes = surfaceChanges(surface, was as SurfaceMember[], is as SurfaceMember[]);
    const { items, counts } = mapTexts(changes, toShownName) as typeof changes;
    const shown = weightiest(items, mostShown).map((item) => ({
      name: changedName(item),
      change: item.change,
      class: item.class,
      ...(item.arguments && { arguments: item.arguments }),
    }));
    return { items, counts: { ...counts }, shown };
  };

export const surfaceWeight = ({ counts = {} }: { readonly counts?: ChangeCounts | undefined }): number =>
  changeClasses.length - (changeClasses.findIndex((name) => counts[name]) + 1 || changeClasses.length);

type NamedChange = NamedMember &
  Pick<ChangedMember, 'class'> &
  Partial<Pick<ChangedMember, 'change' | 'arguments'>>;

const nameWords = (item: NamedChange): Words =>
  say`${item.change === 'added' && item.class !== 'added' && own('the new ')}${code(changedName(item))}`;

export const changedMemberWords = (item: NamedChange): Words =>
  say`${changeClassWords[item.class]} ${nameWords(item)}`;

const ofArguments = { secret: own(''), required: own(''), added: own('requires ') };

/** Other classes do not say what the named arguments are. */
function withArguments(item: NamedChange): Words {
  const { class: name, arguments: all = [] } = item;
  const verb = name in ofArguments ? ofArguments[name as keyof typeof ofArguments] : own('newly requires ');
  const names = listed(eachCode(all), mostArguments);
  return all.length > 0 ? say`${nameWords(item)} (${verb}${names})` : nameWords(item);
}

const mostSaid = 5;
const mostArguments = 3;

export function changedMembersWords(surface: Surface, members: readonly NamedChange[], counts: ChangeCounts) {
  const all = changeClasses.filter((name) => counts[name]);
  let left = Math.max(0, mostSaid - all.length);
  const said = all.map((name) => {
    const ofClass = members.filter((one) => one.class === name);
    const named = ofClass.slice(0, 1 + left);
    left -= Math.max(0, named.length - 1);
    const more = (counts[name] ?? 0) - named.length;
    const names = join(named.map(withArguments), ', ');
    if (named.length === 0) return say`${changeClassWords[name]} ${surface.count(more)}`;
    return more > 0
      ? say`${changeClassWords[name]} ${names} and ${more} more`
      : say`${changeClassWords[name]} ${names}`;
  });
  return join(said, '; ');
}

/** As the history tells a change from the one list to the other; empty if they are the same. */
export function differenceWords(surface: Surface, was: readonly JsonObject[], is: readonly JsonObject[]) {
  const changes = surfaceChanges(surface, was, is);
  const { items, counts } = mapTexts(changes, toShownName) as typeof changes;
  return changedMembersWords(surface, items, counts);
}

export interface ChangedList {
  readonly tools?: readonly NamedChange[] | undefined;
  readonly members?: readonly NamedChange[] | undefined;
  readonly counts?: ChangeCounts | undefined;
}

export const listChangeWords =
  (surface: Surface) =>
  ({ tools, members, counts }: ChangedList, _now: unknown, between: Words): Words => {
    const changed = say`Its ${surface.title} changed ${between}`;
    const named = tools ?? members;
    return named && counts ? say`${changed}: ${changedMembersWords(surface, named, counts)}` : changed;
  };
