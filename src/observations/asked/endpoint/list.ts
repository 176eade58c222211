import { countValues, isJsonObject, ownMember } from '../../../core/json.ts';
import { code, count, say, type Words } from '../../../core/words.ts';
import type { NoAnswer } from '../../../net/answer.ts';
import { noAnswer, type Replied } from './messages.ts';
import { digestMembers, type ListQuestion, ownNameOf, type Surface, type SurfaceMember } from './surface.ts';

const mostMembers = 2000;
const mostBytes = 2 * 1024 * 1024;
const mostValues = 100_000;
const mostPages = 100;

/** `members` in the order of the endpoint; `digested` by name. */
const toListedMembers = (members: readonly SurfaceMember[], surface: Surface) => ({
  result: 'listed' as const,
  members,
  digested: digestMembers(members, surface),
});
export type ListedMembers = ReturnType<typeof toListedMembers>;

/** All lists are kept until the check ends, so they are bounded together. */
export interface ListRoom {
  values: number;
}
export const createListRoom = (): ListRoom => ({ values: 200_000 });

export interface PagesLeft {
  pages: number;
}
export const createPagesLeft = (): PagesLeft => ({ pages: mostPages });

const noRoom = ({ title }: Surface) =>
  noAnswer(
    'not_asked',
    say`Dossier keeps at most 200,000 values of lists in one check, and the other lists of this listing’s endpoints left no room for this list of ${title}.`,
  );

const unlisted = (why: Words) => noAnswer('otherwise', why, { status: 200 });
const noList = ({ title }: Surface) =>
  noAnswer('otherwise', say`The endpoint sent no list of ${title} that Dossier could read.`);
const tooLong = ({ count: counted }: Surface) =>
  unlisted(
    say`The endpoint lists more than Dossier reads: ${counted(mostMembers)}, 2 MiB or 100,000 values.`,
  );
const enoughSent = ({ title }: Surface) =>
  unlisted(
    say`The endpoint sent more than 4 MiB in this check before the end of its list of ${title}; Dossier reads no further.`,
  );
const tooManyPages = ({ title }: Surface) =>
  unlisted(
    say`The endpoint sent 100 pages of lists, but not the end of its list of ${title}; Dossier reads no further.`,
  );
const standsStill = ({ title }: Surface) =>
  unlisted(say`The endpoint’s list of ${title} has no end: a page names an earlier page as the next one.`);
const sameName = ({ title }: Surface) =>
  unlisted(
    say`The endpoint’s list of ${title} has the same name twice, so Dossier cannot tell these two ${title} apart.`,
  );

const failedWith = ({ answer: { outcome, why } }: { readonly answer: NoAnswer }, said: Words) =>
  noAnswer(outcome === 'silent' || outcome === 'not_asked' ? outcome : 'otherwise', say`${said} ${why}`);
const brokenOff = (pages: number, { title }: Surface, failed: { readonly answer: NoAnswer }) =>
  failedWith(
    failed,
    say`The endpoint sent ${count(pages, 'page')} of its list of ${title}, but not the next page.`,
  );
const withoutPart = ({ method }: ListQuestion, { title }: Surface, failed: { readonly answer: NoAnswer }) =>
  failedWith(failed, say`Dossier has no list from ${code(method)}, a part of the list of ${title}.`);

function createList(surface: Surface, room: ListRoom) {
  const members: SurfaceMember[] = [];
  const names = new Set<string>();
  let size_bytes = 0;
  let values = 0;
  return {
    members,
    add(listed: readonly unknown[]): ReturnType<typeof noAnswer> | undefined {
      for (const member of listed) {
        if (!isJsonObject(member)) continue;
        const json = JSON.stringify(member);
        size_bytes += Buffer.byteLength(json);
        const more = countValues(json);
        if (members.length === mostMembers || size_bytes > mostBytes || values + more > mostValues)
          return tooLong(surface);
        if (more > room.values) return noRoom(surface);
        const name = ownNameOf(member, surface);
        if (name !== undefined && names.size === names.add(name).size) return sameName(surface);
        room.values -= more;
        values += more;
        members.push(member);
      }
      return undefined;
    },
    drop: () => {
      room.values += values;
    },
  };
}

type NotListed = Exclude<Replied, { is: 'result' }>;

export type ReadPage = (method: string, params: object) => Promise<Replied | 'enough'>;

interface ListReading {
  readonly surface: Surface;
  readonly read: ReadPage;
  readonly left: PagesLeft;
  readonly list: ReturnType<typeof createList>;
}

async function readPages(
  { method, listedAs }: ListQuestion,
  { surface, read, left, list }: ListReading,
): Promise<NotListed | undefined> {
  const cursors = new Set<string>();
  for (let cursor: string | undefined, pages = 0; left.pages > 0; pages += 1) {
    left.pages -= 1;
    const reply = await read(method, cursor === undefined ? {} : { cursor });
    if (reply === 'enough') return enoughSent(surface);
    if (reply.is !== 'result')
      return pages > 0 && reply.is === 'no_answer' ? brokenOff(pages, surface, reply) : reply;
    const { nextCursor } = reply.result;
    const listed = ownMember(reply.result, listedAs);
    if (!Array.isArray(listed))
      return pages > 0 ? brokenOff(pages, surface, noList(surface)) : noList(surface);
    const next = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined;
    if (next !== undefined && cursors.has(next)) return standsStill(surface);
    const why = list.add(listed);
    if (why || next === undefined) return why;
    cursors.add(next);
    cursor = next;
  }
  return tooManyPages(surface);
}

/** HTTP 404 alone may also mean that the session is over. */
const hasNoMethod = (found: NotListed) => found.is === 'no_answer' && found.answer.cause === 'no_method';

async function readLists(reading: ListReading): Promise<NotListed | undefined> {
  const { surface } = reading;
  const [first, ...others] = surface.lists;
  const why = await readPages(first, reading);
  if (why) return why;
  for (const question of others) {
    const found = await readPages(question, reading);
    if (found && !hasNoMethod(found))
      return found.is === 'no_answer' ? withoutPart(question, surface, found) : found;
  }
  return undefined;
}

export async function listSurface(
  surface: Surface,
  { read, room, left }: { readonly read: ReadPage; readonly room: ListRoom; readonly left: PagesLeft },
): Promise<ListedMembers | NotListed> {
  const list = createList(surface, room);
  const why = await readLists({ surface, read, left, list });
  if (!why) return toListedMembers(list.members, surface);
  list.drop();
  return why;
}
