import { parseForeignJson } from './foreign-json.ts';

/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not null, no array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value if it is a JSON object; undefined for everything else. */
export const asObject = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** A value if it is a JSON object; an empty one for everything else. */
export const asMembers = (value: unknown): JsonObject => asObject(value) ?? {};

/** The JSON object that a text is; undefined if it is anything else. */
export function readObject(text: string): JsonObject | undefined {
  return asObject(parseForeignJson(text));
}

/** A value that a table has under a name from outside; undefined for every other name, as `constructor`. */
export const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const base64 = /^[\w+/-]+={0,2}$/;

/** The JSON object that a base64 text (either alphabet) holds; undefined if it holds anything else. */
export const readBase64Object = (text: string): JsonObject | undefined =>
  base64.test(text) ? readObject(Buffer.from(text, 'base64').toString('utf8')) : undefined;
