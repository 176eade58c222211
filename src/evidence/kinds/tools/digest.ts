import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../log/leaf.ts';
import { rootOfLeaves } from '../../log/merkle.ts';

type Tool = Readonly<Record<string, unknown>>;

const nameOf = ({ name }: Tool) => (typeof name === 'string' ? name : '');

/** Leaf digest of a tool: SHA-256 of the RFC 8785 JSON of the whole tool object as sent, hex. */
export const toolDigest = (tool: Tool): string =>
  createHash('sha256').update(toCanonicalJson(tool)).digest('hex');

/** Tools in the order of their names as UTF-8 bytes; tools that share a name stay in the order they were sent. */
export const inNameOrder = (tools: readonly Tool[]): Tool[] =>
  tools.toSorted((a, b) => Buffer.compare(Buffer.from(nameOf(a)), Buffer.from(nameOf(b))));

/** Digest of a set of tools, hex: the RFC 6962 Merkle root over their raw 32-byte digests, in name order. */
export const surfaceDigest = (tools: readonly Tool[]): string =>
  rootOfLeaves(inNameOrder(tools).map((tool) => Buffer.from(toolDigest(tool), 'hex'))).toString('hex');
