import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../log/leaf.ts';
import type { ToolList } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import { asMembers } from '../../text/json-object.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';
import { inNameOrder, surfaceDigest, toolDigest } from './digest.ts';

const tagged = (description: unknown) =>
  typeof description === 'string' ? { type: 'string', value: description } : { type: 'none' };

/**
 * The fingerprint that the AI SDK (npm `ai` 7, fingerprintTools) makes of a tool as it was listed: SHA-256 over its
 * description, input schema and title only, base64url. Its serialization writes a missing title as `undefined`.
 */
function aiSdkFingerprint(tool: Readonly<Record<string, unknown>>): string {
  const { title, description, inputSchema } = tool;
  const members = [
    `"description":${toCanonicalJson(tagged(description))}`,
    `"inputSchema":${toCanonicalJson(asMembers(inputSchema))}`,
    `"title":${typeof title === 'string' ? JSON.stringify(title) : 'undefined'}`,
  ];
  return createHash('sha256')
    .update(`{${members.join(',')}}`)
    .digest('base64url');
}

const longestName = 200;

const toolNames = (tools: unknown): string[] =>
  Array.isArray(tools) ? tools.map(({ name }: { name?: unknown }) => String(name ?? '')) : [];

/** That a list was cut, beside what is said of it. */
export const cutNote = ({ isCut }: ToolList) =>
  isCut && { reason: 'The list was longer than Dossier reads: 500 tools or 2 MiB.' };

/** Members that a tool has in both eras of the protocol; what else there is depends on the era that was spoken. */
function toCommon({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ToolList['tools'][number]) {
  const members = { name, title, description, inputSchema, outputSchema, annotations };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** The set of tools that an endpoint lists, as one digest. */
export const toolsSurface = defineKind({
  kind: 'tools.surface',
  question: 'tools',
  title: 'Tools it lists',
  means:
    'The SHA-256 Merkle root over all tools that the endpoint listed to Dossier; the same value means that no name, description, schema or annotation differs. What only one era of the protocol has of a tool is no difference between two checks.',
  doesNotMean: 'It does not say what a tool does when it is called; Dossier calls none.',
  changed: 'The endpoint lists other tools',
  shows: ({ details }) => toolNames(details?.tools).join(', ') || 'none',
  method_version: 'tools/1',
  about: remotesOf,
  check: (look) =>
    ofRemotes(look, ({ list, introduction }) => {
      if (list.result !== 'tools') return list;
      const { tools } = list;
      const digests = inNameOrder(tools).map((tool) => ({
        name: typeof tool.name === 'string' ? tool.name.slice(0, longestName) : '',
        sha256: toolDigest(tool),
        ai_sdk: aiSdkFingerprint(tool),
      }));
      return {
        value: surfaceDigest(tools),
        state: 'observed',
        ...cutNote(list),
        details: { tools: digests },
        form: { name: introduction?.era ?? '', common: surfaceDigest(tools.map(toCommon)) },
        as_seen: { era: introduction?.era, protocol: introduction?.protocol, digest: surfaceDigest(tools) },
      };
    }),
});
