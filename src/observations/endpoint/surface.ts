import type { JsonObject } from '../../core/json.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { rootOfLeaves } from '../../log/merkle.ts';

/** A tool object as it was sent; untrusted. */
export type Tool = JsonObject;

/** The name of a tool; empty for anything but text. */
export const nameOf = ({ name }: Tool): string => (typeof name === 'string' ? name : '');

/** Leaf digest of a tool: SHA-256 of the RFC 8785 JSON of the whole tool object as sent, hex. */
export const toolDigest = (tool: Tool): string => canonicalDigest(tool);

/** A tool as it was sent, with its leaf digest. */
export interface DigestedTool {
  readonly tool: Tool;
  readonly sha256: string;
}

/**
 * Tools with their digests, in the order of their names as UTF-8 bytes; tools that share a name stay in the order they were sent. Made
 * once for each list: a digest passes over everything in a tool.
 */
export const digestTools = (tools: readonly Tool[]): readonly DigestedTool[] =>
  tools
    .map((tool) => ({ tool, key: Buffer.from(nameOf(tool)), sha256: toolDigest(tool) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
    .map(({ tool, sha256 }) => ({ tool, sha256 }));

/** Digest of a set of tools in name order, hex: the RFC 6962 Merkle root over their raw 32-byte digests. */
export const surfaceDigest = (digested: readonly Pick<DigestedTool, 'sha256'>[]): string =>
  rootOfLeaves(digested.map(({ sha256 }) => Buffer.from(sha256, 'hex'))).toString('hex');
