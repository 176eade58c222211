import { asMembers, type JsonObject } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { codes, own, say, type Words } from '../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer } from '../../net/answer.ts';

/** The newest version in a registry, with an RFC 3339 date. */
export type Newest = { readonly version: string; readonly published_at?: string };

/** A release before the recorded one. `isSettled` tells whether it is at least seven days older. */
export interface Earlier {
  readonly version: string;
  readonly isSettled: boolean;
  readonly document: JsonObject;
}

/**
 * The registry's statements about the version that a listing records, or about the newest if it records none.
 */
export interface Published {
  readonly result: 'published';
  /** The name as the registry spells it; some registries accept other spellings too. */
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly source_url: string;
  /** An RFC 3339 time, or the reason why it is not known. */
  readonly published_at: string | NoAnswer;
  /**
   * The registry's mark as deprecated, yanked or unlisted and its message, or the reason why that is not
   * known.
   */
  readonly deprecated:
    | { readonly deprecated: boolean; readonly unlisted?: true; readonly message?: string }
    | NoAnswer;
  /** The accounts that may publish, each once, sorted by name, or the reason why they are not known. */
  readonly maintainers: readonly string[] | NoAnswer;
  /** The version that the registry names as its newest, or the reason why it is not known. */
  readonly newest: Newest | NoAnswer;
  /** The handles of listings that the package names as its own, or the reason why they are not known. */
  readonly names: readonly string[] | NoAnswer;
  /** The repository that the package states, as `host/path`. */
  readonly repository: string | undefined;
  readonly licence: string | undefined;
  /**
   * Earlier releases (npm only), or the reason why they are not known. The first is the one to compare with.
   */
  readonly earlier: readonly Earlier[] | NoAnswer;
  /** The registry's own document about the version, which is untrusted. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Reads a member of a foreign object as an object; inherited members do not count. */
export const memberOf = (object: unknown, name: string): JsonObject =>
  Object.hasOwn(asMembers(object), name) ? asMembers(asMembers(object)[name]) : {};

/** Reduces foreign text to one line of at most 300 characters; undefined if nothing is left. */
export const toShort = (value: unknown): string | undefined =>
  typeof value === 'string' ? toLine(value.slice(0, 1000)).slice(0, 300) || undefined : undefined;

const mostNames = 20;

/**
 * Says a count and the first 20 names, as `2: alice, bob`. The value of a longer list is stored shortened, so
 * the count is separate.
 */
export function namesWords(count: number, names: readonly string[]): Words {
  const shown = names.slice(0, mostNames);
  const more = count - shown.length;
  if (count === 0) return own('none');
  return say`${count}: ${codes(shown)}${more > 0 ? say` and ${more} more` : own('')}`;
}

/**
 * Converts a time that a host states to RFC 3339; undefined if it is invalid or its year does not have four
 * digits.
 */
export function toTime(value: unknown): string | undefined {
  const time_ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const time = Number.isNaN(time_ms) ? undefined : new Date(time_ms).toISOString();
  return time && /^\d{4}-/.test(time) ? time : undefined;
}

export const sourceOf = ({ url }: Fetched) => ({ source: new URL(url).host, source_url: url });

/** Says that a registry does not have something; `what` is a phrase such as `has no package left-pad`. */
export const notFound = (registry: Words, response: Fetched, what: Words): NoAnswer =>
  noAnswer('absent', say`${registry} ${what}.`, sourceOf(response));

export const notStated = (by: Words, what: Words) => noAnswer('nothing', say`${by} does not state ${what}.`);

/** Warns that others may register a missing package, unless its name is in a scope. */
export const freeNameWarning = (name: string) =>
  name.startsWith('@') ? own('') : own('; a name that is free can be registered by others');
