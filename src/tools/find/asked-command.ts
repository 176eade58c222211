import type { Context } from '../../context.ts';
import { inTurns } from '../../core/turns.ts';
import {
  code,
  count,
  eachCode,
  isEmpty,
  join,
  listed,
  own,
  say,
  sentence,
  toText,
  type Words,
} from '../../core/words.ts';
import { type AskedPlace, recordedWords } from '../../document/asked-place.ts';
import type { Listing, ListingPackage } from '../../listings/listing.ts';
import { type Beside, commitForm } from '../../listings/references/command.ts';
import { plainLetter } from '../../listings/references/look-alike.ts';
import { type Name, readName, toEndpoints } from '../../listings/references/name.ts';
import { isNamedBy } from '../../listings/references/of-record.ts';
import type { Reference } from '../../listings/references/references.ts';
import { registryOf } from '../../observations/asked/published/recorded.ts';
import { readFormer, readOfRecord } from './asked-version.ts';
import {
  type FoundListing,
  type Holders,
  mostRecording,
  pickFormer,
  pickRecording,
  type Several,
} from './holders.ts';
import { atAsked, candidatesOf, type KnownListing, noticesOfAsked, readKnown } from './several.ts';

/** The listings that record a package. */
type FindRecording = (references: Name['references']) => Promise<readonly KnownListing[]>;

/** Of several commands it is not said which. */
const subjects = {
  one: { who: own('The command'), what: own('the package') },
  several: { who: own('What you sent'), what: own('a package') },
} as const;
type Subject = (typeof subjects)[keyof typeof subjects];

function codeWords({ text, of: ref }: Beside, { who }: Subject): Words {
  const runs = say`${who} runs the code of ${code(text)}`;
  const moving = ref === '' ? own(' in its default branch') : ref !== undefined && say` at ${code(ref)}`;
  const at = commitForm.test(ref ?? '')
    ? say` at the commit ${code(ref ?? '')}`
    : say`${moving} as it is when it starts`;
  return say`${runs}${at}; what is known of the published package is not about it.`;
}

function registryWords({ what, text, of = '' }: Beside, subject: Subject): Words {
  const usual = of === 'oci' ? own('the one in its name') : registryOf(of).registry;
  const from =
    what === 'registry'
      ? say`takes ${subject.what} from ${code(text)}, not from ${usual}`
      : say`may take ${subject.what} from a registry other than ${usual}, as ${code(text)} can say`;
  return say`${subject.who} ${from}; nothing is known of what that serves.`;
}

async function packageWords({ text }: Beside, { who }: Subject, find: FindRecording): Promise<Words> {
  const what = say`${who} also fetches ${code(text)}, which can run too;`;
  const name = readName(text, '');
  const known = await find(name.references);
  if (known.length === 0) return say`${what} no listing records it, and nothing is known of it.`;
  const notices = noticesOfAsked(atAsked(known, name), name).map((one) => one.text);
  const handles = listed(known.map(({ listing }) => code(listing.handle)));
  const record = known.length === 1 ? own('records') : own('record');
  return join([...notices, say`${what} ${handles} ${record} it, and this answer is not about it.`], ' ');
}

/** Of the addresses that a command gives to its package. */
export const givenEndpoints = (beside: readonly Beside[]) =>
  beside.flatMap(({ what, text }) => (what === 'address' ? toEndpoints(text) : []));

async function addressWords(one: Beside, { who }: Subject, find: FindRecording): Promise<Words> {
  const { text } = one;
  const known = await find(givenEndpoints([one]));
  const handles = listed(eachCode([...new Set(known.map(({ listing }) => listing.handle))]));
  if (known.length === 0) return say``;
  return say`${who} also gives it the address ${code(text)}, which ${handles} ${own(known.length === 1 ? 'records' : 'record')}; what the package does there is not known.`;
}

/** Of what no record names now, which versions of listings recorded it before. */
type FindFormer = (text: string, references: Name['references']) => Promise<readonly Words[]>;

const mostFormer = 3;

export const formerWords = async (
  text: string,
  holders: Holders['formerly'],
  read: (text: string, listing: Listing) => ReturnType<typeof readOfRecord>,
): Promise<readonly Words[]> => {
  const shown = holders.flat().filter(({ listing }) => !listing.withdrawn);
  const said = await inTurns(shown.slice(0, mostFormer), async ({ listing }) => {
    const former = readFormer(text, readName(text, ''), await read(text, listing));
    return former && say`${code(listing.handle)}: ${former.about}`;
  });
  return said.filter((words) => words !== undefined);
};

/** Only its beginning is repeated, because it may be a key. */
async function digestWords({ text }: Beside, find: FindRecording, findFormer?: FindFormer): Promise<Words> {
  const { references } = readName(text, '');
  const sent = say`You also sent a SHA-256 that begins with ${code(text.slice(0, 8))}`;
  const recorded = (await find(references)).flatMap(({ listing: { handle, packages } }) =>
    packages
      .filter(isNamedBy(references))
      .map((one) => say`${code(handle)} records for ${recordedWords(one)}`),
  );
  if (recorded.length > 0) return say`${sent}, which ${listed(recorded)}.`;
  const former = await findFormer?.(text, references);
  const before =
    former === undefined
      ? own('; earlier versions were not looked at')
      : former.length === 0 && own(' or is known to have had');
  return join([say`${sent}, which no record shown here has now${before}.`, ...(former ?? [])], ' ');
}

const mostLetters = 3;

function letterWords({ text, of = '' }: Beside): Words {
  const letters = [...text].map((one) => {
    const number = code(`U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`);
    const plain = plainLetter(one);
    return plain === ''
      ? say`a character that nobody sees (${number})`
      : say`${code(one)} (${number}), which only looks like ${code(plain)}`;
  });
  return say`What you sent has ${listed(letters, mostLetters)}; it was read as ${code(of)}.`;
}

/** A command may name hundreds, and each is looked up. */
const mostLookedAt = 5;

const addedWords = (all: readonly Beside[], { who }: Subject): Words | false =>
  all.length > 0 &&
  say`${who} itself adds ${listed(eachCode(all.map(({ text }) => text)), mostLookedAt)}; what that lets it run or read was not looked at.`;

/** What a command does that no fact about its package covers; empty for other names. */
export async function besideWords(
  { beside, servers }: Pick<Name, 'beside' | 'servers'>,
  find: FindRecording,
  findFormer?: FindFormer,
): Promise<Words> {
  const subject = servers ? subjects.several : subjects.one;
  const others = beside.filter(({ what }) => what !== 'added');
  const said = await inTurns(others.slice(0, mostLookedAt), async (one) => {
    if (one.what === 'letters') return letterWords(one);
    if (one.what === 'code') return codeWords(one, subject);
    if (one.what === 'digest') return digestWords(one, find, findFormer);
    if (one.what === 'address') return addressWords(one, subject, find);
    return one.what === 'package' ? packageWords(one, subject, find) : registryWords(one, subject);
  });
  const more = others.length - mostLookedAt;
  const left = more > 0 && say`Dossier did not look at ${count(more, 'more part')} of the command.`;
  const added = beside.filter(({ what }) => what === 'added');
  return join([...said, left, addedWords(added, subject)], ' ');
}

/** `--name=value` as two words. */
const apart = (words: readonly string[]) =>
  words.flatMap((word) => /^(--?[\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? [word]);

/** The caller fills in what begins at `{`. */
const isOpen = (recorded: string) => recorded.includes('{');
function fits(word: string | undefined, recorded: string): boolean {
  if (!isOpen(recorded) || word === undefined) return word === recorded;
  const [fixed = ''] = recorded.split('{');
  return word.startsWith(fixed) && (fixed !== '' || !word.startsWith('-'));
}

/** Words that belong together: an option with the value that the caller fills in. */
const unitsOf = (words: readonly string[]): string[][] => {
  const units: string[][] = [];
  for (const word of words) {
    const before = units.at(-1);
    if (isOpen(word) && before?.length === 1 && before[0]?.startsWith('-')) before.push(word);
    else units.push([word]);
  }
  // What fits any word comes last.
  return units.sort(([a = ''], [b = '']) => Number(isOpen(a)) - Number(isOpen(b)));
};

/** What the caller may add, by the record; some records have arguments of the package among the runtime's. */
const optionalOf = ({ inputs = [], runtime_arguments = [] }: ListingPackage) => [
  ...runtime_arguments.filter((word) => !isOpen(word)).map((word) => [word]),
  ...inputs.flatMap(({ kind, name, value }) => {
    if (kind === 'argument') return [name.startsWith('-') ? [name, '{}'] : ['{}']];
    return kind === 'variable' && value !== undefined ? [apart(value.split(/\s+/))] : [];
  }),
];

function compareWords(given: readonly string[], one: ListingPackage) {
  const { arguments: recorded = [], unread = [], unwritten = unread[0] } = one;
  const may = optionalOf(one);
  const left: (string | undefined)[] = [...given];
  const take = (unit: readonly string[]) => {
    const at = left.findIndex((_, at) => unit.every((one, next) => fits(left[at + next], one)));
    if (at >= 0) left.fill(undefined, at, at + unit.length);
    return at >= 0;
  };
  const missing = unitsOf(apart(recorded)).flatMap((unit) => (take(unit) ? [] : unit));
  const isMore = left.some((word) => word !== undefined);
  // An option may be repeated.
  for (const unit of may) while (take(unit) && unit[0]?.startsWith('-'));
  const others = left.filter((word) => word !== undefined);
  const differing = unwritten === undefined ? others.length + missing.length : 1;
  return { recorded, unwritten, isNone: may.length === 0, others, missing, isMore, differing };
}

const toUrl = (word: string) => (/^https?:/i.test(word) ? URL.parse(word) : null);
const optionForm = /^(?:-[a-z]|--[a-z][a-z\d]*(?:[-_.][a-z\d]+)*)$/i;

/** A letter beside three digits, in eight characters or more. */
const keyForm = /\b(?=\w*[a-z])(?=(?:\w*?\d){3})\w{8,}/i;

/** Other words, long parts of an address and what looks like a key may be secrets. */
function toShown(word: string): string[] {
  if (optionForm.test(word)) return keyForm.test(word) ? [] : [word];
  const url = toUrl(word);
  if (!url) return [];
  const isPlain = url.pathname
    .split('/')
    .every((part) => /^[\w.~-]{0,15}$/.test(part) && !keyForm.test(part));
  const host = url.host.split('.').map((label) => (keyForm.test(label) ? '…' : label));
  return [`${url.protocol}//${host.join('.')}${isPlain ? url.pathname : '/…'}`];
}

const longestShown = 200;
const toCode = (text: string) =>
  code(text.length > longestShown ? `${text.slice(0, longestShown).toWellFormed()}…` : text);
const eachOf = (texts: readonly string[]) => listed(texts.map(toCode), mostLookedAt);

function otherWords({ recorded, isNone, others, missing }: ReturnType<typeof compareWords>): Words {
  const told = others.flatMap(toShown);
  const shown = [...new Set(told)].sort((a, b) => Number(a.startsWith('-')) - Number(b.startsWith('-')));
  const hidden = others.length - told.length;
  const all = [...shown.map(toCode), ...(hidden > 0 ? [count(hidden, 'other word')] : [])];
  const gives =
    all.length > 0 && say`gives the package ${listed(all, mostLookedAt)}, which the record does not name`;
  // What the record starts it with follows.
  const isNamed = gives && missing.length === apart(recorded).length;
  const lacks =
    missing.length > 0 &&
    !isNamed &&
    say`does not give ${own(gives ? 'it' : 'the package')} ${eachOf(missing)}`;
  const none = isNone && own('; the record names no arguments');
  const by = recorded.length > 0 ? say`; the record starts it with ${toCode(recorded.join(' '))}` : none;
  return say`The command ${join([gives, lacks], ', and ')}${by}.`;
}

/** What a command gives to its package, compared with what the record has of it that fits best. */
export function givenWords(
  { given, references }: Name,
  { packages }: { readonly packages: readonly ListingPackage[] },
): Words | undefined {
  if (!given) return undefined;
  const words = apart(given[0] === '--' ? given.slice(1) : given);
  const all = packages.filter(isNamedBy(references)).map((one) => compareWords(words, one));
  const [best] = all.sort((a, b) => a.differing - b.differing);
  if (!best || (words.length === 0 && (best.unwritten !== undefined || best.differing === 0)))
    return undefined;
  const { recorded, unwritten, isMore } = best;
  if (unwritten !== undefined)
    return say`What the command gives the package was not compared with the record, of whose arguments Dossier does not read ${toCode(unwritten)}.`;
  if (best.differing > 0) return otherWords(best);
  // What the record leaves open can be an address too.
  const open = words.filter((word) => toUrl(word) && !recorded.includes(word)).flatMap(toShown);
  const filled = open.length > 0 && say` It fills in ${eachOf(open)}, which the record does not have.`;
  const fixed = apart(recorded.filter((word) => !isOpen(word)));
  const isInOrder = words.filter((word) => fixed.includes(word)).join('\n') === fixed.join('\n');
  const as = isInOrder ? own(', as the record does') : own(' in another order than the record');
  const more = isMore && own(', and others that the record names');
  const what =
    recorded.length > 0
      ? say`${toCode(recorded.join(' '))}${as}${more}`
      : own('only arguments that the record names');
  return say`The command gives the package ${what}.${filled}`;
}

/** Of several listings with the package. */
export function givenToEach(name: Name, known: readonly KnownListing[]): Words[] {
  const each = known.map(({ listing }) => ({ listing, words: givenWords(name, listing) ?? say`` }));
  const said = each.filter(({ words }) => !isEmpty(words));
  return [...Map.groupBy(said, ({ words }) => toText(words)).values()].map(
    (same) => say`${listed(same.map(({ listing }) => code(listing.handle)))}: ${same[0]?.words}`,
  );
}

/** With what is known of the endpoint, the package or the version asked for. */
export async function describeSeveral(
  found: Several,
  { name, asked, beside }: { readonly name: Name; readonly asked: string; readonly beside: Words },
  context: Context,
): Promise<Several> {
  const known = await readKnown(found.candidates, context);
  const isSaid = name.said === asked.trim() || name.beside.some(({ what }) => what === 'letters');
  const read = isSaid ? say`` : say`What you sent was read as ${code(name.said)}.`;
  const notices = noticesOfAsked(atAsked(known, name), name).map(({ text }) => text);
  return {
    ...found,
    detail: join([found.detail, beside, read, ...givenToEach(name, known), ...notices], ' '),
    candidates: candidatesOf(found, known),
  };
}

export const besideInStore = (name: Name, context: Context) =>
  besideWords(
    name,
    async (references) => {
      const found = (await context.store.listings.recording(references, mostRecording)).flat();
      return readKnown(found, context);
    },
    async (text, references) =>
      formerWords(text, await context.store.listings.formerly(references, mostRecording), (asked, listing) =>
        readOfRecord(asked, listing, context),
      ),
  );

/** The same, as start arguments of another package name it. */
export const startedOf = (references: readonly Reference[]): Reference[] => {
  const named = references.filter(({ kind }) => kind === 'package' || kind === 'repository');
  return [...new Set(named.map(({ key }) => key))].map((key) => ({ kind: 'started', key }));
};

/** `started`: `startedOf` the references, told only where no record has one of these now. */
export async function pickHolders(
  name: AskedPlace,
  started: readonly Reference[],
  holdersOf: (references: readonly Reference[]) => Promise<Holders>,
) {
  const pick = async (references: readonly Reference[]) => {
    const asked = { ...name, references };
    const holders = await holdersOf(references);
    return { now: await pickRecording(asked, holders), before: pickFormer(asked, holders.formerly) };
  };
  const recorded = await pick(name.references);
  if (recorded.now || started.length === 0) return recorded;
  const starting = await pick(started);
  const { before } = recorded;
  if (!before) return starting;
  if (!starting.now) return recorded;
  const { now } = starting;
  const handles = 'candidates' in now ? now.candidates.map(({ handle }) => handle) : [now.handle];
  const names = own(handles.length > 1 ? 'name' : 'names');
  const said = say`${listed(eachCode(handles))} ${names} it in arguments that start another package`;
  return 'candidates' in before
    ? { now: undefined, before: { ...before, detail: join([before.detail, sentence(said)], ' ') } }
    : { now: undefined, before: { ...before, found_by: join([before.found_by, said], '; ') } };
}

export const findHolders = (name: AskedPlace, { store: { listings } }: Pick<Context, 'store'>) =>
  pickHolders(name, startedOf(name.references), async (references) => {
    const [recording, formerly] = await Promise.all([
      listings.recording(references, mostRecording),
      listings.formerly(references, mostRecording),
    ]);
    return { recording, formerly, holding: listings.holding };
  });

const mostServers = 20;

/** What a document links to is no server that it names, if no listing records it. */
export const withoutLinks = <One extends { readonly isLink: boolean }>(
  all: readonly One[],
): readonly One[] => {
  const named = all.filter(({ isLink }) => !isLink);
  return named.length > 0 ? named : all;
};

/** Of several names, the one that is no link, or one of the only listing that all lead to. */
export async function readMeant(asked: string, context: Context): Promise<Name> {
  const name = readName(asked, context.config.publicUrl);
  const { servers = [], beside } = name;
  if (servers.length === 0 || servers.length > mostServers) return name;
  const held = await inTurns(servers, async (one) => {
    const known = one.handles.map((handle) => context.store.listings.byHandle(handle));
    const listing = (await Promise.all(known)).find((found) => found !== undefined);
    const { now, before } = await findHolders(one, context);
    const by = listing ?? now ?? before;
    return { one, by, isLink: one.isLinked === true && by === undefined };
  });
  const named = withoutLinks(held);
  const [first] = named;
  const handles = new Set(named.map(({ by }) => (by && 'handle' in by ? by.handle : undefined)));
  const isOne = named.length === 1 || (handles.size === 1 && !handles.has(undefined));
  return first && isOne ? { ...first.one, beside } : { ...name, servers: named.map(({ one }) => one) };
}

export const withBeside = (found: FoundListing, words: Words): FoundListing => {
  const beside = join([words, found.beside], ' ');
  return isEmpty(beside) ? found : { ...found, beside };
};
