import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';
import valid from 'semver/functions/valid.js';
import { asMembers, type Json, type JsonObject } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { code, codes, own, say, name as term, type Words } from '../../core/words.ts';
import { isImageType } from '../../listings/package.ts';
import {
  type Fetched,
  type NoAnswer,
  noAnswer,
  notAsked,
  type Registered,
  toRegistered,
} from '../../net/answer.ts';
import type { Finding, RecordedSubject } from '../observation.ts';
import { type Found, withoutAnswer } from '../remotes.ts';
import type { Run, Subject } from '../run.ts';

/** What a registry publishes of the version that a listing records, or of the newest one where it records none. */
export interface Published {
  readonly result: 'published';
  readonly version: string;
  readonly source: string;
  readonly source_url: string;
  /** RFC 3339, or why it is not known. */
  readonly published_at: string | NoAnswer;
  /** Whether the registry marks the version as deprecated or yanked, and in which words, or why that is not known. */
  readonly deprecated: { readonly deprecated: boolean; readonly message?: string } | NoAnswer;
  /** Accounts that may publish it, each once, in the order of their names, or why they are not known. */
  readonly maintainers: readonly string[] | NoAnswer;
  /** Releases before this one, the one to compare with first, or why they are not known; npm only. */
  readonly earlier: ReturnType<typeof publishedBefore> | NoAnswer;
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

/** How many there are and the first 20 of them, as `2: alice, bob`; of a longer list, a value holds the names that fit into 1 KiB. */
export function namesWords(count: number, names: readonly string[]): Words {
  const shown = names.slice(0, mostNames);
  const more = count - shown.length;
  if (count === 0) return own('none');
  return say`${count}: ${codes(shown)}${more > 0 ? say` and ${more} more` : own('')}`;
}

function toTime(value: unknown): string | undefined {
  const time_ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time_ms) ? undefined : new Date(time_ms).toISOString();
}

/** How sources name a registry: by its host. */
export const sourceOf = ({ url }: Fetched) => ({ source: new URL(url).host, source_url: url });

/** That a registry, by its public name, does not have what was asked for, as `npm` `has no package left-pad`. */
export const notFound = (registry: Words, response: Fetched, what: Words): NoAnswer =>
  noAnswer('absent', say`${registry} ${what}.`, sourceOf(response));

/** A recorded package of a registry that Dossier can read, named as its observations name it. */
export interface RecordedPackage {
  /** As `npm:@scope/name`. */
  readonly subject: string;
  /** With the recorded version, as `npm:@scope/name@1.0.0`. */
  readonly recorded: string;
  readonly type: 'npm' | 'pypi' | 'oci';
  readonly name: string;
  readonly version: string | undefined;
}

const mostPackages = 10;

const forms: Readonly<Record<RecordedPackage['type'], RegExp>> = {
  npm: /^(?:@[\w.~-]{1,100}\/)?(?![._])[\w.~-]{1,214}$/,
  pypi: /^[a-z\d](?:[\w.-]{0,98}[a-z\d])?$/i,
  oci: /^[\w./:@-]{1,300}$/,
};
/** Not `.` or `..`, which would be other addresses of the registry. */
const versionForm = /^(?!\.{1,2}$)[\w.!+~-]{1,100}$/;

const isType = (type: string): type is RecordedPackage['type'] => Object.hasOwn(forms, type);

/** A recorded package by the names of its facts; undefined for one of another registry, or with no valid name. */
export function toPackage({
  registry_type,
  registry_base_url,
  identifier,
  version,
}: Subject['packages'][number]): RecordedPackage | undefined {
  const type = isImageType(registry_type) ? 'oci' : registry_type.toLowerCase();
  // A package of another registry is never looked up in the usual one.
  if (registry_base_url !== undefined || !isType(type) || !forms[type].test(identifier)) return undefined;
  const isVersion = version !== undefined && version !== 'latest' && versionForm.test(version);
  const subject = `${type}:${identifier}`;
  const named = { type, name: identifier, subject, recorded: `${subject}@${version ?? ''}` };
  return { ...named, version: isVersion ? version : undefined };
}

/** The recorded packages on these registries, all of them; those with no valid name are left out. */
export const packagesOn =
  (...types: RecordedPackage['type'][]) =>
  ({ packages }: Pick<Subject, 'packages'>): RecordedSubject[] =>
    packages
      .flatMap((one) => toPackage(one) ?? [])
      .filter(({ type }) => types.includes(type))
      .map(({ subject, recorded }) => ({ subject, recorded }));

/** The recorded packages that are checked: on npm, PyPI and OCI registries, each name once, at most ten. */
export function readablePackages({ packages }: Pick<Subject, 'packages'>): RecordedPackage[] {
  const known = packages.flatMap((recorded) => toPackage(recorded) ?? []);
  const bySubject = new Map(known.toReversed().map((one) => [one.subject, one]));
  return known.filter((one) => bySubject.get(one.subject) === one).slice(0, mostPackages);
}

/** Takes an image's name apart, as `ghcr.io/owner/name:1.0`; without a host it is on docker.io. `reference`: a tag or digest. */
export function toImage({ name: identifier, version }: RecordedPackage) {
  const parts =
    /^(?:([a-z\d.-]+\.[a-z]{2,}(?::\d+)?|localhost:\d+)\/)?([a-z\d][a-z\d._/-]*?)(?::([\w.-]{1,128}))?(?:@(sha256:[\da-f]{64}))?$/.exec(
      identifier,
    );
  const [, host = 'docker.io', path = '', tag, digest] = parts ?? [];
  if (path === '' || path.includes('..')) return undefined;
  const name = host === 'docker.io' && !path.includes('/') ? `library/${path}` : path;
  return { host, name, reference: digest ?? tag ?? version ?? 'latest' };
}

/** It keeps its small letter at the beginning of a sentence. */
const npm = term('npm');

/** The path of a package; a scope's slash is encoded. */
const npmPath = (name: string): string => `/${name.replace('/', '%2f')}`;

const notStated = (by: Words, what: Words) => noAnswer('nothing', say`${by} does not state ${what}.`);

/** Of a name that is not in a scope: others than the publisher can take it. */
const free = (name: string) =>
  name.startsWith('@') ? own('') : own('; a name that is free can be registered by others');

/** The names of maintainers, as objects or in the older form `name <address>`; a list in another form is not read as an empty one. */
function namesOf(maintainers: unknown): string[] | NoAnswer {
  const list = Array.isArray(maintainers) ? (maintainers as unknown[]) : [];
  const names = list.map((one) =>
    toShort(typeof one === 'string' ? one.replace(/\s*[<(].*$/s, '') : asMembers(one).name),
  );
  if (list.length === 0 || names.includes(undefined))
    return notStated(npm, own('in a form that Dossier knows who maintains this package'));
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Whether npm has attestations of a version. */
export const isAttested = (version: unknown): boolean =>
  Object.keys(memberOf(memberOf(version, 'dist'), 'attestations')).length > 0;

const settled_ms = 7 * 86_400_000;

/**
 * The releases of a package below a version (SemVer, without prereleases) that were published before it; those at least seven days
 * before it (`isSettled`) come first, then the highest: a publisher that takes over a package may publish more than once.
 */
function publishedBefore(version: string, time: string, document: JsonObject) {
  const times = memberOf(document, 'time');
  const settled = new Date(Date.parse(time) - settled_ms).toISOString();
  return Object.entries(memberOf(document, 'versions'))
    .flatMap(([name, one]) => {
      const published_at = toTime(times[name]);
      if (published_at === undefined || published_at >= time || name.length > 100) return [];
      if (!valid(name) || prerelease(name) || (valid(version) && compare(name, version) >= 0)) return [];
      return [{ version: name, isSettled: published_at <= settled, document: asMembers(one) }];
    })
    .sort((a, b) => Number(b.isSettled) - Number(a.isSettled) || compare(b.version, a.version));
}

/** npm states words; an empty text takes the mark away. */
function toDeprecation(stated: unknown): Published['deprecated'] {
  if (stated && typeof stated !== 'string')
    return notStated(npm, own('in a form that Dossier knows whether this version is deprecated'));
  const message = toShort(stated);
  return message === undefined ? { deprecated: false } : { deprecated: true, message };
}

/** What a version's own document says, with what only the package's document says. */
const toPublishedOnNpm = (
  response: Fetched,
  document: Published['document'],
  ofPackage: Pick<Published, 'published_at' | 'maintainers' | 'earlier'>,
): Published => ({
  result: 'published',
  version: toShort(document.version) ?? '',
  ...sourceOf(response),
  deprecated: toDeprecation(document.deprecated),
  ...ofPackage,
  document,
});

/** Reads the version's own document where that of the whole package is too large. */
async function readVersion(run: Run, { name, version = 'latest' }: RecordedPackage) {
  const answer = toRegistered(
    await run.registry('npm', `${npmPath(name)}/${version}`),
    (document) => document.name === name && typeof document.version === 'string',
  );
  if (answer.result === 'absent')
    return notFound(npm, answer.response, say`has no version ${code(version)} of ${code(name)}`);
  if (answer.result !== 'document') return answer;
  const tooLarge = notAsked(
    say`The npm document of ${code(name)} that states this is larger than the 2 MiB that Dossier reads.`,
  );
  return toPublishedOnNpm(answer.response, answer.document, {
    published_at: tooLarge,
    maintainers: tooLarge,
    earlier: tooLarge,
  });
}

/** What npm says of a package: from the document of the package, or of the version where that is over 2 MiB. */
async function readNpm(run: Run, recorded: RecordedPackage): Promise<Published | NoAnswer> {
  const { name } = recorded;
  const answer = toRegistered(
    await run.registry('npm', npmPath(name)),
    (sent) => sent.name === name && ('versions' in sent || 'time' in sent),
  );
  if (answer.result === 'absent')
    return notFound(npm, answer.response, say`has no package ${code(name)}${free(name)}`);
  if (answer.result !== 'document') return answer.cause === 'too_large' ? readVersion(run, recorded) : answer;
  const { document, response } = answer;
  const version = recorded.version ?? toShort(memberOf(document, 'dist-tags').latest) ?? '';
  const times = memberOf(document, 'time');
  if (!Object.hasOwn(memberOf(document, 'versions'), version))
    return notFound(
      npm,
      response,
      times.unpublished
        ? say`says that ${code(name)} was unpublished`
        : say`has no version ${code(version)} of ${code(name)}`,
    );
  const published_at = toTime(times[version]);
  return toPublishedOnNpm(response, memberOf(document.versions, version), {
    published_at: published_at ?? notStated(npm, own('when this version was published')),
    maintainers: namesOf(document.maintainers),
    earlier:
      published_at === undefined
        ? notStated(npm, own('when this version was published'))
        : publishedBefore(version, published_at, document),
  });
}

const filesOf = ({ urls }: Published['document']): Published['document'][] =>
  Array.isArray(urls) ? urls.map(asMembers) : [];

/** PEP 592: a release is yanked by its files; PyPI also says it of the release. */
function toPublishedOnPypi({ response, document }: Extract<Registered, { result: 'document' }>): Published {
  const info = memberOf(document, 'info');
  const message = toShort(info.yanked_reason);
  const isYanked = info.yanked === true;
  const times = filesOf(document).flatMap((file) => toTime(file.upload_time_iso_8601) ?? []);
  return {
    result: 'published',
    version: toShort(info.version) ?? '',
    ...sourceOf(response),
    published_at:
      times.toSorted()[0] ?? notStated(own('The JSON of PyPI'), own('when this version was published')),
    deprecated: { deprecated: isYanked, ...(isYanked && message !== undefined && { message }) },
    maintainers: notStated(own('The JSON of PyPI'), own('which accounts may publish')),
    earlier: [],
    document,
  };
}

/** What PyPI says of a package: the JSON of the release, which lists only its own files. */
async function readPypi(run: Run, { name, version }: RecordedPackage): Promise<Published | NoAnswer> {
  const answer = toRegistered(
    await run.registry('pypi', `/pypi/${name}/${version === undefined ? '' : `${version}/`}json`),
    (document) => typeof memberOf(document, 'info').version === 'string' && Array.isArray(document.urls),
  );
  if (answer.result === 'document') return toPublishedOnPypi(answer);
  if (answer.result !== 'absent') return answer;
  return notFound(
    own('PyPI'),
    answer.response,
    version === undefined
      ? say`has no package ${code(name)}${free(name)}`
      : say`has no version ${code(version)} of a package ${code(name)}`,
  );
}

const read = new WeakMap<Run, Map<string, Promise<Published | NoAnswer>>>();

/** What a registry says of a recorded package on npm or PyPI, read once for each run. */
export function readPublished(run: Run, recorded: RecordedPackage): Promise<Published | NoAnswer> {
  const known = read.get(run) ?? new Map<string, Promise<Published | NoAnswer>>();
  read.set(run, known);
  const reading = known.get(recorded.recorded);
  const published = reading ?? (recorded.type === 'npm' ? readNpm(run, recorded) : readPypi(run, recorded));
  known.set(recorded.recorded, published);
  return published;
}

/** One fact for each recorded package of these registries, about the recorded version if the fact says nothing else. */
export const ofPackages = <const Value extends Json>(
  types: readonly RecordedPackage['type'][],
  toFinding: (recorded: RecordedPackage, run: Run) => Promise<Finding<Value>>,
) => ({
  about: packagesOn(...types),
  restsOn: 'package' as const,
  check: (run: Run): Promise<readonly Finding<Value>[]> =>
    Promise.all(
      readablePackages(run.listing)
        .filter(({ type }) => types.includes(type))
        .map(async (one) => ({
          ...{ recorded: one.recorded, ...(await toFinding(one, run)), subject: one.subject },
        })),
    ),
});

/** One fact for each recorded package of these registries whose version is published there. */
export const ofPublished = <const Value extends Json>(
  types: readonly RecordedPackage['type'][],
  toFinding: (published: Published) => Found<Value> | NoAnswer,
) =>
  ofPackages(types, async (recorded, run): Promise<Finding<Value>> => {
    const published = await readPublished(run, recorded);
    if (published.result !== 'published') return withoutAnswer(published);
    const { source, source_url } = published;
    const finding = toFinding(published);
    return { ...('result' in finding ? withoutAnswer(finding) : finding), source, source_url };
  });

/** The provenance that a registry serves of a version: a Sigstore bundle, and the digest of the file that it must name. */
export interface ServedProvenance {
  readonly result: 'served';
  readonly bundle: unknown;
  readonly digest: { readonly algorithm: 'sha512' | 'sha256'; readonly hex: string };
  readonly source_url: string;
}

/** `absent`: the registry has none at the place of the provenance (404); `none`: its documents name none. */
type Served = ServedProvenance | NoAnswer | 'none' | 'absent';

const slsaProvenance = /^https:\/\/slsa\.dev\/provenance\//;

const itemsOf = (list: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(list) ? list.slice(0, 20).map(asMembers) : [];

const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

/** npm: `GET /-/npm/v1/attestations/<name>@<version>`; the digest is the version's `dist.integrity`. */
async function ofNpm(run: Run, { name }: RecordedPackage, published: Published): Promise<Served> {
  const { version, document } = published;
  if (!isAttested(document)) return 'none';
  const answer = toRegistered(
    await run.registry('npm', `/-/npm/v1/attestations${npmPath(name)}@${version}`),
    ({ attestations }) => Array.isArray(attestations),
  );
  if (answer.result === 'absent') return 'absent';
  if (answer.result !== 'document') return answer;
  const found = itemsOf(answer.document.attestations).find(({ predicateType }) =>
    slsaProvenance.test(String(predicateType)),
  );
  if (!found) return 'none';
  const integrity = /(?:^|\s)sha512-([A-Za-z\d+/=]+)/.exec(String(memberOf(document, 'dist').integrity));
  const digest = { algorithm: 'sha512' as const, hex: toHex(integrity?.[1] ?? '') };
  return { result: 'served', bundle: found.bundle, digest, source_url: answer.response.url };
}

/** An attestation of PEP 740 in the form of a Sigstore bundle. */
function toBundle(attestation: unknown): unknown {
  const { certificate, transparency_entries } = memberOf(attestation, 'verification_material');
  const { statement, signature } = memberOf(attestation, 'envelope');
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { certificate: { rawBytes: certificate }, tlogEntries: transparency_entries },
    dsseEnvelope: {
      payload: statement,
      payloadType: 'application/vnd.in-toto+json',
      signatures: [{ sig: signature, keyid: '' }],
    },
  };
}

/** PyPI: `GET /integrity/<project>/<version>/<file>/provenance` (PEP 740) of the release's first file. */
async function ofPypi(run: Run, { name }: RecordedPackage, published: Published): Promise<Served> {
  const { version, document } = published;
  const [file] = filesOf(document);
  const filename = String(file?.filename ?? '');
  if (!/^[\w.+!-]{1,300}$/.test(filename)) return 'none';
  const answer = toRegistered(
    await run.registry('pypi', `/integrity/${name}/${version}/${filename}/provenance`),
    ({ attestation_bundles }) => Array.isArray(attestation_bundles),
  );
  if (answer.result === 'absent') return 'absent';
  if (answer.result !== 'document') return answer;
  const [first] = itemsOf(answer.document.attestation_bundles);
  const [attestation] = itemsOf(first?.attestations);
  if (!attestation) return 'none';
  const digest = { algorithm: 'sha256' as const, hex: String(memberOf(file, 'digests').sha256) };
  return { result: 'served', bundle: toBundle(attestation), digest, source_url: answer.response.url };
}

/** The provenance that a registry serves of a published version. */
export const readProvenance = (run: Run, recorded: RecordedPackage, published: Published): Promise<Served> =>
  recorded.type === 'npm' ? ofNpm(run, recorded, published) : ofPypi(run, recorded, published);
