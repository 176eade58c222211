import { isHandle } from '../../core/handle.ts';
import { hasPublicSuffix, isOfReversedDomain } from '../../core/identity.ts';
import { attempt, ownMember } from '../../core/json.ts';
import { stopWords } from '../../search/words.ts';
import {
  type Beside,
  type Command,
  nameOfPackage,
  ofQualifier,
  readCommands,
  readCommandsIn,
} from './command.ts';
import { type ConfiguredServer, readServer } from './configured.ts';
import { domainOfMail, readFile, readForgePackage, readPackagePage, readSaid } from './package-pages.ts';
import { blocksOf, takeServers } from './pasted.ts';
import { fileForm } from './references.ts';
import { commandsIn } from './shell.ts';

/** `text` is as `npm:name@version`, or an address; empty for what has no plain name here. */
export interface StartedName {
  readonly text: string;
  readonly beside: readonly Beside[];
  /** Of one command, the words behind its package, which may be secrets. */
  readonly given?: readonly string[] | undefined;
  readonly configured_as?: string | undefined;
  /** An address that a document may only link to. */
  readonly isLinked?: true;
}

const plainName = (text: string): StartedName => ({ text, beside: [] });
const unread = plainName('');

const otherNames: Readonly<Record<string, string>> = { pip: 'pypi', pipx: 'pypi', docker: 'oci' };
const registries = /^(?:npm|pypi|oci|nuget|cargo|mcpb)$/;

/** As of OSV, GitHub and CVE. */
export const advisoryForm = /^(?:(?:mal|cve|pysec|rustsec)-\d{4}-\d+|ghsa(?:-[\da-z]{4}){3})$/i;

export function readPackage(written: string) {
  // A package URL encodes the @ of a scope and ends with qualifiers and a path.
  const plain = /^pkg:/i.test(written)
    ? (attempt(() => decodeURIComponent(written.replace(/[?#].*$/s, ''))) ?? written)
    : written;
  const [, prefix = '', rest = ''] = /^(?:pkg:)?(?:([a-z]+)(?::\/\/|[:/](?!\/)))?(.*)$/i.exec(plain) ?? [];
  const named = ownMember(otherNames, prefix.toLowerCase()) ?? prefix.toLowerCase();
  const registry = registries.test(named) ? named : undefined;
  return { registry, named: registry ? rest.replace(/^\/\//, '') : plain };
}

export const isAddressForm = /^(?:https?|git|ssh|git\+https?|git\+ssh):\/\/|^[\w-]+@[\w.-]+:/i;
const hostForm = /^[\w\p{L}\p{M}-]+(?:\.[\w\p{L}\p{M}-]+)+(?::\d+)?(?:$|(?:\/[\w.~@-]+)+\/?(?:\?\w\S*)?$)/u;

/** Letters beyond ASCII are of a host only below a domain that exists, and of no handle. */
export const isHostForm = (text: string): boolean =>
  hostForm.test(text) &&
  !fileForm.test(text) &&
  (/^[\0-\x7f]*$/.test(text) || hasPublicSuffix(text.replace(/[/:?].*$/s, '')));

/**
 * How chats, documents, logs and other languages write a name: what is around it, escapes, and what a socket,
 * a client of GitHub, or the metadata of a sign-in is the address of.
 */
const otherwise: readonly (readonly [form: RegExp, is: string])[] = [
  [/^(?:[-*>•]|\d+[.)])\s+(?=\S+$)/u, ''],
  [
    /^(?:\*{1,2}|__?|~~|["'`<(«“„‘「『（【])([^"'`<>()«»“”„‘’「」『』（）]*?)(?:\*{1,2}|__?|~~|["'`>)»“”’」』）】])$/u,
    '$1',
  ],
  [/^(\S+?)[.,;!?…。，、！？；：]+$/u, '$1'],
  // As sha256sum prints it.
  [/^([\da-f]{64})\s+\*?(?!\S*:\/\/)\S+$/i, '$1'],
  [/\\(?=[/&?=])/g, ''],
  [/&#58;/g, ':'],
  // A system does not find the program itself.
  [/^.*(?:\bcommand not found\b|\bis not recognized as\b|\bspawn \S+ E[A-Z]+\b).*$|^\S+ not found$/gm, ''],
  [/&amp;/g, '&'],
  [/\[\.\]/g, '.'],
  [/^hxxp/i, 'http'],
  [/^wss?:\/\/(?=\S+$)/i, 'https://'],
  [/^(?:gh|(?:claude\s+|\/)plugin)[\s:](?:.*\s)?([\w-]+\/[\w.-]+)(?:\s+-.*)?$/, 'https://github.com/$1'],
  [/^([\w-]+\/[\w.-]+)(?=#[\w./-]+$)/, 'https://github.com/$1'],
  [
    /^(?:https:\/\/)?github\.com\/(?:(?:orgs|sponsors|users)\/([\w-]+)(?!.*\/container\/)|([\w-]+)(?=\?|$))\S*$/i,
    'https://github.com/$1$2',
  ],
  [/(?<=^https:\/\/github\.com\/[\w-]+\/[\w.-]+)@(?=[\w./-]+$)/i, '#'],
  [/^((?:[a-z]{2,}\.)+[\w-]+)(?:%2f|\s*[\\/]\s*)([\w.-]+)\/?$/i, '$1/$2'],
  [/^(\S+?),?\s+(?:\((?:version\s+)?|version:?\s+)(v?\d[\w.+-]*)\)?$/i, '$1@$2'],
  [/^@(?=(?:io|com|org|net|dev|ai|app|co)\.[\w.-]+\/[\w.-]+$)/i, ''],
  [/(?<=^https?:\/\/[^/\s]+)\/\.well-known\/oauth-protected-resource(?=\/|$)/i, ''],
];

const invisible = /[\u200b-\u200d\u2060\ufeff]+/g;
export const toAddress = (text: string): string =>
  otherwise.reduce(
    (found, [form, is]) => found.replace(form, is).trim(),
    // Within a word it is a part of the word.
    text
      .replace(invisible, (found, at) =>
        /\S/.test(text[at - 1] ?? ' ') && /\S/.test(text[at + found.length] ?? ' ') ? found : ' ',
      )
      .trim(),
  );

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

function started({ registry = '', name, version, address, beside = [], given }: Command): StartedName[] {
  if (name !== undefined) return [{ text: address ?? nameOfPackage(registry, name, version), beside, given }];
  if (!address && !registry) return [];
  const { text } = writtenAs(address ?? '');
  // The file of a package in its registry is the published package.
  return [
    { text, beside: readPackage(text).registry ? beside.filter(({ what }) => what !== 'code') : beside },
  ];
}

/** What a command starts or installs. */
const startedBy = (words: readonly string[]): StartedName[] =>
  words.length < 2
    ? []
    : readCommandsIn(words.map((word) => word.replace(/(?<=[\w*])(?:[,;:!?…]|\.+$|(?<!\([^)]*)\))+$/, '')))
        // The next word of a sentence is no package.
        .filter(({ name = '' }) => !stopWords.has(name) || words.at(-1) === name)
        .flatMap(started);

export const isStarting = (text: string): boolean =>
  commandsIn(text).some((words) => startedBy(words).length > 0);

const schemes = /(?:https?|hxxps?|wss?|git|ssh|git\+https?|git\+ssh|agent):\/\/[^\s/?#]+[!-~]*/i;
/** Around names, in any script; some scripts write no spaces. */
const between = /[\s<>"'`|()\\«»“”„‘’「」『』（）【】，。、；：！？…]+/u;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/u;

/**
 * A repository, an advisory, a package with its registry or a scope, a handle, or a place below a host,
 * wherever it stands.
 */
const isNameAnywhere = (word: string): boolean =>
  /^@[a-z\d][\w.-]*\/[a-z\d][\w.-]*(?:@[\w.^~-]+)?$/i.test(word) ||
  (/^[\w-]+\.[\w.-]+(?::\d+)?\/[\w@]/.test(word) &&
    isHostForm(word) &&
    hasPublicSuffix(word.replace(/[:/].*$/s, ''))) ||
  /^(?:github\.com\/[\w.-]+\/.|git@[\w.-]+:.)/i.test(word) ||
  advisoryForm.test(word) ||
  (/^\w+(?::\/\/|[:/])\S/.test(word) &&
    (readForgePackage(word) ?? readPackage(word).registry) !== undefined) ||
  (isHandle(word) && isOfReversedDomain(word));

/** As sockets and proxies report it. */
const beforeHost = /^(?:CONNECT|E[A-Z_]{5,}|host:)$/;
const versionBehind =
  /^([^\s<>=~^!()]+?)(?:\s+\(?|@?(?=[<>=~^!]))[<>=~^!]*\s*v?\d\S*(?:\s+[<>=~^!]+\s*\d\S*)*$/;

const servingForm = /(?:^|[/.-])(?:mcp|sse|a2a)(?:[/.?-]|$)/i;

/** A page of anything, but not of a package, a repository or a service by its address. */
const isLink = (text: string): boolean =>
  isAddressForm.test(text) &&
  !servingForm.test(text.replace(/^\w+:\/\//, '')) &&
  readPackage(text).registry === undefined;

/** Addresses and names in words, without pictures, such as badges. */
function readWords(line: string): StartedName[] {
  const [versioned, first = ''] = versionBehind.exec(line.trim()) ?? [];
  if (versioned && isNameAnywhere(first)) return [writtenAs(versioned)];
  const words = line
    .replace(/!\[[^\]]{0,99}\]\([^)\s]{0,500}\)/g, ' ')
    .replace(/\\(?=[/&?=])/g, '')
    .replaceAll('[.]', '.')
    .split(between)
    .flatMap((word) => word.split(/[[\]]+/));
  return words.flatMap((word, at) => {
    const [address] = schemes.exec(word) ?? [];
    return (address !== undefined ? [address] : word.split(unspaced)).flatMap((one) => {
      const name = one.replace(/[.,;:!?*~]+$/, '');
      const isHost = beforeHost.test(words[at - 1] ?? '') && isHostForm(name);
      if (address === undefined && !isHost && !isNameAnywhere(name)) return [];
      const read = writtenAs(name.startsWith('@') ? `npm:${name}` : toAddress(name));
      return [isLink(read.text) ? { ...read, isLinked: true as const } : read];
    });
  });
}

/** A command in what npm reports is an example. */
const ofReport = /^\s*npm (?:err|warn|notice)/i;

/** Commands within words as lines of their own, unless a shell would run what they say first. */
function withCodeApart(line: string): string[] {
  const pieces = line.split('`');
  const isCode = (text: string, at: number) => at % 2 === 1 && /\s/.test(text.trim());
  const around = pieces.filter((_, at) => at % 2 === 0).join(' ');
  if (ofReport.test(line) || !pieces.some(isCode) || isStarting(around)) return [line];
  return pieces.map((text, at) => (isCode(text, at) ? text : `# ${text}`));
}

/** Of words, as Markdown, a setting or a sentence is written; any other line may be for a shell. */
const wordsForm =
  /^\s*(?:$|[#>*|<\d-]|\/\/|(?!(?:run|script|cmds?|command|entrypoint)\b)[\w.-]+:\s)|[.:?!,)]\s*$|^\s*(?:[\p{L}’']+,?\s+){3}/u;

/** As a shell or a notebook asks for a command. */
const prompt = /^\s*(?:[$>%!❯➜]|PS[^>\n]*>|\[?\w+@[\w-]+[^$#\n]*[$#])\s*(?=\w)/;

/** What is in quotes or is to be filled in. */
const withinWords = /(?<!\w)(?:'[^'\n]*'|"[^"$`\\\n]*")|<[A-Za-z][\w .-]*>/g;
/** A program of the machine itself. */
const ownProgram = /^\s*(?:(?:(?:\.{1,2}|~|[a-z]:)?[\\/](?!\/)|node_modules[\\/])\S|[a-z]:\\)/i;

function readLine(written: string) {
  const line = written.replace(prompt, '');
  const isWhole = !/[<>`]|\$\(/.test(line.replace(withinWords, ''));
  const read = commandsIn(line.replace(/[()]/g, ' ')).map((words) => ({ words, found: startedBy(words) }));
  const isStarted = !ofReport.test(line) && read.some(({ found }) => found.length > 0);
  if (!isStarted) return { line, isStarted, found: ownProgram.test(line) ? [] : readWords(line) };
  const each = read.flatMap(({ words, found }) => {
    if (found.length > 0 || words.length === 0) return isWhole ? found : [unread];
    const said = readWords(words.join(' ')).map(({ isLinked: _, ...one }) => one);
    return said.length > 0 ? said : [unread];
  });
  return { line, isStarted, found: each };
}

const toNames = (files: readonly string[]) => files.map((one) => plainName(readForgePackage(one) ?? one));

/** What the lines of a block start, list or say. */
function readLines(block: string): StartedName[] {
  const lines = block
    .replace(/\\\r?\n/g, ' ')
    .split('\n')
    .flatMap(withCodeApart)
    .map(readLine);
  const others = lines.flatMap(({ line, isStarted }) => (isStarted ? [] : line));
  const text = others.join('\n').trim();
  const listed = toNames(readFile(text));
  const read = lines.filter(({ isStarted }) => isStarted || listed.length === 0);
  const written = [...read.flatMap((one) => one.found), ...listed];
  const found = written.length > 0 ? written : toNames(readSaid(text));
  const named = found.filter(({ text }) => text !== '');
  const [only = unread, other] = named;
  // What is done with what an address has is its own; of a package, what the others do is not known.
  if (isAddressForm.test(only.text) && only.beside.length === 0 && !other) return named;
  const isUnread = read.some((one) => one.isStarted && one.found.every(({ text }) => text === ''));
  if (other) return isUnread ? [...named, unread] : named;
  if (named.length === 0) return found.slice(0, 1);
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
  const same = Map.groupBy(each, (one) => `${one.configured_as} ${keyOf(one)}`);
  // Of commands with different arguments, those of none.
  const isOne = ([one, ...others]: StartedName[]) =>
    others.every(({ given }) => JSON.stringify(given) === JSON.stringify(one?.given));
  return [...same.values()].flatMap((all) =>
    all.slice(-1).map((one) => (isOne(all) ? one : { ...one, given: undefined })),
  );
}

/** What a pasted text names: each of its blocks is read, as configurations and then line by line. */
export const readPasted = (text: string): StartedName[] =>
  eachOnce(
    blocksOf(text)
      .flatMap((block) => {
        const { servers, rest } = takeServers(block);
        // A text of one word is read as it is.
        const isText =
          /[\s[\]]|^\w+=\w+:\/\//.test(text) ||
          (!isHostForm(text) && text.split(between).concat(text.split(unspaced)).length > 2);
        return [...servers.flatMap(readConfigured), ...(isText ? readLines(rest) : toNames(readFile(rest)))];
      })
      .map((one) => (one.text.length > longest ? { ...one, text: '' } : one)),
  );
