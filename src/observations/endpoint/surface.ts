import type { JsonObject } from '../../core/json.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { rootOfLeaves } from '../../log/merkle.ts';

/** A tool object as it was sent; untrusted. */
export type Tool = JsonObject;

/** The name of a tool; empty if it is not a string. */
export const nameOf = ({ name }: Tool): string => (typeof name === 'string' ? name : '');

/** The leaf digest of a tool: SHA-256 (hex) of the RFC 8785 JSON of the whole tool object as sent. */
export const toolDigest = (tool: Tool): string => canonicalDigest(tool);

/** A tool as it was sent, with its leaf digest. */
export interface DigestedTool {
  readonly tool: Tool;
  readonly sha256: string;
}

/**
 * Tools with their digests, ordered by name as UTF-8 bytes; tools with the same name stay in the order they were sent. Call it
 * once for each list, because a digest reads the whole tool.
 */
export const digestTools = (tools: readonly Tool[]): readonly DigestedTool[] =>
  tools
    .map((tool) => ({ tool, key: Buffer.from(nameOf(tool)), sha256: toolDigest(tool) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ tool, sha256 }) => ({ tool, sha256 }));

/** The digest (hex) of a set of tools in name order: the RFC 6962 Merkle root over their raw 32-byte digests. */
export const surfaceDigest = (digested: readonly Pick<DigestedTool, 'sha256'>[]): string =>
  rootOfLeaves(digested.map(({ sha256 }) => Buffer.from(sha256, 'hex'))).toString('hex');
