import { asMembers, type JsonObject } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { codes, own, say, type Words } from '../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer } from '../../net/answer.ts';

/** The newest version in a registry; the date is RFC 3339. */
export type Newest = { readonly version: string; readonly published_at?: string };

/** A release before another one; `isSettled`: it was published at least seven days before it. */
export interface Earlier {
  readonly version: string;
  readonly isSettled: boolean;
  readonly document: JsonObject;
}

/**
 * What a registry publishes of the version that a listing records, or of the newest one where it records
 * none.
 */
export interface Published {
  readonly result: 'published';
  /** As the registry spells it: some find a package by other spellings of its name too. */
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly source_url: string;
  /** RFC 3339, or why it is not known. */
  readonly published_at: string | NoAnswer;
  /**
   * Whether the registry marks the version as deprecated, yanked or unlisted, and in which words, or why that
   * is not known.
   */
  readonly deprecated:
    | { readonly deprecated: boolean; readonly unlisted?: true; readonly message?: string }
    | NoAnswer;
  /** Accounts that may publish it, each once, in the order of their names, or why they are not known. */
  readonly maintainers: readonly string[] | NoAnswer;
  /**
   * The version that the registry names as its newest, and when that was published, or why it is not known.
   */
  readonly newest: Newest | NoAnswer;
  /** The handles of listings that the package names as its own, or why they are not known. */
  readonly names: readonly string[] | NoAnswer;
  /** The repository that the package states, as `host/path`. */
  readonly repository: string | undefined;
  /** The licence as the package states it, at most 100 characters. */
  readonly licence: string | undefined;
  /** Releases before this one, the one to compare with first, or why they are not known; npm only. */
  readonly earlier: readonly Earlier[] | NoAnswer;
  /** The registry's own document of the version: untrusted. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** A member of a foreign object, as an object; inherited members do not count. */
export const memberOf = (object: unknown, name: string): JsonObject =>
  Object.hasOwn(asMembers(object), name) ? asMembers(asMembers(object)[name]) : {};

/** Foreign text on one line of at most 300 characters; undefined if there is none. */
export const toShort = (value: unknown): string | undefined =>
  typeof value === 'string' ? toLine(value.slice(0, 1000)).slice(0, 300) || undefined : undefined;

const mostNames = 20;

/**
 * How many there are and the first 20 of them, as `2: alice, bob`; of a longer list, a value holds the names
 * that fit into 1 KiB.
 */
export function namesWords(count: number, names: readonly string[]): Words {
  const shown = names.slice(0, mostNames);
  const more = count - shown.length;
  if (count === 0) return own('none');
  return say`${count}: ${codes(shown)}${more > 0 ? say` and ${more} more` : own('')}`;
}

/** A time that a host states, as RFC 3339; undefined for what is none, or is not in a year of four digits. */
export function toTime(value: unknown): string | undefined {
  const time_ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const time = Number.isNaN(time_ms) ? undefined : new Date(time_ms).toISOString();
  return time && /^\d{4}-/.test(time) ? time : undefined;
}

/** How sources name a registry: by its host. */
export const sourceOf = ({ url }: Fetched) => ({ source: new URL(url).host, source_url: url });

/**
 * That a registry, by its public name, does not have what was asked for, as `npm` `has no package left-pad`.
 */
export const notFound = (registry: Words, response: Fetched, what: Words): NoAnswer =>
  noAnswer('absent', say`${registry} ${what}.`, sourceOf(response));

/** That a registry, by its public name, does not state something. */
export const notStated = (by: Words, what: Words) => noAnswer('nothing', say`${by} does not state ${what}.`);

/** Of a name that is not in a scope: others than the publisher can take it. */
export const free = (name: string) =>
  name.startsWith('@') ? own('') : own('; a name that is free can be registered by others');
