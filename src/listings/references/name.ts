import { isHandle } from '../../core/handle.ts';
import { hasPublicSuffix, isOfReversedDomain, repositoryIdentity } from '../../core/identity.ts';
import { attempt, ownMember } from '../../core/json.ts';
import { type Payee, payeeName, readNamedPayee, readPayeePage } from '../../core/payee.ts';
import { toRepositoryKey } from '../../net/repository-place.ts';
import { holdersOfDomain, isHolder } from '../../search/query.ts';
import { readOneTool, readToolNames } from '../../search/tool-names.ts';
import {
  type Beside,
  type Command,
  nameOfPackage,
  ofQualifier,
  readCommands,
  readCommandsIn,
} from './command.ts';
import { readServer } from './configured.ts';
import { domainOfMail, forges, readFile, readForgePackage, readPackagePage } from './package-pages.ts';
import { pastedServers } from './pasted.ts';
import { shellOperator } from './programs.ts';
import { type Reference, toAddressKey, toAdvisoryKey, toHost, toPackageKey } from './references.ts';

/** What somebody holds that may name a listing: a handle, an address, a domain, a package, a command. */
export interface Name {
  /** Without what is around it; empty for several names. */
  readonly text: string;
  /** The likeliest first, as are the references. */
  readonly handles: readonly string[];
  readonly references: readonly Reference[];
  readonly version?: VersionAsked | undefined;
  readonly beside: readonly Beside[];
  /** Of the address of a repository, what is behind it: a file, a path, a ref. */
  readonly within?: string | undefined;
  readonly tool?: ReturnType<typeof readOneTool>;
  /** A command that Dossier cannot read has no name. */
  readonly isUnread?: boolean;
  /** Of a configuration or commands, if several. */
  readonly servers?: readonly Name[];
  /** What an answer may repeat: commands and configurations are not, because they may have keys. */
  readonly said: string;
  /** Of a server in a configuration. */
  readonly configured_as?: string | undefined;
}

/** `isExact` is false if an operator makes the version a range. */
export interface VersionAsked {
  readonly text: string;
  readonly isExact: boolean;
}

const longest = 500;
export const longestPasted = 4000;

const registries: Readonly<Record<string, string>> = {
  npm: 'npm',
  pypi: 'pypi',
  pip: 'pypi',
  oci: 'oci',
  docker: 'oci',
  nuget: 'nuget',
  cargo: 'cargo',
  mcpb: 'mcpb',
};
/** As of OSV, GitHub and CVE. */
const advisoryForm = /^(?:(?:mal|cve|pysec|rustsec)-\d{4}-\d+|ghsa(?:-[\da-z]{4}){3})$/i;
const packageForm = /^(?=.{1,200}$)@?[a-z0-9][\w.-]*(?:\/[\w.-]+)*$/i;

/** As in `@1.2.3`, `==1.2.3`, `>=2`, `^1.2`, `(>=1,<2)`, `:1.2`, ` v1.2`, `@sha256:...`, `[all]`. */
const behindName = /(?<=.)(?:@[^/@]*|\s*\(?[=~<>!^].*|:[\w.-]+|\s+v?\d[\w.+-]*|\[[\w\s,.-]*\])$/;

/** Twice, because an image may have a tag and a digest, and a package an extra and a version. */
const withoutVersion = (name: string) => name.replace(behindName, '').replace(behindName, '');

/** `text` is as `npm:name@version`, or an address; empty for what has no plain name here. */
interface StartedName {
  readonly text: string;
  readonly beside: readonly Beside[];
  readonly configured_as?: string | undefined;
}

function started({ registry = '', name, version, address, beside = [] }: Command): StartedName[] {
  if (name === undefined) return address || registry ? [{ text: address ?? '', beside }] : [];
  return [{ text: address ?? nameOfPackage(registry, name, version), beside }];
}

const unread: StartedName = { text: '', beside: [] };

/** Of `sh -c "..."`, what the shell runs. */
const shellForm = /^(?:\S*\/)?(?:ba|da|k|z)?sh\s+(?:-\w+\s+)*-\w*c\s+(["'])(.*)\1\s*$/s;

function commandWords(text: string): string[] {
  if (shellOperator.test(text.replace(/'[^']*'|"[^"$`\\]*"/g, ''))) return [];
  const given = text.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return given.length < 2 ? [] : given.map((word) => word.replace(/^(["'])(.*)\1$/s, '$2'));
}

const readStarted = (text: string) => readCommandsIn(commandWords(text)).flatMap(started);

/** The only address is what a command of a client adds, as in `claude mcp add NAME URL`. */
function readCommanded(text: string): StartedName[] {
  const found = readStarted(text);
  if (found.length > 0) return found;
  const named = commandWords(text).flatMap(
    (word) =>
      readForgePackage(word) ??
      (/^github\.com\/[\w.-]+\//i.test(word) || isAddressForm.test(word) ? word : []),
  );
  return named.length === 1 ? named.map((one) => ({ text: one, beside: [] })) : [];
}

/** Of several for a shell, those that have names. */
function readEach(text: string): StartedName[] {
  const [, , inner = text] = shellForm.exec(text) ?? [];
  const commands = inner.match(/(?:"[^"]*"|'[^']*'|[^&|;\n])+/g) ?? [];
  if (commands.length === 1) return inner === text ? [] : readCommanded(inner);
  const found = commands.flatMap((command) => readCommanded(command.trim()));
  const named = found.filter((one) => one.text !== '');
  const [only = unread, other] = named;
  // What is done with what an address has is its own; of a package, what the others do is not known.
  if (other || (isAddressForm.test(only.text) && only.beside.length === 0)) return named;
  return found.length > 0 || inner !== text ? [unread] : [];
}

const readConfigured = (text: string): StartedName[] =>
  pastedServers(text).flatMap(({ server, name }) => {
    const configured_as = name?.slice(0, longestVersion);
    const { address, given = [], variables = {} } = readServer(server);
    if (address !== undefined) return [{ text: address, beside: [], configured_as }];
    const [line = '', argument] = given;
    const whole = argument === undefined ? readCommanded(line) : [];
    const read = whole.length > 0 ? whole : readCommands(given, variables).flatMap(started);
    return (read.length > 0 ? read : [unread]).map((one) => ({ ...one, configured_as }));
  });

/**
 * A page of a package as the package (`npm:name@version`), a package of a forge as its repository, an
 * address of mail as its domain, a command as what it starts, or the text as it is.
 */
function writtenAs(text: string): readonly StartedName[] {
  const page = readPackagePage(text) ?? readForgePackage(text) ?? domainOfMail(text);
  if (page !== undefined) return [{ text: page, beside: [] }];
  const { registry = '' } = readPackage(text);
  const elsewhere = registry && ofQualifier(registry, text);
  if (elsewhere) return [{ text, beside: [elsewhere] }];
  const commanded = readCommanded(text);
  return commanded.length > 0 ? commanded : [{ text, beside: [] }];
}

function readPackage(written: string) {
  // A package URL encodes the @ of a scope and ends with qualifiers and a path.
  const plain = /^pkg:/i.test(written)
    ? (attempt(() => decodeURIComponent(written.replace(/[?#].*$/s, ''))) ?? written)
    : written;
  const [, prefix = '', rest = ''] = /^(?:pkg:)?(?:([a-z]+)[:/](?!\/))?(.*)$/i.exec(plain) ?? [];
  const registry = ownMember(registries, prefix.toLowerCase());
  return { registry, named: registry ? rest.replace(/^\/\//, '') : plain };
}

const longestVersion = 100;

function versionIn(plain: string): VersionAsked | undefined {
  const { named } = readPackage(plain);
  const behind = named
    .slice(withoutVersion(named).length)
    .replace(/\[[^\]]*\]/, '')
    .trim()
    .replace(/^\((.*)\)$/, '$1');
  const [, sign = '', version = ''] =
    /^(@=?|:|={1,3}(?![~<>!])|[=~<>!^]+|(?=v?\d))\s*(.*)$/s.exec(behind) ?? [];
  if (version === '') return undefined;
  const isExact = /^(?:@=?|:|={0,3})$/.test(sign);
  const [, digest] = /@(sha256:[\da-f]{64})$/.exec(behind) ?? [];
  const asked = digest ?? (isExact ? version : behind);
  return { text: asked.slice(0, longestVersion), isExact };
}

function toPackageReferences(plain: string): Reference[] {
  const { registry, named } = readPackage(plain.replace(/^sha256:(?=[\da-f]{64}$)/i, ''));
  const name = withoutVersion(named);
  if (!packageForm.test(name)) return [];
  const types = registry ? [registry] : [undefined, 'pypi', 'oci'];
  const keys = new Set(types.map((type) => toPackageKey(name, type)));
  return [...keys].map((key) => ({ kind: 'package', key, registry }));
}

export function payeeReferences({ address: key, network }: Payee): Reference[] {
  const anywhere = { kind: 'pay_to' as const, key };
  return network === undefined ? [anywhere] : [{ ...anywhere, network }, anywhere];
}

/** None for a package with its registry (`oci:image:1.2`). */
function toPayeeReferences(plain: string): Reference[] {
  const payee = readPackage(plain).registry ? undefined : readNamedPayee(plain);
  return payee ? payeeReferences(payee) : [];
}

export const isAtForge = ({ kind, key }: Reference): boolean =>
  kind === 'repository' && forges.some((forge) => key.startsWith(`${forge}/`));

/** Whoever holds the domain (`example.com`, `com.example`) or the account (`github.com/alice`). */
export function toOwners(key: string): Reference[] {
  const account = isAtForge({ kind: 'repository', key }) ? repositoryIdentity(key) : undefined;
  const ids = account ? [account] : holdersOfDomain(key).map(({ id }) => id);
  return ids.map((id) => ({ kind: 'owner', key: id }));
}

/** Of a host below a domain, the namespace of this host alone: whoever has the domain may not have it. */
const toNamespaces = (bare: string): Reference[] =>
  holdersOfDomain(bare).map(({ place }) => ({ kind: 'owner', key: place.replace(/^dns:/, '') }));

const isAddressForm = /^(?:https?|git|ssh|git\+https?|git\+ssh):\/\/|^[\w-]+@[\w.-]+:/i;
const hostForm = /^[\w\p{L}\p{M}-]+(?:\.[\w\p{L}\p{M}-]+)+(?::\d+)?(?:$|(?:\/[\w.~@-]+)+\/?(?:\?\w\S*)?$)/u;

/** Letters beyond ASCII are of a host only below a domain that exists, and of no handle. */
const isHostForm = (text: string): boolean =>
  hostForm.test(text) && (/^[\0-\x7f]*$/.test(text) || hasPublicSuffix(text.replace(/[/:?].*$/s, '')));

/** What a page shows of a repository itself is not behind it. */
function withinRepository(address: string, references: readonly Reference[]): string | undefined {
  const { key } = references.find(({ kind }) => kind === 'repository') ?? {};
  const at = key === undefined ? -1 : address.toLowerCase().indexOf(key);
  const behind = key === undefined || at < 0 ? '' : address.slice(at + key.length).replace(/^\.git\b/i, '');
  const said = behind
    .replace(/^\/?\?tab=.*/is, '')
    .replace(/^\/?#(?:readme$)?/i, '')
    .replace(/\/+$/, '');
  return said === '' ? undefined : said.replace(/\?.*$/s, '?…');
}

/** The most exact first: an address with a query may be recorded without it, as may a file. */
function toPlaceReferences(text: string): Reference[] {
  const isAddress = isAddressForm.test(text);
  if ((!isAddress && !isHostForm(text)) || text.includes('*')) return [];
  const written = isAddress ? text : `https://${text}`;
  const address = toAddressKey(written);
  const repository = toRepositoryKey(written);
  const keys = address ? [...new Set([address, address.replace(/\?.*$/s, '')])] : [];
  const endpoints = keys.map((key) => ({ kind: 'endpoint' as const, key }));
  const [, path = '', rest] = address?.split('/', 3) ?? [];
  const bare = address && !/[/?]/.test(address) ? toHost(address) : undefined;
  const isAccount = path !== '' && rest === undefined;
  const owners = bare ? toNamespaces(bare) : address && isAccount ? toOwners(address) : [];
  const isOwn = owners.some(({ key }) => isHolder(key));
  return [
    ...(isOwn ? owners : []),
    ...(bare && !isAddress ? [] : endpoints.slice(0, 1)),
    ...(address && isAddress ? [{ kind: 'package' as const, key: address }] : []),
    ...endpoints.slice(1),
    ...(repository ? [{ kind: 'repository' as const, key: repository }] : []),
    ...(isAddress ? [] : toPackageReferences(text)),
    ...(bare ? [{ kind: 'host' as const, key: bare }] : []),
    ...(isOwn ? [] : owners),
  ];
}

/** What a name that no listing has is taken for. */
export function meantOf(references: readonly Reference[]): Reference | undefined {
  const [first] = references;
  if (first?.kind === 'endpoint' || first?.kind === 'owner') return first;
  const host = references.find(({ kind, key }) => kind === 'host' && hasPublicSuffix(key));
  return host ?? references.find(({ kind }) => kind === 'owner') ?? first;
}

function referencesIn(plain: string): Reference[] {
  if (plain === '' || plain.length > longest) return [];
  if (advisoryForm.test(plain)) return [{ kind: 'advisory', key: toAdvisoryKey(plain) }];
  const paid = toPayeeReferences(plain);
  // A Solana address has only letters and digits, like a package.
  if (paid.length > 0) return paid[0]?.key.startsWith('0x') ? paid : [...paid, ...toPackageReferences(plain)];
  const places = toPlaceReferences(plain);
  return places.length > 0 ? places : toPackageReferences(plain);
}

/** Also of a handle, which may be an image or an address. */
export function toReferences(text: string): Reference[] {
  const [only = unread, other] = text.length > longest ? [] : writtenAs(text);
  return other ? [] : referencesIn(only.text);
}

/** An owner has no dot, but a namespace has one. */
const isOwnerAndName = (text: string): boolean => /^[\w-]{1,100}\/[\w.-]{1,100}$/.test(text);

/** A handle is nothing else, unless no domain can be its namespace; then it may be an address or an image. */
function besideHandle(handle: string): Reference[] {
  if (isOwnerAndName(handle))
    return [
      ...forges.map((forge): Reference => ({ kind: 'repository', key: `${forge}/${handle.toLowerCase()}` })),
      ...toPackageReferences(handle),
    ];
  return isOfReversedDomain(handle) ? [] : toReferences(handle);
}

/** Whether changes of other listings can make it the name of another one. */
export const isOnlyHandle = (text: string): boolean => isHandle(text) && besideHandle(text).length === 0;

/** Addresses of registries, where no service is: a handle in any other address says nothing. */
const registryAddress =
  /^(?:https?:\/\/)?(?:registry\.modelcontextprotocol\.io|github\.com(?=\/mcp\/))(?=\/)/i;

function handlesInAddress(text: string, publicUrl: string): string[] {
  const path = text.startsWith(`${publicUrl}/`)
    ? text.slice(publicUrl.length)
    : text.replace(/^agent:\/\//, '/agents/').replace(registryAddress, '');
  const plain = attempt(() => decodeURIComponent(path)) ?? path;
  const [, handle] =
    /^\/(?:agents|badge|claim|ratings|mcp|v\d[\w.]*\/servers)(?:\/|\?(?:.*&)?search=)([^/?#&]+\/[^/?#&]+)/.exec(
      plain,
    ) ?? [];
  return handle === undefined || !isHandle(handle) ? [] : [handle, handle.replace(/\.(json|md|svg)$/, '')];
}

const around = /^(?:<(.*)>|"([^"]*)"|'([^']*)'|`([^`]*)`|\[[^\]]*\]\((\S*)\))$/s;

/** What a proxy, a socket, a client of GitHub or a line of a workflow is the address of. */
const otherwise: readonly (readonly [form: RegExp, is: string])[] = [
  [/^wss?:\/\/(?=\S+$)/i, 'https://'],
  [/^CONNECT\s+(\S+)(?:\s+HTTP\/[\d.]+)?$/, '$1'],
  [/^(?:gh|(?:claude\s+|\/)plugin)\s(?:.*\s)?([\w-]+\/[\w.-]+)(?:\s+-.*)?$/, 'https://github.com/$1'],
];

/** Of a text of which nothing may be repeated. */
export const nothingSaid = '…';

/** Without what may be a key: queries, passwords, options, settings (not `>=1`) and what follows. */
const withoutValues = (text: string): string =>
  text
    .replace(/(?<=:\/\/)[^\s/@]*@/g, '')
    .replace(/(?:\?\S|(?<=:\/\/\S*)#).*$/s, '')
    .replace(/(?:^|\s)(?:-|\S*(?:["'{]|(?<![<>=!~@])=(?!=v?\d)|:(?=\s|$))).*$/s, ' …')
    .trim();

/** Not words of a text: an address, an advisory, a payee, a command, a package with its registry. */
export const isOnlyName = ({ text, references }: Name, asked: string): boolean =>
  text !== asked.trim() ||
  text.includes('://') ||
  references.some(({ kind, registry }) => kind === 'advisory' || kind === 'pay_to' || registry !== undefined);

/** A text with several names, such as a configuration, as each of them. */
export function readNames(asked: string, publicUrl: string): readonly Name[] {
  const name = readName(asked, publicUrl);
  return name.servers ?? [name];
}

/** Nothing for a text of more than 4,000 characters. */
export function readName(asked: string, publicUrl: string): Name {
  const said = withoutValues(asked.slice(0, longest));
  const none = { text: '', handles: [], references: [], beside: [], said };
  if (asked.length > longestPasted) return none;
  const bare = asked.trim().replace(around, '$1$2$3$4$5').trim();
  const trimmed = otherwise.reduce((text, [form, is]) => text.replace(form, is), bare);
  if (trimmed === '') return none;
  const payee = readPayeePage(trimmed, publicUrl);
  if (payee) return { ...none, text: payeeName(payee), references: payeeReferences(payee) };
  const tool = readOneTool(trimmed);
  const { text: ofServer } = readToolNames(trimmed);
  if (tool && ofServer !== trimmed) return { ...none, text: ofServer, tool };
  const configured = readConfigured(trimmed);
  const ofFile = readFile(trimmed, readStarted(trimmed).length === 0).map(
    (text): StartedName => ({ text: readForgePackage(text) ?? text, beside: [] }),
  );
  const several = [configured, ofFile].find(({ length }) => length > 0) ?? readEach(trimmed);
  const pasted = several.length > 0 ? several : readCommanded(trimmed);
  const names = pasted.map((one) => toName(one, publicUrl));
  const [only, other] = names;
  if (other)
    return {
      ...none,
      said: names.map((one) => one.said).join(', '),
      servers: names,
      beside: pasted.flatMap(({ beside }) => beside),
    };
  // How the recorded name is written is told of a command alone.
  if (only) {
    const text = several === configured || several === ofFile ? only.text : trimmed;
    return { ...only, text, said: only.said || said };
  }
  if (isHandle(trimmed)) return toName({ text: trimmed, beside: [] }, publicUrl);
  if (trimmed.length > longest) return none;
  const [plain = unread] = writtenAs(trimmed);
  const named = toName(plain, publicUrl);
  // Its repository may be recorded without the image.
  const at = named.references[0]?.registry === 'oci' ? toPlaceReferences(trimmed).filter(isAtForge) : [];
  return { ...named, references: [...named.references, ...at], text: trimmed, said, tool };
}

function toName({ text: plain, beside, configured_as }: StartedName, publicUrl: string): Name {
  const said = withoutValues(plain);
  const own = { text: plain, said, beside, ...(configured_as !== undefined && { configured_as }) };
  if (isHandle(plain)) return { ...own, handles: [plain], references: besideHandle(plain) };
  const bare = withoutVersion(plain);
  const isVersion = bare !== plain && isHandle(bare);
  const references = isVersion ? besideHandle(bare) : referencesIn(plain);
  return {
    ...own,
    handles: isVersion ? [bare] : handlesInAddress(plain, publicUrl),
    references,
    version: isAddressForm.test(plain) ? undefined : versionIn(plain),
    within: beside.some(({ what }) => what === 'code') ? undefined : withinRepository(plain, references),
    isUnread: plain === '',
  };
}
