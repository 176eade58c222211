import { isHandle } from '../../../core/handle.ts';
import { asMembers, type JsonObject } from '../../../core/json.ts';
import { toLine } from '../../../core/text.ts';
import { toRepositoryKey } from '../../../net/repository-place.ts';
import { memberOf, toShort } from './document.ts';

/** `mcp-name: <handle>` anywhere in a line of a README. */
const namingLine = /(?<!\w|\w-)mcp-name:[ \t]{0,4}[`"'*]{0,3}([a-z\d.-]{1,150}\/[a-z\d._-]{1,150})/gi;
const mostNames = 50;

export function namesIn(readme: string): string[] {
  const found = new Set<string>();
  for (const [, name = ''] of readme.matchAll(namingLine)) {
    // The name may be followed by the end of a sentence or a comment.
    const handle = name.replace(/[.-]+$/, '');
    if (isHandle(handle)) found.add(handle);
    if (found.size === mostNames) break;
  }
  return [...found];
}

export const namesOfManifest = ({ mcpName }: Readonly<Record<string, unknown>>): string[] =>
  typeof mcpName === 'string' && isHandle(mcpName) ? [mcpName] : [];

export const scriptNames = ['preinstall', 'install', 'postinstall'] as const;

/** Those that run at installation (npm docs, "scripts", Life Cycle Operation Order). */
export function scriptsOfManifest(document: JsonObject): { [Name in (typeof scriptNames)[number]]?: string } {
  const stated = scriptNames.map((name) => [name, memberOf(document, 'scripts')[name]] as const);
  const texts = stated.map(([name, text]) => [name, typeof text === 'string' ? text.trim() : ''] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== ''));
}

export const publisherOfManifest = (document: JsonObject): string | undefined =>
  toShort(memberOf(document, '_npmUser').name);

export const toStatedRepository = (stated: unknown): string | undefined =>
  typeof stated === 'string' ? toRepositoryKey(stated.trim()) : undefined;

const shorthands = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' } as const;
/** In package.json, `owner/name` or `github:owner/name`. */
const shorthand = /^(?:(github|gitlab|bitbucket):)?([\w.-]{1,100}\/[\w.-]{1,100})$/;

export function repositoryOfManifest({ repository }: Readonly<Record<string, unknown>>): string | undefined {
  const stated = typeof repository === 'string' ? repository : asMembers(repository).url;
  const [, forge = 'github', path] = shorthand.exec(String(stated).trim()) ?? [];
  return toStatedRepository(
    path === undefined ? stated : `https://${shorthands[forge as keyof typeof shorthands]}/${path}`,
  );
}

const forges = /^(?:github\.com|gitlab\.com|codeberg\.org|bitbucket\.org)\//;

export function repositoryOfHome(stated: unknown): string | undefined {
  const key = toStatedRepository(stated);
  return key !== undefined && forges.test(key) ? key : undefined;
}

/** PEP 753, and `code`, in lower case without punctuation. */
const sourceLabels: ReadonlySet<string> = new Set(['source', 'repository', 'sourcecode', 'github', 'code']);
const mostLinks = 100;

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

export const toLicence = (stated: unknown): string | undefined =>
  typeof stated === 'string'
    ? toLine(stated.slice(0, 1000)).slice(0, longestLicence).trim() || undefined
    : undefined;

/** An older package.json has an object with a type, or a list of such objects. */
export function licenceOfManifest({ license, licenses }: Readonly<Record<string, unknown>>) {
  const [first] = Array.isArray(licenses) ? (licenses as unknown[]) : [];
  const stated = license ?? first;
  return toLicence(typeof stated === 'string' ? stated : asMembers(stated).type);
}

/** `license` of PyPI may be a whole licence text. */
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
