import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import compare from 'semver/functions/compare.js';
import valid from 'semver/functions/valid.js';
import yauzl from 'yauzl';
import { z } from 'zod';
import { cachedOnce } from '../../core/cached-once.ts';
import { own as ownMember, parseForeignJson } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { own, say } from '../../core/words.ts';
import { notAsked } from '../../net/answer.ts';

const event = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
});

/** The members of the OSV schema (1.7) that are read. */
const osv = z.object({
  id: z.string().regex(/^[\w.:-]{1,100}$/),
  withdrawn: z.string().optional(),
  summary: z.string().optional(),
  database_specific: z
    .object({ severity: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  affected: z.array(
    z.object({
      package: z.object({ ecosystem: z.string(), name: z.string() }),
      ranges: z.array(z.object({ type: z.string(), events: z.array(event) })).default([]),
      versions: z.array(z.string()).default([]),
    }),
  ),
});

/** An advisory (OSV) about a package; `severity` as it states it, may be empty. */
export type Advisory = Pick<z.output<typeof osv>['affected'][number], 'ranges' | 'versions'> & {
  readonly id: string;
  readonly summary: string;
  readonly severity: string;
};

/**
 * OSV's evaluation of one SEMVER range: events in the order of their versions, the last one at or before the version
 * decides; `last_affected` is the last version that is affected.
 */
function isInRange({ events }: Advisory['ranges'][number], version: string): boolean {
  const known = events
    .map(({ introduced, fixed, last_affected }) => ({
      at: introduced === '0' ? '0.0.0-0' : (introduced ?? fixed ?? last_affected ?? ''),
      begins: introduced !== undefined,
      includes: last_affected !== undefined,
    }))
    .toSorted((a, b) => compare(a.at, b.at));
  let isAffected = false;
  for (const { at, begins, includes } of known) {
    const order = compare(version, at);
    if (order < 0 || (order === 0 && includes)) break;
    isAffected = begins;
  }
  return isAffected;
}

const isComparable = ({ type, events }: Advisory['ranges'][number]): boolean =>
  type === 'SEMVER' &&
  events.every(({ introduced, fixed, last_affected }) => {
    const at = introduced ?? fixed ?? last_affected;
    return at === '0' || (at !== undefined && valid(at) !== null);
  });

/** PEP 440, in its spellings: epoch, release, pre-release, post-release, development release, local version. */
const pep440 =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|rc|a|b|c)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?$/;
const preReleases: Readonly<Record<string, string>> = {
  alpha: 'a',
  beta: 'b',
  c: 'rc',
  pre: 'rc',
  preview: 'rc',
};
const longestVersion = 100;

/** One text for all spellings of a version on PyPI, as `1.2`, `v1.2.0` and `1.2-0`; undefined for what is none. */
function toPypiKey(version: string): string | undefined {
  const text = version.trim().toLowerCase();
  const parts = text.length > longestVersion ? null : pep440.exec(text);
  if (!parts) return undefined;
  const [, epoch = '0', release = '', pre, preNumber, post, spelledPost, dev, devNumber, local = ''] = parts;
  const numbers = release
    .split('.')
    .map(Number)
    .join('.')
    .replace(/(?:\.0)+$/, '');
  return JSON.stringify([
    ...[Number(epoch), numbers],
    pre === undefined ? '' : `${ownMember(preReleases, pre) ?? pre}${Number(preNumber)}`,
    (post ?? spelledPost) === undefined ? '' : Number(post ?? spelledPost),
    dev === undefined ? '' : Number(devNumber),
    local.replace(/[-_]/g, '.'),
  ]);
}

/**
 * Whether an advisory (OSV) names a version: in its list of versions, which may spell one of PyPI in another way, or in a SEMVER range;
 * `unknown` where it states ranges that Dossier does not compare, or the version is none.
 */
export function affects(
  { versions, ranges }: Advisory,
  version: string,
  isOnPypi: boolean,
): 'yes' | 'no' | 'unknown' {
  const key = isOnPypi ? toPypiKey(version) : version;
  const isSame = (one: string) =>
    one === version || (isOnPypi && key !== undefined && toPypiKey(one) === key);
  if (versions.some(isSame)) return 'yes';
  const comparable = ranges.filter(isComparable);
  const isVersion = valid(version) !== null;
  if (isVersion && comparable.some((range) => isInRange(range, version))) return 'yes';
  const isListed = versions.length > 0 || ranges.length === 0;
  return (isListed && key !== undefined) || (isVersion && comparable.length === ranges.length)
    ? 'no'
    : 'unknown';
}

/** The name that a package is indexed under. PEP 503: PyPI's names differ neither in case nor in their separators. */
const toKey = (ecosystem: string, name: string): string =>
  `${ecosystem}\n${ecosystem === 'PyPI' ? name.toLowerCase().replace(/[-_.]+/g, '-') : name}`;

const short = (text: string | undefined) => toLine((text ?? '').slice(0, 400)).slice(0, 160);

/** What a file of OSV says about each package on npm and PyPI; nothing for a withdrawn advisory, or another text. */
function readAdvisory(text: string) {
  const { data } = osv.safeParse(parseForeignJson(text));
  if (!data || data.withdrawn) return [];
  const { id, summary, database_specific } = data;
  const severity = short(database_specific?.severity);
  return data.affected
    .filter(({ package: { ecosystem } }) => ecosystem === 'npm' || ecosystem === 'PyPI')
    .map(({ package: { ecosystem, name }, ranges, versions }) => ({
      ecosystem,
      key: toKey(ecosystem, name),
      json: JSON.stringify({ id, summary: short(summary), severity, ranges, versions } satisfies Advisory),
    }));
}

const longestFile_bytes = 1024 * 1024;

/** What a saved copy says about each package, one file after the other: that of an ecosystem has up to some hundred thousand. */
async function readCopy(path: string, savedAt_ms: number) {
  /** Advisories as compact JSON, by ecosystem and name: parsed when they are asked for. */
  const byPackage = new Map<string, string[]>();
  const ecosystems = new Set<string>();
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('.json') || entry.uncompressedSize > longestFile_bytes) continue;
      const file = await text(await zip.openReadStreamPromise(entry));
      for (const { ecosystem, key, json } of readAdvisory(file)) {
        ecosystems.add(ecosystem);
        const known = byPackage.get(key);
        if (known) known.push(json);
        else byPackage.set(key, [json]);
      }
    }
  } finally {
    zip.close();
  }
  return { savedAt_ms, byPackage, ecosystems };
}

/**
 * Answers from a saved copy of OSV (a zip of JSON files), read when it is first asked for and again when the file has
 * changed. Nothing is asked over the network. Never throws.
 */
export function createAdvisories(path: string) {
  const openSaved = cachedOnce((savedAt_ms) => readCopy(path, Number(savedAt_ms)));
  const open = async () => openSaved(String((await stat(path)).mtimeMs));
  return async (ecosystem: 'npm' | 'PyPI', name: string) => {
    if (path === 'off')
      return notAsked(own('This service is not configured with a copy of advisories (ADVISORIES).'));
    const copy = await open().catch(() => undefined);
    if (!copy) return notAsked(own('The copy of advisories (ADVISORIES) cannot be read.'));
    if (!copy.ecosystems.has(ecosystem))
      return notAsked(say`The copy of advisories (ADVISORIES) has none about packages on ${own(ecosystem)}.`);
    const found = copy.byPackage.get(toKey(ecosystem, name)) ?? [];
    return {
      result: 'advisories' as const,
      /** About the package, whatever its version. */
      found: found.map((json) => JSON.parse(json) as Advisory),
      /** The copy, and when it was saved. */
      source: `OSV (${basename(path)}, saved ${new Date(copy.savedAt_ms).toISOString().slice(0, 10)})`,
    };
  };
}
