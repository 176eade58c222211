import { isJsonObject } from '../../evidence/text/json-object.ts';
import type { Reply } from './messages.ts';

type Tool = Readonly<Record<string, unknown>>;

/** Tool objects as they were sent; `tools` is undefined if the endpoint sent none. */
export interface ToolList {
  readonly tools?: readonly Tool[];
  readonly isCut: boolean;
}

const mostTools = 500;
const mostBytes = 2 * 1024 * 1024;
const mostPages = 50;

const toTools = (page: Reply | undefined): Tool[] | undefined => {
  const listed = page?.tools;
  return Array.isArray(listed) ? listed.filter(isJsonObject) : undefined;
};

/** Where a list of a size ends: the cap of tools, or of bytes. */
const isFull = (tools: readonly Tool[]) =>
  tools.length > mostTools || Buffer.byteLength(JSON.stringify(tools)) > mostBytes;

/** Reads all pages of tools/list, at most 500 tools and 2 MiB. A cursor that comes twice ends the list. */
export async function listTools(read: (params: object) => Promise<Reply | undefined>): Promise<ToolList> {
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, page = 0; page < mostPages; page += 1) {
    const reply = await read(cursor === undefined ? {} : { cursor });
    const listed = toTools(reply);
    if (!listed) return page === 0 ? { isCut: false } : { tools, isCut: true };
    tools.push(...listed);
    if (isFull(tools)) return { tools: tools.slice(0, mostTools), isCut: true };
    const next = reply?.nextCursor;
    if (typeof next !== 'string' || next === '' || cursors.has(next)) return { tools, isCut: false };
    cursors.add(next);
    cursor = next;
  }
  return { tools, isCut: true };
}
