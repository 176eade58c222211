import { isHandle } from '../../core/handle.ts';
import { asMembers } from '../../core/json.ts';
import { toLine } from '../../core/text.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import { memberOf } from './document.ts';

/**
 * A line `mcp-name: <handle>`, by which a README names the listing that a package belongs to, also within a
 * comment of HTML or in marks of Markdown. The registry looks for it when a listing is published.
 */
const namingLine = /(?<!\w|\w-)mcp-name:[ \t]{0,4}[`"'*]{0,3}([a-z\d.-]{1,150}\/[a-z\d._-]{1,150})/gi;
const mostNames = 50;

/** The handles that a README names, each once, in their order; at most 50. */
export function namesIn(readme: string): string[] {
  const found = new Set<string>();
  for (const [, name = ''] of readme.matchAll(namingLine)) {
    // The end of a sentence or of a comment is no part of the name.
    const handle = name.replace(/[.-]+$/, '');
    if (isHandle(handle)) found.add(handle);
    if (found.size === mostNames) break;
  }
  return [...found];
}

/** The handle in `mcpName` of a package.json. */
export const namesOfManifest = ({ mcpName }: Readonly<Record<string, unknown>>): string[] =>
  typeof mcpName === 'string' && isHandle(mcpName) ? [mcpName] : [];

const shorthands = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' } as const;
/** `owner/name` or `github:owner/name`, as package.json may write a repository. */
const shorthand = /^(?:(github|gitlab|bitbucket):)?([\w.-]{1,100}\/[\w.-]{1,100})$/;

/** A repository that a package states, as `host/path`; undefined if the text names none. */
export function toStatedRepository(stated: unknown): string | undefined {
  if (typeof stated !== 'string') return undefined;
  const [, forge = 'github', path] = shorthand.exec(stated.trim()) ?? [];
  return path === undefined
    ? toRepositoryKey(stated.trim())
    : toRepositoryKey(`https://${shorthands[forge as keyof typeof shorthands]}/${path}`);
}

/** `repository` of a package.json: a text, or an object with its address. */
export const repositoryOfManifest = ({ repository }: Readonly<Record<string, unknown>>) =>
  toStatedRepository(typeof repository === 'string' ? repository : asMembers(repository).url);

const forges = /^(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)\//;

/** The address of a home page, if that is a repository of a forge. */
export function repositoryOfHome(stated: unknown): string | undefined {
  const key = toStatedRepository(stated);
  return key !== undefined && forges.test(key) ? key : undefined;
}

/** Labels of links to the source, without marks and in lower case (PEP 753). */
const sourceLabels: ReadonlySet<string> = new Set(['source', 'repository', 'sourcecode', 'github', 'code']);
const mostLinks = 100;

/**
 * The repository that the metadata of a release on PyPI links: by a label of its source, or as its home page.
 */
export function repositoryOfPypi(info: Readonly<Record<string, unknown>>): string | undefined {
  const links = Object.entries(memberOf(info, 'project_urls'))
    .slice(0, mostLinks)
    .map(([label, url]) => ({ label: label.toLowerCase().replace(/[^a-z]/g, ''), url }));
  const sources = links.filter(({ label }) => sourceLabels.has(label));
  const homes = [...links.filter(({ label }) => label === 'homepage').map(({ url }) => url), info.home_page];
  return (
    sources.map(({ url }) => toStatedRepository(url)).find(Boolean) ??
    homes.map(repositoryOfHome).find(Boolean)
  );
}

const longestLicence = 100;

/** A licence as a package states it, on one line of at most 100 characters; undefined if there is none. */
export const toLicence = (stated: unknown): string | undefined =>
  typeof stated === 'string'
    ? toLine(stated.slice(0, 1000)).slice(0, longestLicence).trim() || undefined
    : undefined;

/** `license` of a package.json, or the older forms: an object with a type, and a list of these. */
export function licenceOfManifest({
  license,
  licenses,
}: Readonly<Record<string, unknown>>): string | undefined {
  const [first] = Array.isArray(licenses) ? (licenses as unknown[]) : [];
  const stated = license ?? first;
  return toLicence(typeof stated === 'string' ? stated : asMembers(stated).type);
}

/**
 * The licence of a release on PyPI: as an expression, as one line, or as the last part of a classifier;
 * `license` may be its whole text.
 */
export function licenceOfPypi(info: Readonly<Record<string, unknown>>): string | undefined {
  const { license_expression, license, classifiers } = info;
  const isShort = typeof license === 'string' && license.length <= longestLicence && !/[\r\n]/.test(license);
  const classified = (Array.isArray(classifiers) ? (classifiers as unknown[]) : [])
    .slice(0, 500)
    .find((one): one is string => typeof one === 'string' && one.startsWith('License :: '));
  return (
    toLicence(license_expression) ??
    (isShort ? toLicence(license) : undefined) ??
    toLicence(classified?.split(' :: ').at(-1)) ??
    toLicence(license)
  );
}
