import { asMembers, isJsonObject, type JsonObject, ownMember } from '../../core/json.ts';
import { count, own, type Words } from '../../core/words.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { rootOfLeaves } from '../../log/merkle.ts';
import {
  promptAsTool,
  promptByName,
  promptWithoutForm,
  resourceAsTool,
  resourceWithoutForm,
  skillAsTool,
  skillWithoutForm,
} from './member-form.ts';
import { toolWithoutForm } from './tool-form.ts';

/** A member of a list as it was sent: a tool, a prompt, a resource, a skill; untrusted. */
export type SurfaceMember = JsonObject;
/** A tool object as it was sent; untrusted. */
export type SurfaceTool = SurfaceMember;

/** The lists that an endpoint offers. */
export const surfaceNames = ['tools', 'prompts', 'resources', 'skills'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

/** A question for a list: the method, and the member of its result that has the list. */
export interface ListQuestion {
  readonly method: string;
  readonly listedAs: string;
}

/**
 * What an endpoint lists: how it is asked for, what its members are called, and what of a member is compared.
 */
export interface Surface {
  readonly name: SurfaceName;
  /** One member: `tool`. */
  readonly noun: string;
  /** In words of ours: `tools`. */
  readonly title: Words;
  /** How many members: `1 tool`, `2,000 tools`. */
  readonly count: (members: number) => Words;
  /** The lists that it is made of. The second one need not be there. */
  readonly lists: readonly [ListQuestion, ...ListQuestion[]];
  /** Whether capabilities declare it; tools are asked for in any case. */
  readonly isDeclared: (capabilities: JsonObject) => boolean;
  /** The members of a member that may name it: the first that is a text does. */
  readonly namedBy: readonly [string, ...string[]];
  /** A member without what another SDK or revision of the protocol writes differently of the same one. */
  readonly withoutForm: (member: SurfaceMember) => SurfaceMember;
  /** A member whose titles and descriptions are found by the names of what they are about. */
  readonly byName: (member: SurfaceMember) => SurfaceMember;
  /** A member without its form in the form of a tool, so that the same rules say how it changed. */
  readonly asTool: (member: SurfaceMember) => SurfaceMember;
  /** Members of a member that hosts hand on, and that are compared with what a caller was shown. */
  readonly compared: readonly string[];
}

const same = (member: SurfaceMember): SurfaceMember => member;

/** The identifier of the extension for skills (SEP-2640). */
const skillsExtension = 'io.modelcontextprotocol/skills';

/** The four lists, each defined once: asking, storing, comparing and showing them is a loop over these. */
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
    byName: same,
    asTool: same,
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
    byName: same,
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
    byName: same,
    asTool: skillAsTool,
    compared: ['frontmatter', 'resources'],
  },
} as const satisfies { readonly [Name in SurfaceName]: Surface & { readonly name: Name } };

/** The lists that are asked for beside that of tools, where they are declared. */
export const besideTools = [surfaces.prompts, surfaces.resources, surfaces.skills] as const;
export type BesideName = (typeof besideTools)[number]['name'];

/** What names a member of a list; undefined if nothing does. */
export const ownNameOf = (member: SurfaceMember, { namedBy }: Surface): string | undefined =>
  namedBy.map((name) => ownMember(member, name)).find((one) => typeof one === 'string');

/** The name of a member of a list; empty if it has none. */
export const nameOf = (member: SurfaceMember, surface: Surface): string => ownNameOf(member, surface) ?? '';

const longestName = 200;

/** The name of a member as it is stored and shown: at most 200 characters. */
export const shortNameOf = (member: SurfaceMember, surface: Surface) =>
  nameOf(member, surface).slice(0, longestName);

/** The leaf digest of a member: SHA-256 (hex) of the RFC 8785 JSON of the whole object as sent. */
export const memberDigest = (member: SurfaceMember): string => canonicalDigest(member);

/** A member as it was sent, with its leaf digest, and the digest of what is left without its form. */
export interface DigestedMember {
  readonly member: SurfaceMember;
  readonly sha256: string;
  readonly content_sha256: string;
}

/**
 * Members with their digests, ordered by name as UTF-8 bytes. Call it once for each list, because a digest
 * reads the whole member.
 */
export const digestMembers = (
  members: readonly SurfaceMember[],
  surface: Surface,
): readonly DigestedMember[] =>
  members
    .map((member) => ({ member, key: Buffer.from(nameOf(member, surface)) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ member }) => ({
      member,
      sha256: memberDigest(member),
      content_sha256: memberDigest(surface.withoutForm(member)),
    }));

/** The RFC 6962 Merkle root (hex) over raw 32-byte digests. */
const rootOf = (digests: readonly string[]): string =>
  rootOfLeaves(digests.map((digest) => Buffer.from(digest, 'hex'))).toString('hex');

/**
 * The digest of a list in name order, without the form of its members: another one means that a member is
 * another one.
 */
export const surfaceDigest = (digested: readonly DigestedMember[]): string =>
  rootOf(digested.map(({ content_sha256 }) => content_sha256));

/** The digest of a list in name order as it was sent. */
export const sentDigest = (digested: readonly DigestedMember[]): string =>
  rootOf(digested.map(({ sha256 }) => sha256));
