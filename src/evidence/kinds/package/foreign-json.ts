import type { Fetched, NoAnswer } from '../../observation/answer.ts';
import { parseForeignJson } from '../../text/foreign-json.ts';
import { asMembers, type JsonObject } from '../../text/json-object.ts';
import { toLine } from '../../text/sanitize.ts';

/** A member of a foreign object, as an object; inherited members do not count. */
export const memberOf = (object: unknown, name: string): JsonObject =>
  Object.hasOwn(asMembers(object), name) ? asMembers(asMembers(object)[name]) : {};

const documents = new WeakMap<Fetched, JsonObject>();

/** The JSON object that a response holds; empty if it holds none. Parsed once for each response. */
export function toDocument(response: Fetched): JsonObject {
  const known = documents.get(response);
  if (known) return known;
  const document = asMembers(parseForeignJson(response.text));
  documents.set(response, document);
  return document;
}

/** Foreign text on one line of at most 300 characters; undefined if there is none. */
export const toShort = (value: unknown): string | undefined =>
  typeof value === 'string' ? toLine(value.slice(0, 1000)).slice(0, 300) || undefined : undefined;

/** Foreign text as a time, RFC 3339; undefined if it is none. */
export function toTime(value: unknown): string | undefined {
  const time_ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time_ms) ? undefined : new Date(time_ms).toISOString();
}

/** How sources name a registry: by its host. */
export const sourceOf = ({ url }: Fetched) => ({ source: new URL(url).host, source_url: url });

/** Why a response that is neither 200 nor 404 says nothing. */
export function unusable({ url, status }: Fetched): NoAnswer {
  const result = status === 401 || status === 403 ? 'refused' : 'unreachable';
  return { result, reason: `${new URL(url).host} answered with HTTP status ${status}.` };
}
