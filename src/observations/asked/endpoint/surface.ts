import { asMembers, isJsonObject, type JsonObject, ownMember } from '../../../core/json.ts';
import { count, own, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import { rootOfLeaves } from '../../../log/merkle.ts';
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

export type SurfaceMember = JsonObject;
export type SurfaceTool = SurfaceMember;

export const surfaceNames = ['tools', 'prompts', 'resources', 'skills'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

export interface ListQuestion {
  readonly method: string;
  readonly listedAs: string;
}

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

export const ownNameOf = (member: SurfaceMember, { namedBy }: Surface): string | undefined =>
  namedBy.map((name) => ownMember(member, name)).find((one) => typeof one === 'string');

export const nameOf = (member: SurfaceMember, surface: Surface): string => ownNameOf(member, surface) ?? '';

const longestName = 200;

export const shortNameOf = (member: SurfaceMember, surface: Surface) =>
  nameOf(member, surface).slice(0, longestName);

export const memberDigest = (member: SurfaceMember): string => canonicalDigest(member);

export interface DigestedMember {
  readonly member: SurfaceMember;
  readonly sha256: string;
  readonly content_sha256: string;
}

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
const surfaceRoot = (digests: readonly string[]): string =>
  rootOfLeaves(digests.map((digest) => Buffer.from(digest, 'hex'))).toString('hex');

export const surfaceDigest = (digested: readonly DigestedMember[]): string =>
  surfaceRoot(digested.map(({ content_sha256 }) => content_sha256));

export const sentDigest = (digested: readonly DigestedMember[]): string =>
  surfaceRoot(digested.map(({ sha256 }) => sha256));
