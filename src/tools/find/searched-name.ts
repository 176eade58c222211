import type { Context } from '../../context.ts';
import { isHandle } from '../../core/handle.ts';
import { namespaceIdentity } from '../../core/identity.ts';
import { code, join, say, toText, type Words } from '../../core/words.ts';
import { atRecord } from '../../document/asked-place.ts';
import { isOnlyName, meantOf, type Name, toReferences } from '../../listings/references/name.ts';
import { isPlace, type Reference } from '../../listings/references/references.ts';
import { besideInStore, describeSeveral, findHolders, readMeant, withBeside } from './asked-command.ts';
import { type FoundListing, type Several, severalWords } from './holders.ts';
import { readTool, readWhy, whyUnreadable, withdrawal } from './why-unknown.ts';

/** What a search names by a place of a record. */
export interface SearchedName {
  /** If not, no listing has a part that is asked for. */
  readonly isName: boolean;
  readonly found?: FoundListing | Several | undefined;
  /** What a command in it does besides. */
  readonly beside: Words;
  /** Handles of listings that come first; a plain word is not meant as a name alone. */
  readonly leading: readonly string[];
  readonly advice?: string | undefined;
}

const noName: SearchedName = { isName: false, beside: say``, leading: [] };
const plainWord = /^\w+$/;

const foundWords = (found: FoundListing | Several, beside: Words): Words =>
  'candidates' in found
    ? found.detail
    : join([say`${code(found.handle)} is ${found.found_by ?? say``}.`, beside], ' ');

/** Hits say of what is surely a tool that they list it. */
async function ofTool({ name, isSure }: NonNullable<Name['tool']>, searched: SearchedName, context: Context) {
  const { handles, words } = await readTool(name, context);
  return isSure === handles.length > 0 ? searched : { ...searched, advice: toText(words) };
}

/** None of an input that many publishers have, unless it is all that is searched for. */
async function findOfInputs(name: Name, references: readonly Reference[], context: Context) {
  const { now } = await findHolders({ ...name, references }, context);
  const isAll = references.some(({ key }) => key === name.text);
  if (isAll || !now || !('candidates' in now) || !now.rest) return now;
  const publishers = new Set(now.candidates.map(({ handle }) => namespaceIdentity(handle)));
  return publishers.size === now.candidates.length ? undefined : now;
}

export async function readSearchedName(asked: string, context: Context): Promise<SearchedName> {
  const name = await readMeant(asked, context);
  const { text, references, servers } = name;
  const inCommand = await besideInStore(name, context);
  if (servers) return { ...noName, advice: toText(join([whyUnreadable(name), inCommand], ' ')) };
  if (name.tool && text !== asked.trim()) return ofTool(name.tool, noName, context);
  for (const handle of name.handles) {
    const listing = await context.store.listings.byHandle(handle);
    const why = listing?.withdrawn && (await withdrawal(listing, context));
    const advice = why && `${toText(say`The listing ${code(handle)} was withdrawn.`)} ${why}`;
    if (advice) return { ...noName, isName: true, advice };
    if (listing && !isHandle(asked.trim())) {
      const said = toText(say`It names ${code(handle)}. get_agent reads this name.`);
      return { isName: true, found: { handle }, beside: inCommand, leading: [handle], advice: said };
    }
  }
  // The words of a search find what a listing is called.
  const places = [...references, ...(isHandle(text) ? toReferences(text) : [])].filter(isPlace);
  const inputs = references.filter(({ kind }) => kind === 'input');
  if (places.length + inputs.length + name.beside.length === 0) return noName;
  const { now, before } = await findHolders({ ...name, references: places }, context);
  const placed = now ?? before;
  const held = placed ?? (await findOfInputs(name, inputs, context));
  if (!held && places.length + name.beside.length === 0) return noName;
  if (!held) {
    const meant = meantOf(places);
    const isTold = isOnlyName(name, asked) || meant?.kind === 'host';
    const { detail } = isTold ? await readWhy(meant, context) : {};
    const advice = detail && [toText(inCommand), detail].filter(Boolean).join(' ');
    const unknown = { ...noName, isName: true, beside: inCommand, ...(advice && { advice }) };
    return name.tool ? ofTool(name.tool, unknown, context) : unknown;
  }
  const isSeveral = 'candidates' in held;
  const isWord =
    placed !== undefined && plainWord.test(text) && !places.some(({ kind }) => kind === 'pay_to');
  const found = isSeveral
    ? await describeSeveral(
        isWord || !held.rest?.isQuery ? { ...held, detail: severalWords(held) } : held,
        { name, asked, beside: inCommand },
        context,
      )
    : held;
  const beside = isSeveral ? say`` : (atRecord(withBeside(held, inCommand)).beside ?? say``);
  if (isWord) return { isName: true, found, beside, leading: [] };
  return {
    isName: true,
    found,
    beside,
    leading: isSeveral ? held.candidates.map(({ handle }) => handle) : [held.handle],
    advice: [toText(foundWords(found, beside)), !(isSeveral && held.rest) && 'get_agent reads this name.']
      .filter(Boolean)
      .join(' '),
  };
}
