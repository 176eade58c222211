import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../log/leaf.ts';
import { asMembers } from '../../text/json-object.ts';

const tagged = (description: unknown) =>
  typeof description === 'string' ? { type: 'string', value: description } : { type: 'none' };

/**
 * The fingerprint that the AI SDK (npm `ai` 7, fingerprintTools) makes of a tool as it was listed: SHA-256 over its
 * description, input schema and title only, base64url. Its serialization writes a missing title as `undefined`.
 */
export function aiSdkFingerprint(tool: Readonly<Record<string, unknown>>): string {
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
