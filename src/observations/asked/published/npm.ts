import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';
import valid from 'semver/functions/valid.js';
import { asMembers, type JsonObject } from '../../../core/json.ts';
import { day_ms } from '../../../core/text.ts';
import { code, own, say, name as term } from '../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
  chosenVersion,
  type Earlier,
  memberOf,
  noPackage,
  notDated,
  notFound,
  notStated,
  noVersion,
  type OfVersion,
  type PackageAnswer,
  type Published,
  toNewest,
  toPublished,
  toShort,
  toTime,
  withdrawn,
} from './document.ts';
import { filesOf } from './pypi.ts';
import type { RecordedPackage } from './recorded.ts';
import {
  licenceOfManifest,
  namesOfManifest,
  publisherOfManifest,
  repositoryOfManifest,
  scriptsOfManifest,
} from './stated.ts';

/** This name stays in lower case at the beginning of a sentence. */
const npm = term('npm');

const npmPath = (name: string): string => `/${name.replace('/', '%2f')}`;

function npmNames(maintainers: unknown): string[] | NoAnswer {
  const list = Array.isArray(maintainers) ? (maintainers as unknown[]) : [];
  const names = list.map((one) =>
    toShort(typeof one === 'string' ? one.replace(/\s*[<(].*$/s, '') : asMembers(one).name),
  );
  if (list.length === 0 || names.includes(undefined))
    return noAnswer(
      'nothing',
      say`${npm} names no maintainers of this package in a form that Dossier reads.`,
    );
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

export const isAttested = (version: unknown): boolean =>
  Object.keys(memberOf(memberOf(version, 'dist'), 'attestations')).length > 0;

const settled_ms = 7 * day_ms;

/** The highest version first. */
function publishedBefore(version: string, time: string, document: JsonObject): Earlier[] {
  const times = memberOf(document, 'time');
  const settled = new Date(Date.parse(time) - settled_ms).toISOString();
  return Object.entries(memberOf(document, 'versions'))
    .flatMap(([name, one]) => {
      const published_at = toTime(times[name]);
      if (published_at === undefined || published_at >= time || name.length > 100) return [];
      if (!valid(name) || prerelease(name) || (valid(version) && compare(name, version) >= 0)) return [];
      return [{ version: name, isSettled: published_at <= settled, document: asMembers(one) }];
    })
    .sort((a, b) => compare(b.version, a.version));
}

/** npm installs the version with the tag `latest` by default. */
function newestNpm(document: JsonObject): Published['newest'] {
  const version = toShort(memberOf(document, 'dist-tags').latest);
  if (version === undefined) return notStated(npm, own('which version is the newest'));
  return toNewest(version, toTime(memberOf(document, 'time')[version]));
}

/** npm marks a version with a message; an empty message removes the mark. */
function toDeprecation(stated: unknown): Published['deprecated'] {
  if (stated && typeof stated !== 'string')
    return noAnswer(
      'nothing',
      say`${npm} states the deprecation of this version in a form that Dossier does not read.`,
    );
  return withdrawn(toShort(stated) !== undefined, stated);
}

const ofVersion = (document: Published['document']) => ({
  version: toShort(document.version) ?? '',
  deprecated: toDeprecation(document.deprecated),
  names: namesOfManifest(document),
  repository: repositoryOfManifest(document),
  licence: licenceOfManifest(document),
  document,
});

const longestScript = 100;

function ofEach([version, one]: [string, unknown]): OfVersion {
  const document = asMembers(one);
  const deprecated = toDeprecation(document.deprecated);
  const scripts = Object.entries(scriptsOfManifest(document));
  return {
    version,
    ...(!('result' in deprecated) && { deprecated }),
    install_scripts: Object.fromEntries(scripts.map(([name, text]) => [name, text.slice(0, longestScript)])),
    published_by: publisherOfManifest(document) ?? null,
    attested: isAttested(document),
    licence: licenceOfManifest(document) ?? null,
  };
}

/** The document of the whole package may be larger than Dossier reads. */
async function readVersion(run: CheckRun, { name, version = 'latest' }: RecordedPackage) {
  const answer = toRegistered(
    await run.registry('npm', `${npmPath(name)}/${version}`),
    (document) => document.name === name && typeof document.version === 'string',
  );
  const tooLarge = notAsked(
    say`The npm document of ${code(name)} that states this is larger than Dossier reads.`,
  );
  const ofPackage = { name, version, maintainers: tooLarge, newest: tooLarge, versions: [] };
  if (answer.result === 'absent') return noVersion(npm, answer.response, ofPackage);
  if (answer.result !== 'document') return answer;
  return toPublished(answer.response, tooLarge, { name, ...ofVersion(answer.document) });
}

export async function readNpm(run: CheckRun, named: RecordedPackage): Promise<PackageAnswer> {
  const { name } = named;
  // npm installs 1.0.0 if v1.0.0 is named.
  const recorded = { ...named, version: valid(named.version) ?? named.version };
  const answer = toRegistered(
    await run.registry('npm', npmPath(name)),
    (sent) => sent.name === name && ('versions' in sent || 'time' in sent),
  );
  if (answer.result === 'absent') return noPackage(npm, answer.response, name);
  if (answer.result !== 'document') return answer.cause === 'too_large' ? readVersion(run, recorded) : answer;
  const { document, response } = answer;
  const newest = newestNpm(document);
  const times = memberOf(document, 'time');
  const isThere = (version: string) => Object.hasOwn(memberOf(document, 'versions'), version);
  const version = chosenVersion(recorded.version, newest);
  if (times.unpublished && !(typeof version === 'string' && isThere(version)))
    return notFound(npm, response, say`says that ${code(name)} was unpublished`);
  if (typeof version !== 'string') return version;
  const versions = Object.entries(memberOf(document, 'versions')).map(ofEach);
  const ofPackage = { name, version, maintainers: npmNames(document.maintainers), newest, versions };
  if (!isThere(version)) return noVersion(npm, response, ofPackage);
  const published_at = toTime(times[version]);
  return toPublished(response, notDated(npm), {
    ...ofPackage,
    ...ofVersion(memberOf(document.versions, version)),
    ...(published_at !== undefined && {
      published_at,
      earlier: publishedBefore(version, published_at, document),
    }),
  });
}

/** The Sigstore bundle must name the digest of the published file. */
export interface ServedProvenance {
  readonly result: 'served';
  readonly bundle: unknown;
  readonly digest: { readonly algorithm: 'sha512' | 'sha256'; readonly hex: string };
  readonly source_url: string;
}

/** `absent`: HTTP 404 or 410. `none`: no provenance that Dossier reads. */
type Served = ServedProvenance | NoAnswer | 'none' | 'absent';

const slsaProvenance = /^https:\/\/slsa\.dev\/provenance\//;

const itemsOf = (list: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(list) ? list.slice(0, 20).map(asMembers) : [];

export async function provenanceOfNpm(
  run: CheckRun,
  { name }: RecordedPackage,
  published: Published,
): Promise<Served> {
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
  const hex = Buffer.from(integrity?.[1] ?? '', 'base64').toString('hex');
  const digest = { algorithm: 'sha512' as const, hex };
  return { result: 'served', bundle: found.bundle, digest, source_url: answer.response.url };
}

/** Of an attestation of PyPI (PEP 740). */
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

export async function provenanceOfPypi(
  run: CheckRun,
  { name }: RecordedPackage,
  published: Published,
): Promise<Served> {
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
