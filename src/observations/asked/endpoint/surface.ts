import { asMembers, countValues, isJsonObject, type JsonObject, ownMember } from '../../../core/json.ts';
import { code, count, own, say, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import { rootOfLeaves } from '../../../log/merkle.ts';
import type { NoAnswer } from '../../../net/answer.ts';
import { withoutContent } from '../../../net/meaning.ts';
import { noAnswer, type Replied } from './messages.ts';
import { toolWithoutForm } from './tool-form.ts';

const pick = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const one = ownMember(value, name);
      return one === undefined ? [] : [[name, one]];
    }),
  );

const promptArgument = ['name', 'title', 'description', 'required'];

const promptWithoutForm = ({ arguments: named, ...prompt }: JsonObject): JsonObject => ({
  ...pick(prompt, ['name', 'title', 'description']),
  ...(Array.isArray(named) && {
    arguments: named.map((one) => (isJsonObject(one) ? pick(one, promptArgument) : one)),
  }),
});

const resourceMembers = ['uri', 'uriTemplate', 'name', 'title', 'description', 'mimeType'];

/** Size and date are about the content of the resource. */
function resourceWithoutForm(resource: JsonObject): JsonObject {
  const annotations = pick(asMembers(resource.annotations), ['audience', 'priority']);
  const isAnnotated = Object.keys(annotations).length > 0;
  return { ...pick(resource, resourceMembers), ...(isAnnotated && { annotations }) };
}

const uriOf = (value: unknown) => String(asMembers(value).uri ?? '');

/** A value in place of the files, such as `dynamic`, is kept. */
const skillWithoutForm = ({ resources, ...skill }: JsonObject): JsonObject => ({
  ...pick(skill, ['uri', 'frontmatter']),
  ...(Array.isArray(resources)
    ? {
        resources: resources
          .map((one) => (isJsonObject(one) ? pick(one, ['uri', 'digest', 'size']) : one))
          .toSorted((a, b) => (uriOf(a) < uriOf(b) ? -1 : 1)),
      }
    : pick({ resources }, ['resources'])),
});

/** In reverse, so that an object made of them keeps the first of a name. */
const argumentsOf = ({ arguments: named }: JsonObject): [string, JsonObject][] =>
  (Array.isArray(named) ? named : [])
    .filter(isJsonObject)
    .toReversed()
    .flatMap((one) => (typeof one.name === 'string' ? [[one.name, one]] : []));

const promptByName = (prompt: JsonObject): JsonObject => ({
  ...pick(prompt, ['name', 'title', 'description']),
  arguments: Object.fromEntries(
    argumentsOf(prompt).map(([name, one]) => [name, pick(one, ['title', 'description'])]),
  ),
});

const promptAsTool = (prompt: JsonObject): JsonObject => ({
  ...pick(prompt, ['name', 'title', 'description']),
  inputSchema: {
    properties: promptByName(prompt).arguments,
    required: argumentsOf(prompt)
      .filter(([, { required }]) => required === true)
      .map(([name]) => name)
      .toSorted(),
  },
});

const resourceAsTool = (resource: JsonObject): JsonObject => ({
  ...pick(resource, ['uri', 'uriTemplate', 'name', 'title', 'description']),
  outputSchema: pick(resource, ['mimeType', 'annotations']),
});

const skillAsTool = ({ frontmatter, resources }: JsonObject): JsonObject => ({
  ...asMembers(frontmatter),
  files: resources,
});

export type SurfaceMember = JsonObject;
export type SurfaceTool = SurfaceMember;

export const surfaceNames = ['tools', 'prompts', 'resources', 'skills'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

type ListQuestion = Readonly<Record<'method' | 'listedAs', string>>;

export interface Surface {
  readonly name: SurfaceName;
  readonly noun: string;
  readonly title: Words;
  readonly count: (members: number) => Words;
  /** The endpoint need not know the later methods. */
  readonly lists: readonly [ListQuestion, ...ListQuestion[]];
  readonly isDeclared: (capabilities: JsonObject) => boolean;
  /** The first of them that is a text is the name. */
  readonly namedBy: readonly [string, ...string[]];
  /** Without what SDKs or revisions write differently for the same member. */
  readonly withoutForm: (member: SurfaceMember) => SurfaceMember;
  readonly byName: (member: SurfaceMember) => SurfaceMember;
  /** In the shape of a tool, so that the rules for tools say how it changed. */
  readonly asTool: (member: SurfaceMember) => SurfaceMember;
  /** MCP hosts pass these on, so they are compared with what a caller was shown. */
  readonly compared: readonly string[];
}

const unchanged = (member: SurfaceMember): SurfaceMember => member;

/** SEP-2640 */
const skillsExtension = 'io.modelcontextprotocol/skills';

export const surfaces = {
  tools: {
    name: 'tools',
    noun: 'tool',
    title: own('tools'),
    count: (members) => count(members, 'tool'),
    lists: [{ method: 'tools/list', listedAs: 'tools' }],
    isDeclared: () => true,
    namedBy: ['name'],
    withoutForm: toolWithoutForm,
    byName: unchanged,
    asTool: unchanged,
    compared: ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  },
  prompts: {
    name: 'prompts',
    noun: 'prompt',
    title: own('prompts'),
    count: (members) => count(members, 'prompt'),
    lists: [{ method: 'prompts/list', listedAs: 'prompts' }],
    isDeclared: ({ prompts }) => isJsonObject(prompts),
    namedBy: ['name'],
    withoutForm: promptWithoutForm,
    byName: promptByName,
    asTool: promptAsTool,
    compared: ['title', 'description', 'arguments'],
  },
  resources: {
    name: 'resources',
    noun: 'resource',
    title: own('resources'),
    count: (members) => count(members, 'resource'),
    lists: [
      { method: 'resources/list', listedAs: 'resources' },
      { method: 'resources/templates/list', listedAs: 'resourceTemplates' },
    ],
    isDeclared: ({ resources }) => isJsonObject(resources),
    namedBy: ['uri', 'uriTemplate'],
    withoutForm: resourceWithoutForm,
    byName: unchanged,
    asTool: resourceAsTool,
    compared: ['name', 'title', 'description', 'mimeType', 'annotations'],
  },
  skills: {
    name: 'skills',
    noun: 'skill',
    title: own('skills'),
    count: (members) => count(members, 'skill'),
    lists: [{ method: 'skills/list', listedAs: 'skills' }],
    isDeclared: ({ extensions }) => isJsonObject(ownMember(asMembers(extensions), skillsExtension)),
    namedBy: ['uri'],
    withoutForm: skillWithoutForm,
    byName: unchanged,
    asTool: skillAsTool,
    compared: ['frontmatter', 'resources'],
  },
} as const satisfies { readonly [Name in SurfaceName]: Surface & { readonly name: Name } };

export const besideTools = [surfaces.prompts, surfaces.resources, surfaces.skills] as const;
export type BesideName = (typeof besideTools)[number]['name'];

const ownNameOf = (member: SurfaceMember, { namedBy }: Surface): string | undefined =>
  namedBy.map((name) => ownMember(member, name)).find((one) => typeof one === 'string');

export const nameOf = (member: SurfaceMember, surface: Surface): string => ownNameOf(member, surface) ?? '';

const longestName = 200;

export const shortNameOf = (member: SurfaceMember, surface: Surface) =>
  nameOf(member, surface).slice(0, longestName);

export const memberDigest = (member: SurfaceMember): string => canonicalDigest(member);

const digestMembers = (members: readonly SurfaceMember[], surface: Surface) =>
  members
    .map((member) => ({ member, key: Buffer.from(nameOf(member, surface)) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ member }) => ({
      member,
      sha256: memberDigest(member),
      content_sha256: memberDigest(surface.withoutForm(member)),
    }));
type DigestedMember = ReturnType<typeof digestMembers>[number];

/** The RFC 6962 Merkle root (hex) over raw 32-byte digests. */
const surfaceRoot = (digests: readonly string[]): string =>
  rootOfLeaves(digests.map((digest) => Buffer.from(digest, 'hex'))).toString('hex');

export const surfaceDigest = (digested: readonly DigestedMember[]): string =>
  surfaceRoot(digested.map(({ content_sha256 }) => content_sha256));

export const sentDigest = (digested: readonly DigestedMember[]): string =>
  surfaceRoot(digested.map(({ sha256 }) => sha256));

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
export const createListRoom = () => ({ values: 200_000 });
export type ListRoom = ReturnType<typeof createListRoom>;

export const createPagesLeft = () => ({ pages: mostPages });
export type PagesLeft = ReturnType<typeof createPagesLeft>;

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
  noAnswer(withoutContent(outcome), say`${said} ${why}`);
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

type ReadPage = (method: string, params: object) => Promise<Replied | 'enough'>;

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
