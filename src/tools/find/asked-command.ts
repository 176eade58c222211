import type { Context } from '../../context.ts';
import { inTurns } from '../../core/turns.ts';
import { code, count, isEmpty, join, listed, own, say, type Words } from '../../core/words.ts';
import { type Beside, commitForm } from '../../listings/references/command.ts';
import { type Name, readName, toEndpoints } from '../../listings/references/name.ts';
import { registryOf } from '../../observations/asked/published/recorded.ts';
import { type AskedPlace, type FoundListing, mostRecording, pickFormer, pickRecording } from './holders.ts';
import { atAsked, type KnownListing, noticesOfAsked, readKnown } from './several.ts';

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
  const handles = listed([...new Set(known.map(({ listing }) => listing.handle))].map((one) => code(one)));
  if (known.length === 0) return say``;
  return say`${who} also gives it the address ${code(text)}, which ${handles} ${own(known.length === 1 ? 'records' : 'record')}; what the package does there is not known.`;
}

/** A command may name hundreds, and each is looked up. */
const mostLookedAt = 5;

const addedWords = (all: readonly Beside[], { who }: Subject): Words | false =>
  all.length > 0 &&
  say`${who} itself adds ${listed(
    all.map(({ text }) => code(text)),
    mostLookedAt,
  )}; what that lets it run or read was not looked at.`;

/** What a command does that no fact about its package covers; empty for other names. */
export async function besideWords(
  { beside, servers }: Pick<Name, 'beside' | 'servers'>,
  find: FindRecording,
): Promise<Words> {
  const subject = servers ? subjects.several : subjects.one;
  const others = beside.filter(({ what }) => what !== 'added');
  const said = await inTurns(others.slice(0, mostLookedAt), async (one) => {
    if (one.what === 'code') return codeWords(one, subject);
    if (one.what === 'address') return addressWords(one, subject, find);
    return one.what === 'package' ? packageWords(one, subject, find) : registryWords(one, subject);
  });
  const more = others.length - mostLookedAt;
  const left = more > 0 && say`Dossier did not look at ${count(more, 'more part')} of the command.`;
  const added = beside.filter(({ what }) => what === 'added');
  return join([...said, left, addedWords(added, subject)], ' ');
}

export const besideInStore = (name: Name, context: Context) =>
  besideWords(name, async (references) => {
    const found = (await context.store.listings.recording(references, mostRecording)).flat();
    return readKnown(found, context);
  });

export async function findHolders(name: AskedPlace, { store: { listings } }: Pick<Context, 'store'>) {
  const { references } = name;
  const [recording, formerly] = await Promise.all([
    listings.recording(references, mostRecording),
    listings.formerly(references, mostRecording),
  ]);
  return {
    now: await pickRecording(name, { recording, formerly, holding: listings.holding }),
    before: pickFormer(name, formerly),
  };
}

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
