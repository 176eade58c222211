import type { NoAnswer } from '../../evidence/observation/answer.ts';
import { isJsonObject } from '../../evidence/text/json-object.ts';
import type { Replied } from './messages.ts';

type Tool = Readonly<Record<string, unknown>>;

/** Tool objects as they were sent; `tools` is undefined if the endpoint sent none. */
export interface ToolList {
  readonly tools?: readonly Tool[];
  readonly isCut: boolean;
  /** Why not all pages of the list could be read; then there is no list, because a part of it is another one. */
  readonly unread?: NoAnswer;
}

const mostTools = 500;
const mostBytes = 2 * 1024 * 1024;
const mostPages = 50;

const brokenOff = (pages: number): NoAnswer => ({
  result: 'unreachable',
  reason: `The endpoint sent ${pages} ${pages === 1 ? 'page' : 'pages'} of its list of tools, and not the next one.`,
});

const toTools = ({ tools }: Tool): Tool[] | undefined =>
  Array.isArray(tools) ? tools.filter(isJsonObject) : undefined;

/** Where a list of a size ends: the cap of tools, or of bytes. */
const isFull = (tools: readonly Tool[]) =>
  tools.length > mostTools || Buffer.byteLength(JSON.stringify(tools)) > mostBytes;

/**
 * Reads all pages of tools/list, at most 500 tools and 2 MiB. A cursor that comes twice ends the list; so does `enough`,
 * after which the endpoint is asked for nothing more.
 */
export async function listTools(read: (params: object) => Promise<Replied | 'enough'>): Promise<ToolList> {
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, pages = 0; pages < mostPages; pages += 1) {
    const reply = await read(cursor === undefined ? {} : { cursor });
    if (reply === 'enough') return { tools, isCut: true };
    if (reply.is === 'no_answer') return { isCut: false, unread: reply.answer };
    const page = reply.is === 'result' ? reply.result : {};
    const listed = toTools(page);
    if (!listed) return { isCut: false, ...(pages > 0 && { unread: brokenOff(pages) }) };
    tools.push(...listed);
    if (isFull(tools)) return { tools: tools.slice(0, mostTools), isCut: true };
    const next = page.nextCursor;
    if (typeof next !== 'string' || next === '' || cursors.has(next)) return { tools, isCut: false };
    cursors.add(next);
    cursor = next;
  }
  return { tools, isCut: true };
}
