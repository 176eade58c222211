import compareSemver from 'semver/functions/compare.js';
import satisfies from 'semver/functions/satisfies.js';
import valid from 'semver/functions/valid.js';
import validRange from 'semver/ranges/valid.js';
import { ownMember } from '../../../core/json.ts';
import { withoutV } from '../../../listings/references/command.ts';

const ecosystems = { npm: 'npm', pypi: 'PyPI', nuget: 'NuGet', cargo: 'crates.io' } as const;
export type Registry = keyof typeof ecosystems;
export type Ecosystem = (typeof ecosystems)[Registry];

export const osvRegistries = Object.keys(ecosystems) as readonly Registry[];

export function ecosystemOf(registry: Registry): Ecosystem;
export function ecosystemOf(registry: string): Ecosystem | undefined;
export function ecosystemOf(registry: string): Ecosystem | undefined {
  return ownMember<Ecosystem>(ecosystems, registry);
}

export interface Order {
  isVersion(text: string): boolean;
  /** Negative if the first is older, 0 for two spellings of one version. Both must be versions. */
  compare(a: string, b: string): number;
}

const longestVersion = 100;

export const semver: Order = {
  isVersion: (text) => text.length <= longestVersion && valid(text) !== null,
  compare: compareSemver,
};

/** PEP 440, in all spellings. */
const pep440 =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|beta|preview|pre|rc|a|b|c)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?$/;
const phases: Readonly<Record<string, number>> = { a: 0, alpha: 0, b: 1, beta: 1 };
const releaseCandidate = 2;
const beforeAll = -1;
const afterAll = 3;

type Keys = readonly (bigint | number | string)[];

const withoutZeros = (numbers: readonly bigint[]) =>
  numbers.slice(0, numbers.findLastIndex((one) => one !== 0n) + 1);

function toPypi(text: string): readonly Keys[] | undefined {
  const lower = text.trim().toLowerCase();
  const parts = lower.length > longestVersion ? null : pep440.exec(lower);
  if (!parts) return undefined;
  const [, epoch = '0', release = '', pre, preNumber, dashed, post, postNumber, dev, devNumber, local = ''] =
    parts;
  const isPost = (dashed ?? post) !== undefined;
  const isDev = dev !== undefined;
  // A development release comes before the pre-releases of its release, and any other version without a
  // pre-release after them.
  const none = isDev && !isPost ? beforeAll : afterAll;
  const phase = pre === undefined ? none : (ownMember(phases, pre) ?? releaseCandidate);
  return [
    [BigInt(epoch)],
    withoutZeros(release.split('.').map(BigInt)),
    [phase, BigInt(preNumber || 0)],
    [isPost ? BigInt(dashed ?? (postNumber || 0)) : beforeAll],
    isDev ? [0, BigInt(devNumber || 0)] : [1],
    local
      .split(/[-_.]/)
      .filter(Boolean)
      .flatMap((one): Keys => (/^\d+$/.test(one) ? [1, BigInt(one)] : [0, one])),
  ];
}

/** Up to four numbers (default 0), and a pre-release as in SemVer. */
const nuget = /^v?(\d{1,10}(?:\.\d{1,10}){0,3})(?:-([\da-z-]+(?:\.[\da-z-]+)*))?(?:\+.*)?$/;

function toNuget(text: string): readonly Keys[] | undefined {
  const lower = text.trim().toLowerCase();
  const parts = lower.length > longestVersion ? null : nuget.exec(lower);
  if (!parts) return undefined;
  const [, numbers = '', pre] = parts;
  const words = (pre ?? '').split('.').filter(Boolean);
  return [
    withoutZeros(numbers.split('.').map(BigInt)),
    [pre === undefined ? 1 : 0],
    words.flatMap((one): Keys => (/^\d+$/.test(one) ? [0, BigInt(one)] : [1, one])),
  ];
}

function compareKeys(a: Keys, b: Keys): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  const one = a[at];
  const other = b[at];
  if (at < 0) return a.length - b.length;
  return one === undefined || other === undefined || one > other ? 1 : -1;
}

const byKeys = (read: (text: string) => readonly Keys[] | undefined): Order => ({
  isVersion: (text) => read(text) !== undefined,
  compare(a, b) {
    const first = read(a) ?? [];
    const second = read(b) ?? [];
    const orders = first.map((keys, at) => compareKeys(keys, second[at] ?? []));
    return orders.find((order) => order !== 0) ?? 0;
  },
});

const orders: Readonly<Record<Ecosystem, Order>> = {
  npm: semver,
  'crates.io': semver,
  PyPI: byKeys(toPypi),
  NuGet: byKeys(toNuget),
};

export const orderOf = (ecosystem: Ecosystem): Order => orders[ecosystem];

const specifier = /^(~=|===?|!=|[<>]=?)\s*(\S+?)(\.\*)?$/;

/** One part of a specifier of PyPI, such as `>=1.0`. */
function toPypiPart(text: string): ((version: string) => boolean) | undefined {
  const [, sign = '', named = '', all] = specifier.exec(text.trim()) ?? [];
  const { isVersion, compare } = orders.PyPI;
  if (!isVersion(named)) return undefined;
  const starts = (prefix: string) => (version: string) => `${version}.`.startsWith(`${prefix}.`);
  if (sign === '~=') {
    const within = starts(named.replace(/\.\d+$/, ''));
    return (version) => compare(version, named) >= 0 && within(version);
  }
  const isEqual = all ? starts(named) : (version: string) => compare(version, named) === 0;
  if (sign.startsWith('=')) return isEqual;
  if (sign === '!=') return (version) => !isEqual(version);
  const isOn = sign.endsWith('=') ? isEqual : () => false;
  const way = sign.startsWith('<') ? -1 : 1;
  return (version) => way * compare(version, named) > 0 || isOn(version);
}

/** Whether a version fits a range; undefined if the text is none. A pre-release fits none of PyPI. */
export function toRange(registry: string, text: string): ((version: string) => boolean) | undefined {
  if (registry === 'npm')
    return validRange(text) === null ? undefined : (version) => satisfies(version, text);
  if (registry !== 'pypi') return undefined;
  const parts = text.split(',').map((one) => toPypiPart(/^\d/.test(one.trim()) ? `==${one.trim()}` : one));
  const isRelease = (version: string) => !/(?:a|b|c|rc|alpha|beta|pre|preview|dev)[-_.]?\d*$/i.test(version);
  const { isVersion } = orders.PyPI;
  return parts.some((fits) => !fits)
    ? undefined
    : (version) => isVersion(version) && isRelease(version) && parts.every((fits) => fits?.(version));
}

export const isEcosystem = (name: string): name is Ecosystem => Object.hasOwn(orders, name);

/** All that are written so; only without such ones, those that mean it in another spelling. */
export function spelled<One extends { readonly version: string }>(
  all: readonly One[],
  text: string,
  written: (one: One) => string = ({ version }) => version,
): readonly One[] {
  const exact = all.filter((one) => written(one) === text);
  return exact.length > 0 ? exact : all.filter((one) => withoutV(written(one)) === withoutV(text));
}

/** What begins with the number, or is in the range. */
export function toFitting(text: string): (version: string) => boolean {
  const plain = withoutV(text);
  const inRange = toRange('npm', plain.replaceAll(',', ' '));
  return (version) => withoutV(version).startsWith(`${plain}.`) || inRange?.(version) === true;
}
