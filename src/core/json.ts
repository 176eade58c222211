import type { z } from 'zod';
import { say, type Words, own as wordsOf } from './words.ts';

/** A member of an answer that may be absent, with what it says. */
export const ifAny = <Member extends z.ZodType>(member: Member, says: string) =>
  member.optional().describe(says);

const deepest = 100;
const mostValues = 100_000;

export const isDeeperThan = (limit: number, value: unknown): boolean => faultOf(limit, value) === 'levels';

/** `JSON.parse` makes Infinity of a number beyond a double, which RFC 8785 cannot represent. */
function faultOf(limit: number, value: unknown): 'levels' | 'number' | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'number';
  if (typeof value !== 'object' || value === null) return undefined;
  if (limit === 0) return 'levels';
  if (Array.isArray(value)) {
    for (const inner of value) {
      const fault = faultOf(limit - 1, inner);
      if (fault) return fault;
    }
    return undefined;
  }
  // This is faster than Object.values.
  for (const name in value) {
    const fault = faultOf(limit - 1, (value as JsonObject)[name]);
    if (fault) return fault;
  }
  return undefined;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const isOpening = (unit: number) => unit === 0x5b || unit === 0x7b;
const isClosing = (unit: number) => unit === 0x5d || unit === 0x7d;

function endOfText(json: string, begin: number): number {
  let at = begin + 1;
  while (at < json.length && json.charCodeAt(at) !== quote) at += json.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

/** Arrays and objects too, without parsing. Stops at 100,001. */
export function countValues(json: string): number {
  let values = 1;
  let isFirst = false;
  for (let at = 0; at < json.length && values <= mostValues; at += 1) {
    const unit = json.charCodeAt(at);
    if (unit <= 0x20) continue;
    if (unit === comma || (isFirst && !isClosing(unit))) values += 1;
    isFirst = isOpening(unit);
    if (unit === quote) at = endOfText(json, at);
  }
  return values;
}

/** Names of members too. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]),
  );
}

/**
 * U+FFFD replaces lone surrogates, which UTF-8 lacks, so they could neither be digested (RFC 8785) nor
 * sent, and NUL, which PostgreSQL does not store.
 */
export const toStorable = (value: unknown): unknown =>
  mapTexts(value, (text) => text.toWellFormed().replaceAll('\0', '\ufffd'));

const mayNeedReplacing = /\\u(0000|[dD][89a-fA-F])/;

export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function parseStorable(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('\\') && mayNeedReplacing.test(text) ? toStorable(value) : value;
}

/** `refused`: why, such as `more than 100,000 values`. Both are absent if it is no JSON. */
export interface ForeignJson {
  readonly value?: unknown;
  readonly refused?: Words;
}

/**
 * Refuses more than 100,000 values (counted before parsing) or `levels` levels (default 100), and numbers
 * beyond a double. The value is `toStorable`.
 */
export function readForeignJson(
  text: string,
  levels: (value: unknown) => number = () => deepest,
): ForeignJson {
  // Fewer characters cannot have more values.
  if (text.length >= mostValues && countValues(text) > mostValues)
    return { refused: wordsOf('more than 100,000 values') };
  const value = attempt(() => parseStorable(text));
  const limit = levels(value);
  const fault = faultOf(limit, value);
  if (fault === 'levels') return { refused: say`more than ${limit} levels` };
  return fault ? { refused: wordsOf('a number beyond the range of a double') } : { value };
}

export const parseForeignJson = (text: string): unknown => readForeignJson(text).value;

export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObject = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

export const asMembers = (value: unknown): JsonObject => asObject(value) ?? {};

export const objectsOf = (list: unknown): JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : [];

export const readObject = (text: string): JsonObject | undefined => asObject(parseForeignJson(text));

export const mapMembers = (value: object, change: (inner: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));

/** A foreign name may be one that all objects inherit, such as `constructor`. */
export const ownMember = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const base64 = /^[\w+/-]+={0,2}$/;

/** Either alphabet. Only what begins as an object is parsed, because a fault takes long to report. */
export function readBase64Object(text: string): JsonObject | undefined {
  const decoded = base64.test(text) ? Buffer.from(text, 'base64').toString('utf8') : '';
  return /^\s*\{/.test(decoded) ? readObject(decoded) : undefined;
}

const first_bytes = 16 * 1024;

/**
 * Undefined, without reading on, as soon as the body exceeds the limit. `raise` gets the first bytes beyond
 * `limit_bytes` and returns the limit from then on. Nothing is read after a piece that `isComplete`.
 */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit_bytes: number,
  {
    raise = () => limit_bytes,
    isComplete,
  }: {
    raise?: ((start: Buffer) => number) | undefined;
    isComplete?: ((piece: Uint8Array) => boolean) | undefined;
  } = {},
): Promise<Buffer | undefined> {
  // Doubled, so that the cost does not depend on the number of pieces.
  let read = Buffer.allocUnsafe(first_bytes);
  let size_bytes = 0;
  let raised_bytes: number | undefined;
  for await (const chunk of chunks) {
    const end = size_bytes + chunk.byteLength;
    if (end > read.length) read = Buffer.concat([read], Math.max(read.length * 2, end));
    read.set(chunk, size_bytes);
    size_bytes = end;
    if (size_bytes > limit_bytes) raised_bytes ??= raise(read.subarray(0, size_bytes));
    // Returning from the loop cancels the stream.
    if (size_bytes > (raised_bytes ?? limit_bytes)) return undefined;
    if (isComplete?.(chunk)) break;
  }
  return Buffer.from(read.subarray(0, size_bytes));
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array): string | undefined =>
  attempt(() => strictUtf8.decode(bytes));
