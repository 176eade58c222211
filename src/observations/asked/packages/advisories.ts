import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { cachedOnce } from '../../../core/cached-once.ts';
import { type JsonObject, parseForeignJson } from '../../../core/json.ts';
import { dayText, isWebAddress } from '../../../core/text.ts';
import { code, own, say } from '../../../core/words.ts';
import { type NoAnswer, noAnswer, notAsked, toRegistered } from '../../../net/answer.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
import { type Advisory, type FoundAdvisories, readAdvisory, toKey, toOsvName } from './osv.ts';
import { type Ecosystem, isEcosystem, type Registry } from './version-order.ts';

const longestFile_bytes = 1024 * 1024;

/** An ecosystem may have hundreds of thousands of advisories. */
async function readCopy(path: string, savedAt_ms: number) {
  /** As JSON, parsed on demand. */
  const byPackage = new Map<string, string[]>();
  const ecosystems = new Set<string>();
  const withdrawn = new Map<string, string>();
  let unread = 0;
  const zip = await yauzl.openPromise(path, { lazyEntries: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('.json')) continue;
      const isRead = entry.uncompressedSize <= longestFile_bytes;
      const file = isRead ? await text(await zip.openReadStreamPromise(entry)) : '';
      const read = readAdvisory(parseForeignJson(file));
      if (!read || read.unread) unread += 1;
      if (read?.withdrawn) withdrawn.set(read.withdrawn.id, read.withdrawn.on);
      for (const { ecosystem, key, advisory } of read?.about ?? []) {
        if (!isEcosystem(ecosystem)) continue;
        ecosystems.add(ecosystem);
        const known = byPackage.get(key);
        const json = JSON.stringify(advisory);
        if (known) known.push(json);
        else byPackage.set(key, [json]);
      }
    }
  } finally {
    zip.close();
  }
  return { savedAt_ms, byPackage, ecosystems, withdrawn, unread };
}

/** Read on first use, and again after the zip changed. The returned function never throws. */
function openAdvisoryCopy(path: string) {
  const openSaved = cachedOnce((savedAt_ms) => readCopy(path, Number(savedAt_ms)));
  const open = async () => openSaved(String((await stat(path)).mtimeMs));
  return async ({ ecosystem, name, told }: AskedPackage) => {
    const copy = await open().catch(() => undefined);
    if (!copy) return notAsked(own('The copy of advisories (ADVISORIES) cannot be read.'));
    if (!copy.ecosystems.has(ecosystem))
      return notAsked(say`The copy of advisories (ADVISORIES) has none about packages on ${own(ecosystem)}.`);
    const found = copy.byPackage.get(toKey(ecosystem, name)) ?? [];
    const savedOn = dayText(new Date(copy.savedAt_ms));
    const unread = copy.unread === 0 ? '' : `; ${copy.unread} of its files could not be read in full`;
    return {
      result: 'advisories',
      found: found.map((json) => JSON.parse(json) as Advisory),
      isOfVersion: false,
      withdrawn: Object.fromEntries([...copy.withdrawn].filter(([id]) => told.includes(id))),
      saved_on: savedOn,
      source: `OSV (${basename(path)}, saved ${savedOn}${unread})`,
    } satisfies FoundAdvisories;
  };
}

export interface AskedPackage {
  readonly registry: Registry;
  readonly ecosystem: Ecosystem;
  readonly name: string;
  /** Sent only if the advisories about all versions are too much to read. */
  readonly version: string | undefined;
  /** The ids that the last check found. */
  readonly told: readonly string[];
}

/** Of the told ones that are no longer found, so many are asked for. */
const mostGone = 10;

/** If a package has more pages of advisories than this, only advisories about its version are asked for. */
const mostPages = 3;
const longestToken = 2000;

/** OSV sends an empty object if there are no advisories. */
const isPage = ({ vulns, next_page_token: _, ...others }: JsonObject) =>
  vulns === undefined ? Object.keys(others).length === 0 : Array.isArray(vulns) && others.code === undefined;

/** Asks an OSV API (https://google.github.io/osv.dev/post-v1-query/). */
function openOsvApi(base: string, ask: PoliteFetch) {
  const url = `${base}/v1/query`;
  const { host } = new URL(url);
  const tooMany = (what: AskedPackage) =>
    noAnswer(
      'otherwise',
      say`${code(host)} has more advisories about ${code(what.name)} than Dossier reads.`,
      { cause: 'too_large' },
    );
  const unreadable = (what: AskedPackage) =>
    noAnswer(
      'otherwise',
      say`${code(host)} listed something about ${code(what.name)} that is not an advisory in the OSV format.`,
    );
  const readPages = async (
    asked: AskedPackage,
    isOfVersion: boolean,
  ): Promise<FoundAdvisories | NoAnswer> => {
    const { ecosystem, name, version } = asked;
    const query = {
      package: { name: toOsvName(ecosystem, name), ecosystem },
      ...(isOfVersion && { version }),
    };
    const found: Advisory[] = [];
    let page_token = '';
    for (let pages = 0; pages < mostPages; pages += 1) {
      const body = Buffer.from(JSON.stringify({ ...query, ...(page_token && { page_token }) }));
      const headers = { 'content-type': 'application/json', accept: 'application/json' };
      const answer = toRegistered(await ask({ url, method: 'POST', headers, body }), isPage);
      if (answer.result === 'absent')
        return noAnswer(
          'otherwise',
          say`${code(host)} returned HTTP ${answer.response.status} for a request for advisories.`,
        );
      if (answer.result !== 'document') return answer;
      const { vulns, next_page_token: next } = answer.document;
      for (const document of Array.isArray(vulns) ? (vulns as unknown[]) : []) {
        const read = readAdvisory(document);
        if (!read) return unreadable(asked);
        const about = read.about.filter(({ key }) => key === toKey(ecosystem, name));
        found.push(...about.map(({ advisory }) => advisory));
        // The unread part may be about the package.
        if (about.length === 0 && read.unread) found.push(read.unread);
      }
      if (typeof next !== 'string' || next === '')
        return { result: 'advisories', found, isOfVersion, withdrawn: {}, isBySpelling: true, source: host };
      if (next.length > longestToken) break;
      page_token = next;
    }
    return tooMany(asked);
  };
  /** The API lists no withdrawn ones. If one cannot be read, the next check asks again. */
  const withWithdrawn = async (answer: FoundAdvisories, told: AskedPackage['told']) => {
    const found = new Set(answer.found.map(({ id }) => id));
    const withdrawn: [id: string, on: string][] = [];
    for (const id of told.filter((one) => !found.has(one)).slice(0, mostGone)) {
      const headers = { accept: 'application/json' };
      const read = toRegistered(await ask({ url: `${base}/v1/vulns/${id}`, headers }), () => true);
      if (read.result === 'no_answer') return read;
      const gone = read.result === 'document' && readAdvisory(read.document)?.withdrawn;
      if (gone) withdrawn.push([id, gone.on]);
    }
    return { ...answer, withdrawn: Object.fromEntries(withdrawn) };
  };
  return async (asked: AskedPackage): Promise<FoundAdvisories | NoAnswer> => {
    const answer = await readPages(asked, false);
    const isTooLarge = answer.result === 'no_answer' && answer.cause === 'too_large';
    const last = isTooLarge && asked.version !== undefined ? await readPages(asked, true) : answer;
    return last.result === 'advisories' ? withWithdrawn(last, asked.told) : last;
  };
}

/** The public API must not learn the names of private packages. */
const isPublicApi = (setting: string) => /^api\.osv\.dev\.?$/.test(URL.parse(setting)?.hostname ?? '');

/** The address of an OSV API, the path of a saved copy, or `off`. */
export function openAdvisories(
  setting: string,
  { ask, isPublic }: { readonly ask: PoliteFetch; isPublic(registry: Registry): boolean },
): (asked: AskedPackage) => Promise<FoundAdvisories | NoAnswer> {
  if (setting === 'off')
    return async () => notAsked(own('This service is configured not to read advisories (ADVISORIES).'));
  if (!isWebAddress(setting)) {
    const readCopy = openAdvisoryCopy(setting);
    return readCopy;
  }
  const askApi = openOsvApi(setting, ask);
  return async (asked) =>
    isPublicApi(setting) && !isPublic(asked.registry)
      ? notAsked(
          say`This service does not look up packages of ${own(asked.ecosystem)} in the public registry (PACKAGE_REGISTRIES), so their names are not sent to ${own('api.osv.dev')}.`,
        )
      : askApi(asked);
}
