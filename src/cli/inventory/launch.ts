import type { JsonObject } from '../../core/json.ts';
import { type Command, hostOfImage, nameOfPackage, readCommand } from '../../listings/references/command.ts';
import { readServer } from '../../listings/references/configured.ts';
import { isAddress, isPublicAddress, plainAddress } from '../../net/addresses.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import { isPublicHost as isPublicName } from '../../views/commands.ts';

/** Nothing here looks like a secret; `what` is shown. */
export interface ConfiguredLaunch {
  readonly what: string;
  /** Undefined if nothing is asked. */
  readonly asked?: string;
  readonly version?: string;
  /** The next start runs the same code; undefined if none is fetched. */
  readonly isPinned?: boolean;
  /** What the question leaves out: the end of the path and the query, or only the query. */
  readonly left?: 'path' | 'query';
}

const keys = [
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i,
  /^(?:sk|pk|rk|gh[oprsu]|github_pat|glpat|xox.|hf|ntn|npm|pat|key|token|secret)[-_](?=.*[\dA-Z]).{8}/,
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{16}/s,
];

/** `getUserInfo`, `2024`, `neo4j`, `text2image`. */
const words = [
  /^[a-z]{0,30}$/,
  /^[A-Z]{1,8}$/,
  /^(?=.{1,30}$)[a-z]*(?:[A-Z][a-z]{2,}|[A-Z]{2,5}(?=[A-Z][a-z]{2}|$))*$/,
  /^\d{1,4}$/,
  /^(?=.{1,16}$)(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)\d{1,3}$/,
  /^(?=.{1,8}$)[a-z]+\d[a-z]+$/,
  /^(?=.{1,16}$)[a-z]{2,}[24][a-z]{2,}$/,
  /^(?=.{1,12}$)\d{1,2}[a-z]+$/,
];
const isMixed = (piece: string) => /\d/.test(piece) && /[a-z]/i.test(piece) && !/^v\d+$/.test(piece);

const isKey = (text: string) => keys.some((key) => key.test(text));
const isWord = (piece: string) => words.some((word) => word.test(piece));
const toPieces = (text: string) => text.split(/[^A-Za-z\d]+/);

/**
 * Looks like words and short numbers. Any other text may be a key: only `isName` lets it be sent or shown.
 */
export function isPlain(text: string): boolean {
  const pieces = toPieces(text);
  return (
    !isKey(text) &&
    pieces.every(isWord) &&
    pieces.filter(isMixed).length <= 2 &&
    text.replace(/\D/g, '').length <= 8
  );
}

const isName = (text: string): boolean =>
  text
    .split('/')
    .every((part) => !isKey(part) && toPieces(part).every((one) => one.length <= 16 || isWord(one)));

const versionForm = /^(?:!=|[~^<>=]*)[\w.+*!-]+(?:,(?:!=|[~^<>=]*)[\w.+*!-]+)*$/;
const isVersion = (text: string): boolean =>
  /^sha256:[\da-f]{64}$/.test(text) || (versionForm.test(text) && isName(text));

const isPrivateImage = (name: string) =>
  !isPublicHost(hostOfImage(name)?.replace(/:\d+$/, '') ?? 'docker.io');

function toPackage(
  { registry = '', name = '', version, isPinned = false, isElsewhere, address }: Command,
  isFrom: (registry: string, name: string) => boolean,
): ConfiguredLaunch {
  if (!isName(name) || name.length > longestName)
    return { what: `${registry}, a package without a plain name`, isPinned: false };
  const shown = version === undefined || isVersion(version) ? version : 'not-sent';
  const pin = { isPinned, ...(shown !== undefined && { version: shown }) };
  if (isElsewhere || isFrom(registry, name))
    return { what: `${registry}, a package of another registry`, ...pin };
  if (registry === 'oci' && isPrivateImage(name)) return { what: 'an image of a private registry', ...pin };
  const asked = nameOfPackage(registry, name, shown);
  if (address === undefined) return { what: `${registry} ${name}`, asked, ...pin };
  const reached = launchOf(address);
  return { ...reached, what: `${reached.what} through ${registry} ${name}`, ...pin };
}

const longestName = 300;

const isPublicHost = (hostname: string): boolean =>
  isAddress(hostname)
    ? isPublicAddress(plainAddress(hostname))
    : isPublicName(hostname) && hostname.split('.').every(isPlain);

/** Without the path from the first part on that may be a key. */
function launchOf(text: string): ConfiguredLaunch {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !isPublicHost(url.hostname))
    return { what: 'an address that is not asked about' };
  const segments = url.pathname.split('/');
  const secret = segments.findIndex(
    (one) => !/^@?[\w.~-]*$/.test(one) || !(one.startsWith('@') ? isName : isPlain)(one),
  );
  const asked = `${url.protocol}//${url.host}${(secret < 0 ? segments : segments.slice(0, secret)).join('/')}`;
  if (asked.length > longestName) return { what: 'an address that is not asked about' };
  if (secret >= 0) return { what: `${asked}/...`, asked, left: 'path' };
  return url.search ? { what: `${asked}?...`, asked, left: 'query' } : { what: asked, asked };
}

/** Without what looks like a secret. `isElsewhere`: settings name another registry for a package. */
export function toLaunch(server: JsonObject, isElsewhere: (registry: string, name: string) => boolean) {
  const { address, given, variables } = readServer(server);
  if (address !== undefined) return launchOf(address);
  // Clients differ in which of the two they use.
  if (given === undefined) return { what: 'both a command and an address', isPinned: false };
  return launchOfCommand(readCommand(given, variables), isElsewhere);
}

/** As `toLaunch`. */
export function launchOfCommand(started: Command, isElsewhere: (registry: string, name: string) => boolean) {
  const { registry, name, address: source, isPinned } = started;
  if (name !== undefined) return toPackage(started, isElsewhere);
  if (isPinned === undefined) return { what: 'a command of this machine' };
  // A file by its address may be of a private registry.
  if (source !== undefined && toRepositoryKey(source) !== undefined) return { ...launchOf(source), isPinned };
  return {
    what: registry ? `${registry}, a package that is not read` : 'a command that is not read',
    isPinned: false,
  };
}
