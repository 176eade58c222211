import { asMembers } from '../../../core/json.ts';
import { code, own, say } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, notAsked, toContent, toRegistered } from '../../../net/answer.ts';
import type { CheckRun } from '../run.ts';
import {
  freeNameWarning,
  memberOf,
  notFound,
  notStated,
  type Published,
  sourceOf,
  toShort,
  toTime,
} from './document.ts';
import type { RecordedPackage } from './recorded.ts';
import { namesIn, repositoryOfHome, toLicence, toStatedRepository } from './stated.ts';

const nuget = own('NuGet');

type NugetEntry = Published['document'];
type NugetPage = Published['document'];

const versionParts = /^v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(-[\w.-]{1,100})?(?:\+|$)/;

/** NuGet normalizes `1.0` to `1.0.0`. */
function partsOf(version: unknown) {
  const parts = versionParts.exec(String(version).slice(0, 200));
  if (!parts) return undefined;
  const [, major, minor, patch, revision, pre = ''] = parts;
  return {
    release: [major, minor, patch, revision].map((part) => Number(part ?? 0)),
    pre: pre.toLowerCase(),
  };
}

function toNugetKey(version: unknown): string {
  const parts = partsOf(version);
  if (!parts) return String(version).toLowerCase();
  const [major, minor, patch, revision] = parts.release;
  return `${major}.${minor}.${patch}${revision ? `.${revision}` : ''}${parts.pre}`;
}

/** A pre-release counts as its release. */
function isUpTo(version: unknown, other: unknown): boolean {
  const a = partsOf(version)?.release;
  const b = partsOf(other)?.release;
  if (!a || !b) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at === -1 || (a[at] ?? 0) < (b[at] ?? 0);
}

const base = (id: string) => `/v3/registration5-gz-semver2/${id}`;
const pageVersion = /^[\w.+-]{1,100}$/;
const mostPages = 3;

/** With few versions the index has the entries; otherwise each page has its own address. */
async function entriesOf(run: CheckRun, id: string, page: NugetPage): Promise<NugetEntry[] | NoAnswer> {
  let { items } = page;
  if (!Array.isArray(items)) {
    const [lower, upper] = [page.lower, page.upper].map((one) => toNugetKey(one));
    if (![lower, upper].every((one) => pageVersion.test(one ?? '')))
      return notAsked(own('NuGet names a page of versions in a form that Dossier does not read.'));
    const path = `${base(id)}/page/${lower}/${upper}.json`;
    const answer = toRegistered(await run.registry('nuget', path), (sent) => Array.isArray(sent.items));
    if (answer.result === 'absent') return notStated(nuget, own('which versions there are'));
    if (answer.result !== 'document') return answer;
    ({ items } = answer.document);
  }
  return (items as readonly unknown[]).map((leaf) => memberOf(leaf, 'catalogEntry'));
}

/** Undefined after three pages whose entries are not in the index. */
function createPageReader(run: CheckRun, id: string) {
  const read = new Map<NugetPage, Promise<NugetEntry[] | NoAnswer>>();
  let left = mostPages;
  return async (page: NugetPage) => {
    const known = read.get(page);
    if (known !== undefined) return known;
    if (!Array.isArray(page.items)) {
      if (left === 0) return undefined;
      left -= 1;
    }
    const entries = entriesOf(run, id, page);
    read.set(page, entries);
    return entries;
  };
}
type PageReader = ReturnType<typeof createPageReader>;

/** `isCut`: further pages may have the version. */
function pagesFor(version: string | undefined, pages: readonly NugetPage[]) {
  if (pages.every(({ items }) => Array.isArray(items))) return { chosen: pages, isCut: false };
  const around = pages.filter(({ lower, upper }) => isUpTo(lower, version) && isUpTo(version, upper));
  const chosen = new Set([...around.slice(0, mostPages - 1), ...pages.slice(-1)]);
  return { chosen: [...chosen], isCut: around.some((page) => !chosen.has(page)) };
}

/** NuGet dates an unlisted version to 1900. */
function publishedAt({ published }: NugetEntry): string | undefined {
  const time = toTime(published);
  return time === undefined || time.startsWith('1900-') ? undefined : time;
}

type FoundEntry = { readonly result: 'entry'; readonly entry: NugetEntry };

async function findNewest(pages: readonly NugetPage[], readPage: PageReader): Promise<FoundEntry | NoAnswer> {
  let highest: NugetEntry | undefined;
  for (const page of pages.toReversed()) {
    const entries = await readPage(page);
    if (!entries)
      return notAsked(
        own(
          'The last pages of versions of this package on NuGet have only pre-releases and unlisted versions; Dossier reads no further.',
        ),
      );
    if ('result' in entries) return entries;
    const listed = entries.filter(({ listed: isListed }) => isListed !== false);
    const stable = listed.findLast(({ version }) => partsOf(version)?.pre === '');
    if (stable) return { result: 'entry', entry: stable };
    highest ??= listed.at(-1);
  }
  return highest ? { result: 'entry', entry: highest } : notStated(nuget, own('a version that is listed'));
}

function toNewest(found: FoundEntry | NoAnswer): Published['newest'] {
  if (found.result === 'no_answer') return found;
  const version = toShort(found.entry.version);
  if (version === undefined) return notStated(nuget, own('a version that is listed'));
  const published_at = publishedAt(found.entry);
  return { version, ...(published_at !== undefined && { published_at }) };
}

function deprecationOf(entry: NugetEntry): Published['deprecated'] {
  const stated = memberOf(entry, 'deprecation');
  const reasons = Array.isArray(stated.reasons) ? (stated.reasons as unknown[]) : [];
  const message = toShort(stated.message) ?? toShort(reasons.slice(0, 5).join(', '));
  const isDeprecated = Object.keys(stated).length > 0;
  return {
    deprecated: isDeprecated,
    ...(entry.listed === false && { unlisted: true as const }),
    ...(isDeprecated && message !== undefined && { message }),
  };
}

async function nugetNames(run: CheckRun, id: string, version: string): Promise<Published['names']> {
  const answer = toContent(await run.registry('nuget', `/v3-flatcontainer/${id}/${version}/readme`));
  if (answer.result === 'response') return namesIn(answer.text);
  return answer.outcome === 'absent' ? [] : answer;
}

async function toPublished(
  run: CheckRun,
  id: string,
  { response, entry, newest }: { response: Fetched; entry: NugetEntry; newest: Published['newest'] },
): Promise<Published> {
  const version = toShort(entry.version) ?? '';
  const other = notAsked(own('Dossier does not ask NuGet for this.'));
  return {
    result: 'published',
    name: toShort(entry.id)?.toLowerCase() === id ? String(entry.id) : id,
    version,
    ...sourceOf(response),
    published_at: publishedAt(entry) ?? notStated(nuget, own('when this version was published')),
    deprecated: deprecationOf(entry),
    maintainers: other,
    newest,
    names: await nugetNames(run, id, toNugetKey(version)),
    repository: toStatedRepository(memberOf(entry, 'repository').url) ?? repositoryOfHome(entry.projectUrl),
    licence: toLicence(entry.licenseExpression),
    earlier: other,
    document: entry,
  };
}

export async function readNuget(
  run: CheckRun,
  { name, version: recorded }: RecordedPackage,
): Promise<Published | NoAnswer> {
  const id = name.toLowerCase();
  const answer = toRegistered(await run.registry('nuget', `${base(id)}/index.json`), (sent) =>
    Array.isArray(sent.items),
  );
  if (answer.result === 'absent')
    return notFound(nuget, answer.response, say`has no package ${code(name)}${freeNameWarning(name)}`);
  if (answer.result !== 'document') return answer;
  const { response, document } = answer;
  const pages = (document.items as readonly unknown[]).map(asMembers);
  const readPage = createPageReader(run, id);
  const { chosen, isCut } = pagesFor(recorded, pages);
  const read = await Promise.all(chosen.map(readPage));
  const failed = read.find((page) => page !== undefined && 'result' in page);
  if (failed && 'result' in failed) return failed;
  const found = await findNewest(pages, readPage);
  const newest = toNewest(found);
  const entries = [...read, found].flatMap((one) => {
    if (one === undefined) return [];
    if (!('result' in one)) return one;
    return one.result === 'entry' ? [one.entry] : [];
  });
  if (recorded === undefined && 'result' in newest) return newest;
  const version = recorded ?? ('version' in newest ? newest.version : '');
  const entry = entries.find((one) => toNugetKey(one.version) === toNugetKey(version));
  if (!entry && isCut)
    return notAsked(
      say`NuGet may list version ${code(version)} of ${code(name)} on a page that Dossier does not read.`,
    );
  if (!entry) return notFound(nuget, response, say`has no version ${code(version)} of ${code(name)}`);
  return toPublished(run, id, { response, entry, newest });
}
