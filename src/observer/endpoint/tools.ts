import type { NoAnswer } from '../../evidence/observation/answer.ts';
import type { ToolList } from '../../evidence/observation/endpoint-look.ts';
import { isJsonObject } from '../../evidence/text/json-object.ts';
import type { Replied } from './messages.ts';

type Tool = ToolList['tools'][number];
type Unread = Exclude<Replied, { is: 'result' }>;

const mostTools = 500;
const mostBytes = 2 * 1024 * 1024;
const mostPages = 50;

type NoneSent = Extract<Replied, { is: 'no_answer' }>;

const noAnswer = (result: NoAnswer['result'], reason: string): NoneSent => ({
  is: 'no_answer',
  answer: { result, reason },
});

const noList = noAnswer('not_found', 'The endpoint sent no list of tools that Dossier could read.');

/** Why a list is none of which only the first pages came. */
const brokenOff = (pages: number, { answer: { reason } }: NoneSent) =>
  noAnswer(
    'unreachable',
    `The endpoint sent ${pages} ${pages === 1 ? 'page' : 'pages'} of its list of tools, and not the next one. ${reason}`,
  );

/** Where a list of a size ends: the cap of tools, or of bytes. */
const isFull = (tools: readonly Tool[]) =>
  tools.length > mostTools || Buffer.byteLength(JSON.stringify(tools)) > mostBytes;

const toList = (tools: readonly Tool[], isCut: boolean): ToolList => ({ result: 'tools', tools, isCut });

/**
 * Reads all pages of tools/list, at most 500 tools and 2 MiB; a part of a list is no list. A cursor that comes twice ends the list;
 * so does `enough`, after which the endpoint is asked for nothing more.
 */
export async function listTools(
  read: (params: object) => Promise<Replied | 'enough'>,
): Promise<ToolList | Unread> {
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined, pages = 0; pages < mostPages; pages += 1) {
    const reply = await read(cursor === undefined ? {} : { cursor });
    if (reply === 'enough') return toList(tools, true);
    if (reply.is !== 'result') return pages > 0 && reply.is === 'no_answer' ? brokenOff(pages, reply) : reply;
    const { tools: listed, nextCursor: next } = reply.result;
    if (!Array.isArray(listed)) return pages > 0 ? brokenOff(pages, noList) : noList;
    tools.push(...listed.filter(isJsonObject));
    if (isFull(tools)) return toList(tools.slice(0, mostTools), true);
    if (typeof next !== 'string' || next === '' || cursors.has(next)) return toList(tools, false);
    cursors.add(next);
    cursor = next;
  }
  return toList(tools, true);
}
