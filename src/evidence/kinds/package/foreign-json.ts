import type { Fetched } from '../../observation/answer.ts';
import { asMembers, type JsonObject } from '../../text/json-object.ts';
import { toLine } from '../../text/sanitize.ts';

/** A member of a foreign object, as an object; inherited members do not count. */
export const memberOf = (object: unknown, name: string): JsonObject =>
  Object.hasOwn(asMembers(object), name) ? asMembers(asMembers(object)[name]) : {};

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
