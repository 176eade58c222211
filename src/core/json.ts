const deepest = 100;

/**
 * How many values a text of JSON has, or more: one for each `[`, `{` and `,` outside of its texts. Counting needs no
 * parsing, so that what has too many values is never parsed.
 */
export function countValues(text: string): number {
  let count = 1;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isInText && unit === 0x5c) at += 1;
    else if (unit === 0x22) isInText = !isInText;
    else if (!isInText && (unit === 0x2c || unit === 0x5b || unit === 0x7b)) count += 1;
  }
  return count;
}

/** Whether arrays and objects of a value are nested in more levels than the limit. */
export function isDeeperThan(limit: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isDeeperThan(limit - 1, inner));
  // Faster than Object.values: every message is checked.
  for (const name in value) if (isDeeperThan(limit - 1, (value as JsonObject)[name])) return true;
  return false;
}

/** A value of JSON with every text in it changed, names of members too. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]),
  );
}

/**
 * A value of JSON with U+FFFD in place of what a text cannot have here: a lone surrogate has no UTF-8 form, so it could
 * neither be digested (RFC 8785) nor sent, and PostgreSQL stores no NUL.
 */
export const toStorable = (value: unknown): unknown =>
  mapTexts(value, (text) => text.toWellFormed().replaceAll('\0', '\ufffd'));

const mayNeedReplacing = /\\u(0000|[dD][89a-fA-F])/;

/** What some work returns; undefined if it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The value that JSON parses to, as it can be stored. Throws a SyntaxError if it is no JSON. */
export function parseStorable(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('\\') && mayNeedReplacing.test(text) ? toStorable(value) : value;
}

/**
 * JSON of a foreign host as a value; undefined if it is none, or nested deeper than 100 levels. Lone surrogates and
 * NUL become U+FFFD.
 */
export function parseForeignJson(text: string): unknown {
  const value = attempt(() => parseStorable(text));
  return isDeeperThan(deepest, value) ? undefined : value;
}

/** A JSON object whose members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not null, no array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value if it is a JSON object; undefined for everything else. */
export const asObject = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** A value if it is a JSON object; an empty one for everything else. */
export const asMembers = (value: unknown): JsonObject => asObject(value) ?? {};

/** The JSON object that a text is; undefined if it is anything else. */
export const readObject = (text: string): JsonObject | undefined => asObject(parseForeignJson(text));

/** The same members, each changed. */
export const mapMembers = (value: object, change: (inner: unknown) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]));

/** A value that a table has under a name from outside; undefined for every other name, as `constructor`. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const base64 = /^[\w+/-]+={0,2}$/;

/** The JSON object that a base64 text (either alphabet) holds; undefined if it holds anything else. */
export const readBase64Object = (text: string): JsonObject | undefined =>
  base64.test(text) ? readObject(Buffer.from(text, 'base64').toString('utf8')) : undefined;

const first_bytes = 16 * 1024;

/**
 * Reads a body to its end; undefined as soon as it has more than `limit_bytes`, and the rest is not read. `raise` is asked
 * once for another limit, with what was read when the first one was passed. `isComplete` gets each piece as it arrives; where
 * what was read so far is enough, the rest is not read.
 */
export async function readBounded(
  chunks: AsyncIterable<Uint8Array>,
  limit_bytes: number,
  {
    raise = () => limit_bytes,
    isComplete,
  }: {
    raise?: ((start: Buffer) => number) | undefined;
    isComplete?: ((piece: Uint8Array) => boolean) | undefined;
  } = {},
): Promise<Buffer | undefined> {
  // One buffer that doubles: a body of a million pieces of one byte costs no more than its bytes.
  let read = Buffer.allocUnsafe(first_bytes);
  let size_bytes = 0;
  let raised_bytes: number | undefined;
  for await (const chunk of chunks) {
    const end = size_bytes + chunk.byteLength;
    if (end > read.length) read = Buffer.concat([read], Math.max(read.length * 2, end));
    read.set(chunk, size_bytes);
    size_bytes = end;
    if (size_bytes > limit_bytes) raised_bytes ??= raise(read.subarray(0, size_bytes));
    // Leaving the loop cancels the stream.
    if (size_bytes > (raised_bytes ?? limit_bytes)) return undefined;
    if (isComplete?.(chunk)) break;
  }
  return Buffer.from(read.subarray(0, size_bytes));
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of some bytes; undefined where they are not UTF-8. */
export const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array): string | undefined =>
  attempt(() => strictUtf8.decode(bytes));
