import { asMembers, type JsonObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { code, codes, own, say, type Words } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer } from '../../../net/answer.ts';

export type Newest = { readonly version: string; readonly published_at?: string };

/** `isSettled`: at least seven days older than the compared version. */
export interface Earlier {
  readonly version: string;
  readonly isSettled: boolean;
  readonly document: JsonObject;
}

/** What does not depend on the recorded version. */
export interface OfPackage {
  /** For NuGet and crates.io in the spelling of the registry. */
  readonly name: string;
  /** The recorded one, whether there or not, or else the registry's default. */
  readonly version: string;
  readonly maintainers: readonly string[] | NoAnswer;
  readonly newest: Newest | NoAnswer;
  /** All that the registry has, if it states them. */
  readonly versions: readonly OfVersion[];
}

/** What the document of the whole package states of a version; null if none, absent if it does not tell. */
export interface OfVersion {
  readonly version: string;
  readonly deprecated?: WithdrawnMark;
  readonly install_scripts?: Readonly<Record<string, string>>;
  readonly published_by?: string | null;
  /** Whether it states provenance, which may be forged. */
  readonly attested?: boolean;
  readonly licence?: string | null;
}

export type WithdrawnMark = {
  readonly deprecated: boolean;
  /** NuGet leaves the version out of its lists. */
  readonly unlisted?: true;
  readonly message?: string;
};

/** The registry has the package without the recorded version. */
export interface NoVersion extends NoAnswer {
  readonly of_package: OfPackage;
}

export type PackageAnswer = Published | NoVersion | NoAnswer;

/** About the recorded version, or else the registry's default version. */
export interface Published extends OfPackage {
  readonly result: 'published';
  readonly source: string;
  readonly source_url: string;
  readonly published_at: string | NoAnswer;
  readonly deprecated: WithdrawnMark | NoAnswer;
  /** The handles of the listings to which the package says that it belongs. */
  readonly names: readonly string[] | NoAnswer;
  readonly repository: string | undefined;
  readonly licence: string | undefined;
  /** Only from npm, the highest first. */
  readonly earlier: readonly Earlier[] | NoAnswer;
  /** The registry's own, untrusted document about the version. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Empty if the member is inherited or no object. */
export const memberOf = (object: unknown, name: string): JsonObject =>
  Object.hasOwn(asMembers(object), name) ? asMembers(asMembers(object)[name]) : {};

export const toShort = (value: unknown): string | undefined =>
  typeof value === 'string' ? toLine(value.slice(0, 1000)).slice(0, 300) || undefined : undefined;

const mostNames = 20;

/** A long list of names is stored shortened, so `count` is separate. */
export function namesWords(count: number, names: readonly string[]): Words {
  return count === 0 ? own('none') : say`${count}: ${codes(names, mostNames, count)}`;
}

export function toTime(value: unknown): string | undefined {
  const time_ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  const time = Number.isNaN(time_ms) ? undefined : new Date(time_ms).toISOString();
  return time && /^\d{4}-/.test(time) ? time : undefined;
}

export const sourceOf = ({ url }: Fetched) => ({ source: new URL(url).host, source_url: url });

/** Such as `has no package left-pad`. */
export const notFound = (registry: Words, response: Fetched, what: Words): NoAnswer =>
  noAnswer('absent', say`${registry} ${what}.`, sourceOf(response));

/** Only the owner of a scope of npm can register a name in it. */
export const noPackage = (registry: Words, response: Fetched, name: string, noun = own('package')) =>
  notFound(
    registry,
    response,
    say`has no ${noun} ${code(name)}${!name.startsWith('@') && own('; a name that is free can be registered by others')}`,
  );

export const noVersion = (registry: Words, response: Fetched, of_package: OfPackage): NoVersion => ({
  ...notFound(
    registry,
    response,
    say`has no version ${code(of_package.version)} of ${code(of_package.name)}`,
  ),
  of_package,
});

export const notStated = (by: Words, what: Words) => noAnswer('nothing', say`${by} does not state ${what}.`);
export const notDated = (by: Words) => notStated(by, own('when this version was published'));

export const toNewest = (version: string, published_at: string | undefined): Newest => ({
  version,
  ...(published_at !== undefined && { published_at }),
});

/** The recorded version, or else the newest. */
export const chosenVersion = (recorded: string | undefined, newest: Published['newest']): string | NoAnswer =>
  recorded ?? ('result' in newest ? newest : newest.version);

export const withdrawn = (deprecated: boolean, message: unknown): WithdrawnMark => ({
  deprecated,
  ...(deprecated && toShort(message) !== undefined && { message: toShort(message) as string }),
});

/** `other` stands for all that is not given. */
export const toPublished = (
  response: Fetched,
  other: NoAnswer,
  stated: Pick<Published, 'name' | 'version' | 'document'> & Partial<Published>,
): Published => ({
  result: 'published',
  ...sourceOf(response),
  published_at: other,
  deprecated: other,
  maintainers: other,
  newest: other,
  versions: [],
  names: other,
  earlier: other,
  repository: undefined,
  licence: undefined,
  ...stated,
});
