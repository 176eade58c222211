import { isHandle } from '../../core/handle.ts';
import { hasPublicSuffix, isOfReversedDomain } from '../../core/identity.ts';
import { attempt, ownMember } from '../../core/json.ts';
import {
  type Beside,
  type Command,
  nameOfPackage,
  ofQualifier,
  readCommands,
  readCommandsIn,
} from './command.ts';
import { type ConfiguredServer, readServer } from './configured.ts';
import { domainOfMail, readFile, readForgePackage, readPackagePage, readReport } from './package-pages.ts';
import { blocksOf, takeServers } from './pasted.ts';
import { shellOperator } from './programs.ts';

/** `text` is as `npm:name@version`, or an address; empty for what has no plain name here. */
export interface StartedName {
  readonly text: string;
  readonly beside: readonly Beside[];
  readonly configured_as?: string | undefined;
}

const plainName = (text: string): StartedName => ({ text, beside: [] });
const unread = plainName('');

const otherNames: Readonly<Record<string, string>> = { pip: 'pypi', docker: 'oci' };
const registries = /^(?:npm|pypi|oci|nuget|cargo|mcpb)$/;

/** As of OSV, GitHub and CVE. */
export const advisoryForm = /^(?:(?:mal|cve|pysec|rustsec)-\d{4}-\d+|ghsa(?:-[\da-z]{4}){3})$/i;

export function readPackage(written: string) {
  // A package URL encodes the @ of a scope and ends with qualifiers and a path.
  const plain = /^pkg:/i.test(written)
    ? (attempt(() => decodeURIComponent(written.replace(/[?#].*$/s, ''))) ?? written)
    : written;
  const [, prefix = '', rest = ''] = /^(?:pkg:)?(?:([a-z]+)[:/](?!\/))?(.*)$/i.exec(plain) ?? [];
  const named = ownMember(otherNames, prefix.toLowerCase()) ?? prefix.toLowerCase();
  const registry = registries.test(named) ? named : undefined;
  return { registry, named: registry ? rest.replace(/^\/\//, '') : plain };
}

export const isAddressForm = /^(?:https?|git|ssh|git\+https?|git\+ssh):\/\/|^[\w-]+@[\w.-]+:/i;
const hostForm = /^[\w\p{L}\p{M}-]+(?:\.[\w\p{L}\p{M}-]+)+(?::\d+)?(?:$|(?:\/[\w.~@-]+)+\/?(?:\?\w\S*)?$)/u;

/** Letters beyond ASCII are of a host only below a domain that exists, and of no handle. */
export const isHostForm = (text: string): boolean =>
  hostForm.test(text) && (/^[\0-\x7f]*$/.test(text) || hasPublicSuffix(text.replace(/[/:?].*$/s, '')));

/** What a socket, a client of GitHub, or the metadata of a sign-in is the address of. */
const otherwise: readonly (readonly [form: RegExp, is: string])[] = [
  [/^wss?:\/\/(?=\S+$)/i, 'https://'],
  [/^(?:gh|(?:claude\s+|\/)plugin)\s(?:.*\s)?([\w-]+\/[\w.-]+)(?:\s+-.*)?$/, 'https://github.com/$1'],
  [/(?<=^https?:\/\/[^/\s]+)\/\.well-known\/oauth-protected-resource(?=\/|$)/i, ''],
];

export const toAddress = (text: string): string =>
  otherwise.reduce((found, [form, is]) => found.replace(form, is), text);

/**
 * A page of a package as the package (`npm:name@version`), a package of a forge as its repository, an
 * address of mail as its domain, or the text as it is.
 */
export function writtenAs(text: string): StartedName {
  const page = readPackagePage(text) ?? readForgePackage(text) ?? domainOfMail(text);
  if (page !== undefined) return plainName(page);
  const { registry = '' } = readPackage(text);
  const elsewhere = registry && ofQualifier(registry, text);
  return elsewhere ? { text, beside: [elsewhere] } : plainName(text);
}

function started({ registry = '', name, version, address, beside = [] }: Command): StartedName[] {
  if (name === undefined) return address || registry ? [{ text: address ?? '', beside }] : [];
  return [{ text: address ?? nameOfPackage(registry, name, version), beside }];
}

/** An apostrophe within a word begins no text. */
const quoted = /(?<!\w)(?:'[^'\n]*'|"[^"$`\\\n]*")/g;

/** What a command for a shell starts or installs; unread if it has an operator. */
export function readStarted(text: string): StartedName[] {
  const given = text.match(/(?:(?<!\w)"[^"]*"|(?<!\w)'[^']*'|\S)+/g) ?? [];
  const words = given.map((word) =>
    word.replace(/^(["'])(.*)\1$/s, '$2').replace(/(?<=[\w*])(?:[,;:!?]|(?<!\([^)]*)\))+$/, ''),
  );
  const isShell = shellOperator.test(text.replace(quoted, ''));
  const own = isShell ? words.filter((word) => !shellOperator.test(word)) : words;
  const found = own.length < 2 ? [] : readCommandsIn(own).flatMap(started);
  return isShell && found.length > 0 ? [unread] : found;
}

const schemes = /(?:https?|wss?|git|ssh|git\+https?|git\+ssh|agent):\/\/.+/i;

/** A repository, an advisory, a package with its registry or a handle, wherever it stands. */
const isNameAnywhere = (word: string): boolean =>
  /^(?:github\.com\/[\w.-]+\/.|git@[\w.-]+:.)/i.test(word) ||
  advisoryForm.test(word) ||
  (/^\w+[:/]\S/.test(word) && (readForgePackage(word) ?? readPackage(word).registry) !== undefined) ||
  (isHandle(word) && isOfReversedDomain(word));

/** As sockets and proxies report it. */
const beforeHost = /^(?:CONNECT|E[A-Z_]{5,}|host:)$/;
const versionBehind =
  /^([^\s<>=~^!()]+?)(?:\s+\(?|@?(?=[<>=~^!]))[<>=~^!]*\s*v?\d\S*(?:\s+[<>=~^!]+\s*\d\S*)*$/;

/** Addresses and names in words, without pictures, such as badges. */
function readWords(line: string): StartedName[] {
  const [versioned, first = ''] = versionBehind.exec(line.trim()) ?? [];
  if (versioned && isNameAnywhere(first)) return [writtenAs(versioned)];
  const words = line.replace(/!\[[^\]]{0,99}\]\([^)\s]{0,500}\)/g, ' ').split(/[\s<>"'`|()[\]\\]+/);
  return words.flatMap((word, at) => {
    const [address] = schemes.exec(word) ?? [];
    const name = (address ?? word).replace(/[.,;:!?*]+$/, '');
    const isHost = beforeHost.test(words[at - 1] ?? '') && isHostForm(name);
    return address !== undefined || isHost || isNameAnywhere(name) ? [writtenAs(toAddress(name))] : [];
  });
}

/** A command in what npm reports is an example. */
const ofReport = /^\s*npm (?:err|warn|notice)/i;

/** Commands within words as lines of their own, unless a shell would run what they say first. */
function withCodeApart(line: string): string[] {
  const pieces = line.split('`');
  const isCode = (text: string, at: number) => at % 2 === 1 && /\s/.test(text.trim());
  const around = pieces.filter((_, at) => at % 2 === 0).join(' ');
  if (ofReport.test(line) || !pieces.some(isCode) || readStarted(around).length > 0) return [line];
  return pieces.map((text, at) => (isCode(text, at) ? text : `# ${text}`));
}

/** Of words, as Markdown or a sentence is written; any other line may be for a shell. */
const wordsForm = /^\s*(?:$|[#>*|<\d-]|\/\/)|[.:?!,)]\s*$|^\s*(?:[\p{L}’']+,?\s+){3}/u;

function readLine(line: string) {
  const parts = line.match(/(?:(?<!\w)"[^"]*"|(?<!\w)'[^']*'|[^&|;])+/g)?.filter((part) => part.trim()) ?? [];
  const read = parts.map((part) => ({ part, found: readStarted(part) }));
  const isStarted = !ofReport.test(line) && read.some(({ found }) => found.length > 0);
  if (!isStarted) return { line, isStarted, found: readWords(line) };
  const each = read.map(({ part, found }) => (found.length > 0 ? found : readWords(part)));
  return { line, isStarted, found: each.flatMap((found) => (found.length > 0 ? found : [unread])) };
}

/** Of `sh -c "..."`, what the shell runs. */
const shellForm = /^\s*(?:\S*\/)?(?:ba|da|k|z)?sh\s+(?:-\w+\s+)*-\w*c\s+(["'])(.*)\1\s*$/s;

const toNames = (files: readonly string[]) => files.map((one) => plainName(readForgePackage(one) ?? one));

/** What the lines of a block start, list or say. */
function readLines(block: string): StartedName[] {
  const [, , inner = block] = shellForm.exec(block) ?? [];
  const lines = inner
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .flatMap(withCodeApart)
    .map(readLine);
  const others = lines.flatMap(({ line, isStarted }) => (isStarted ? [] : line));
  const text = others.join('\n').trim();
  const reported = readReport(text);
  const listed = toNames(reported.length > 0 ? reported : readFile(text));
  const read = lines.filter(({ isStarted }) => isStarted || listed.length === 0);
  const found = [...read.flatMap((one) => one.found), ...listed];
  const named = found.filter(({ text }) => text !== '');
  const [only = unread, other] = named;
  // What is done with what an address has is its own; of a package, what the others do is not known.
  if (isAddressForm.test(only.text) && only.beside.length === 0 && !other) return named;
  const isUnread = read.some((one) => one.isStarted && one.found.every(({ text }) => text === ''));
  if (other) return isUnread ? [...named, unread] : named;
  if (named.length === 0) return found.length > 0 || inner !== block ? [unread] : [];
  const of = read.find((one) => one.isStarted && one.found.includes(only));
  if (of && of.found.length > 1) return [unread];
  const isOther = (one: (typeof read)[number]) => one.found.length === 0 && !wordsForm.test(one.line);
  return of && (found.length > named.length || read.some(isOther)) ? [only, unread] : named;
}

function readConfigured({ server, name }: ConfiguredServer): StartedName[] {
  const configured_as = name?.slice(0, longestVersion);
  const { address, given = [], variables = {} } = readServer(server);
  if (address !== undefined) return [{ text: address, beside: [], configured_as }];
  const [line = '', argument] = given;
  const whole = argument === undefined ? readLine(line).found : [];
  const read = whole.length > 0 ? whole : readCommands(given, variables).flatMap(started);
  return (read.length > 0 ? read : [unread]).map((one) => ({ ...one, configured_as }));
}

export const longestVersion = 100;
export const longest = 500;

/** Of what starts the same, with or without a word for the newest, the one that a client has a name for. */
function eachOnce(names: readonly StartedName[]): StartedName[] {
  const keyOf = ({ text, beside }: StartedName) => JSON.stringify([text.replace(/@\*$/, ''), beside]);
  const configured = new Set(names.filter((one) => one.configured_as !== undefined).map(keyOf));
  const each = names.filter((one) => one.configured_as !== undefined || !configured.has(keyOf(one)));
  const once = new Map(each.map((one) => [`${one.configured_as} ${keyOf(one)}`, one]));
  return [...once.values()];
}

/** What a pasted text names: each of its blocks is read, as configurations and then line by line. */
export const readPasted = (text: string): StartedName[] =>
  eachOnce(
    blocksOf(text)
      .flatMap((block) => {
        const { servers, rest } = takeServers(block);
        // A text of one word is read as it is.
        const isText = /[\s<>"'`|()[\]\\]|^\w+=\w+:\/\//.test(text);
        return [...servers.flatMap(readConfigured), ...(isText ? readLines(rest) : toNames(readFile(rest)))];
      })
      .map((one) => (one.text.length > longest ? { ...one, text: '' } : one)),
  );
