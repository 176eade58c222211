import { asMembers } from '../../../core/json.ts';
import { own, name as term } from '../../../core/words.ts';
import { type NoAnswer, notAsked, toContent, toRegistered } from '../../../net/answer.ts';
import { orderOf } from '../packages/version-order.ts';
import type { CheckRun } from '../run.ts';
import {
  chosenVersion,
  memberOf,
  noPackage,
  notDated,
  notStated,
  noVersion,
  type PackageAnswer,
  type Published,
  toNewest,
  toPublished,
  toShort,
  toTime,
  type WithdrawnMark,
  withdrawn,
} from './document.ts';
import type { RecordedPackage } from './recorded.ts';
import { namesIn, repositoryOfHome, toLicence, toStatedRepository } from './stated.ts';

const toYanked = ({ yanked, yank_message }: Version) => withdrawn(yanked === true, yank_message);

const crates = term('crates.io');

type Version = Published['document'];

/** Crate names ignore case, and do not tell `-` from `_`. */
const toCrateKey = (name: unknown) => String(name).toLowerCase().replaceAll('_', '-');

function newestCrate(crate: Published['document'], versions: readonly Version[]): Published['newest'] {
  const version = toShort(crate.max_stable_version) ?? toShort(crate.newest_version);
  if (version === undefined) return notStated(crates, own('which version is the newest'));
  return toNewest(version, toTime(versions.find(({ num }) => num === version)?.created_at));
}

export async function readCargo(run: CheckRun, recorded: RecordedPackage): Promise<PackageAnswer> {
  const { name } = recorded;
  const answer = toRegistered(
    await run.registry('cargo', `/api/v1/crates/${name}`),
    (sent) => toCrateKey(memberOf(sent, 'crate').name) === toCrateKey(name) && Array.isArray(sent.versions),
  );
  if (answer.result === 'absent') return noPackage(crates, answer.response, name, own('crate'));
  if (answer.result !== 'document') return answer;
  const { response, document } = answer;
  const crate = memberOf(document, 'crate');
  const versions = (document.versions as readonly unknown[]).map(asMembers);
  const newest = newestCrate(crate, versions);
  const version = chosenVersion(recorded.version, newest);
  if (typeof version !== 'string') return version;
  const one = versions.find(({ num }) => num === version);
  const maintainers = notAsked(own('Dossier does not ask crates.io for this.'));
  const ofPackage = {
    name: String(crate.name),
    version,
    maintainers,
    newest,
    versions: versions.map((each) => ({
      version: String(each.num),
      deprecated: toYanked(each),
      licence: toLicence(each.license) ?? null,
    })),
  };
  if (!one) return noVersion(crates, response, ofPackage);
  return toPublished(response, maintainers, {
    ...ofPackage,
    published_at: toTime(one.created_at) ?? notDated(crates),
    deprecated: toYanked(one),
    repository: toStatedRepository(crate.repository),
    licence: toLicence(one.license),
    document: one,
  });
}

const nuget = own('NuGet');

type NugetEntry = Published['document'];
type NugetPage = Published['document'];

const versionForm = /^v?(\d{1,9}(?:\.\d{1,9}){1,3})(-[\w.-]{1,100})?(?:\+|$)/;

/** NuGet normalizes `1.0` to `1.0.0`. */
function toNugetKey(version: unknown): string {
  const text = String(version).slice(0, 200).toLowerCase();
  const [, release, pre = ''] = versionForm.exec(text) ?? [];
  if (release === undefined) return text;
  const [major, minor, patch, revision] = [...release.split('.'), '0', '0'].map(Number);
  return `${major}.${minor}.${patch}${revision ? `.${revision}` : ''}${pre}`;
}

const { isVersion, compare } = orderOf('NuGet');

const isWithin = (version: string, { lower, upper }: NugetPage): boolean => {
  const [from, to] = [String(lower), String(upper)] as const;
  return [version, from, to].every(isVersion) && compare(from, version) <= 0 && compare(version, to) <= 0;
};

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

/** With the last, which has the newest version. */
const pagesFor = (version: string | undefined, pages: readonly NugetPage[]) =>
  pages.filter(
    (page, at) =>
      Array.isArray(page.items) ||
      at === pages.length - 1 ||
      (version !== undefined && isWithin(version, page)),
  );

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
    const stable = listed.findLast(({ version }) => !toNugetKey(version).includes('-'));
    if (stable) return { result: 'entry', entry: stable };
    highest ??= listed.at(-1);
  }
  return highest ? { result: 'entry', entry: highest } : notStated(nuget, own('a version that is listed'));
}

function toNewestOnNuget(found: FoundEntry | NoAnswer): Published['newest'] {
  if (found.result === 'no_answer') return found;
  const version = toShort(found.entry.version);
  if (version === undefined) return notStated(nuget, own('a version that is listed'));
  return toNewest(version, publishedAt(found.entry));
}

function deprecationOf(entry: NugetEntry): WithdrawnMark {
  const stated = memberOf(entry, 'deprecation');
  const reasons = Array.isArray(stated.reasons) ? (stated.reasons as unknown[]) : [];
  return {
    ...withdrawn(Object.keys(stated).length > 0, toShort(stated.message) ?? reasons.slice(0, 5).join(', ')),
    ...(entry.listed === false && { unlisted: true as const }),
  };
}

async function nugetNames(run: CheckRun, id: string, version: string): Promise<Published['names']> {
  const answer = toContent(await run.registry('nuget', `/v3-flatcontainer/${id}/${version}/readme`));
  if (answer.result === 'response') return namesIn(answer.text);
  return answer.outcome === 'absent' ? [] : answer;
}

export async function readNuget(
  run: CheckRun,
  { name, version: recorded }: RecordedPackage,
): Promise<PackageAnswer> {
  const id = name.toLowerCase();
  const answer = toRegistered(await run.registry('nuget', `${base(id)}/index.json`), (sent) =>
    Array.isArray(sent.items),
  );
  if (answer.result === 'absent') return noPackage(nuget, answer.response, name);
  if (answer.result !== 'document') return answer;
  const { response, document } = answer;
  const pages = (document.items as readonly unknown[]).map(asMembers);
  const readPage = createPageReader(run, id);
  const read = await Promise.all(pagesFor(recorded, pages).map(readPage));
  const failed = read.find((page) => page !== undefined && 'result' in page);
  if (failed && 'result' in failed) return failed;
  const found = await findNewest(pages, readPage);
  const newest = toNewestOnNuget(found);
  const entries = [...read, found].flatMap((one) => {
    if (one === undefined) return [];
    if (!('result' in one)) return one;
    return one.result === 'entry' ? [one.entry] : [];
  });
  const version = chosenVersion(recorded, newest);
  if (typeof version !== 'string') return version;
  const entry = entries.find((one) => toNugetKey(one.version) === toNugetKey(version));
  const maintainers = notAsked(own('Dossier does not ask NuGet for this.'));
  // A page that was not read may have any of them.
  const versions = (read.length === pages.length ? entries : []).map((one) => ({
    version: String(one.version),
    deprecated: deprecationOf(one),
    licence: toLicence(one.licenseExpression) ?? null,
  }));
  const ofPackage = { name, version, maintainers, newest, versions };
  if (!entry) return noVersion(nuget, response, ofPackage);
  return toPublished(response, maintainers, {
    ...ofPackage,
    name: toShort(entry.id)?.toLowerCase() === id ? String(entry.id) : id,
    version: toShort(entry.version) ?? '',
    published_at: publishedAt(entry) ?? notDated(nuget),
    deprecated: deprecationOf(entry),
    names: await nugetNames(run, id, toNugetKey(entry.version)),
    repository: toStatedRepository(memberOf(entry, 'repository').url) ?? repositoryOfHome(entry.projectUrl),
    licence: toLicence(entry.licenseExpression),
    document: entry,
  });
}
