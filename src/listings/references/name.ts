import { isHandle } from '../../core/handle.ts';
import { hasPublicSuffix, isOfReversedDomain, repositoryIdentity } from '../../core/identity.ts';
import { attempt } from '../../core/json.ts';
import { type Payee, payeeName, readNamedPayee, readPayeePage } from '../../core/payee.ts';
import { foldersInLink, toRepositoryKey } from '../../net/repository-place.ts';
import { holdersOfDomain, isHolder } from '../../search/query.ts';
import { readOneTool, readToolNames } from '../../search/tool-names.ts';
import { atDigest, type Beside } from './command.ts';
import { isAccented, toPlainWords } from './look-alike.ts';
import { forges } from './package-pages.ts';
import {
  isPlace,
  type Reference,
  toAddressKey,
  toAdvisoryKey,
  toCalled,
  toFolderReference,
  toHost,
  toPackageKey,
} from './references.ts';
import {
  advisoryForm,
  isAddressForm,
  isHostForm,
  isStarting,
  longest,
  longestVersion,
  readPackage,
  readPasted,
  type StartedName,
  toAddress,
  writtenAs,
} from './started.ts';

/** What somebody holds that may name a listing: a handle, an address, a domain, a package, a command. */
export interface Name {
  /** Without what is around it; empty for several names. */
  readonly text: string;
  /** The likeliest first, as are the references. */
  readonly handles: readonly string[];
  readonly references: readonly Reference[];
  readonly version?: VersionAsked | undefined;
  readonly beside: readonly Beside[];
  readonly given?: StartedName['given'];
  /** Of the address of a repository, what is behind it: a file, a path, a ref. */
  readonly within?: string | undefined;
  readonly tool?: ReturnType<typeof readOneTool>;
  /** A command that Dossier cannot read has no name. */
  readonly isUnread?: boolean;
  /** Of more than 4,000 characters nothing is read. */
  readonly isTooLong?: boolean;
  /** An address that a document may only link to. */
  readonly isLinked?: true | undefined;
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

export const longestPasted = 4000;

const packageForm = /^(?=.{1,200}$)@?[a-z0-9][\w.-]*(?:\/[\w.-]+)*$/i;

/** As in `@1.2.3`, `==1.2.3`, `>=2`, `^1.2`, `(>=1,<2)`, `:1.2`, ` v1.2`, `@sha256:...`, `[all]`. */
const behindName = /(?<=.)(?:@[^/@]*|\s*\(?[=~<>!^].*|:[\w.-]+|\s+v?\d[\w.+-]*|\[[\w\s,.-]*\])$/;

/** Twice, because an image may have a tag and a digest, and a package an extra and a version. */
const withoutVersion = (name: string) => name.replace(behindName, '').replace(behindName, '');

/** A digest is a name of its own, and no version. */
const packageIn = (plain: string) => readPackage(atDigest(plain).replace(/^sha256:(?=[\da-f]{64}$)/i, ''));

function versionIn(plain: string): VersionAsked | undefined {
  const { named } = packageIn(plain);
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
  const { registry, named } = packageIn(plain);
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

const toRepositories = (key: string): Reference[] => [
  { kind: 'repository', key },
  { kind: 'moved', key },
];

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
    ...(repository
      ? [
          ...foldersInLink(written, repository).map((one) => toFolderReference(repository, one)),
          ...toRepositories(repository),
        ]
      : []),
    ...(isAddress ? [] : toPackageReferences(text)),
    ...(bare && !isAddress ? [] : keys.map((key) => ({ kind: 'template' as const, key }))),
    ...(bare ? [{ kind: 'host' as const, key: bare }] : []),
    ...keys.slice(-1).flatMap((key) => (key === repository ? [] : { kind: 'moved' as const, key })),
    ...(isOwn ? [] : owners),
  ];
}

/** As clients show a server: the name after the slash, or the title. */
const calledForm = /^[\p{L}\d][\p{L}\d _.:&+'’()|-]{1,99}$/u;

/** Of a name alone; last, because what is recorded says more than what it is called. */
const withCalled = (text: string, references: readonly Reference[]): readonly Reference[] =>
  calledForm.test(text) &&
  references.every(({ kind, registry }) => kind === 'package' && registry === undefined)
    ? [...references, ...toCalled(text)]
    : references;

/** A variable, a header or an option, as nothing else is written; in a text only variables. */
const inputForm = /^(?:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|[Xx](?:-\w+)+|--[a-z][\w-]+)$/;
const variableForm = /(?<![\w-])[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?![\w-])/g;
const mostInputs = 3;

function toInputs(text: string): Reference[] {
  const names = inputForm.test(text) ? [text] : (text.match(variableForm) ?? []);
  return [...new Set(names)].slice(0, mostInputs).map((key) => ({ kind: 'input', key }));
}

/** The only handle behind other words, as in a line of a log, with the version that follows. */
function handleAmong(text: string): string | undefined {
  const words = text.split(/[\s"'“”()[\],;=]+/).map((word) => word.replace(/[.:!?]+$/, ''));
  const isNamed = (word: string) =>
    isHandle(withoutVersion(word)) && isOfReversedDomain(withoutVersion(word));
  const [only, other] = words.filter(isNamed);
  if (only === undefined || other !== undefined || text.startsWith(only)) return undefined;
  const next = words[words.indexOf(only) + 1] ?? '';
  return /^v?\d[\w.+-]*$/.test(next) ? `${only} ${next}` : only;
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
  return text.length > longest ? [] : referencesIn(writtenAs(text).text);
}

/** With its query and without. */
export const toEndpoints = (address: string): Reference[] =>
  toReferences(address).filter(({ kind }) => kind === 'endpoint');

/** A handle is nothing else, unless no domain can be its namespace; then it may be an address or an image. */
function besideHandle(handle: string): Reference[] {
  // An owner has no dot, but a namespace has one.
  if (/^[\w-]{1,100}\/[\w.-]{1,100}$/.test(handle))
    return [
      ...forges.flatMap((forge) => toRepositories(`${forge}/${handle.toLowerCase()}`)),
      ...toPackageReferences(handle),
    ];
  return isOfReversedDomain(handle) ? [] : toReferences(handle);
}

/** Whether changes of other listings can make it the name of another one. */
export const isOnlyHandle = (text: string): boolean => isHandle(text) && besideHandle(text).length === 0;

/** Addresses of registries, where no service is: a handle in any other address says nothing. */
const registryAddress =
  /^(?:https?:\/\/)?(?:registry\.modelcontextprotocol\.io|api\.mcp\.github\.com|github\.com(?=\/mcp\/))(?=\/)/i;

function handlesInAddress(text: string, publicUrl: string): string[] {
  const path = text.startsWith(`${publicUrl}/`)
    ? text.slice(publicUrl.length)
    : text.replace(/^agent:\/\//, '/agents/').replace(registryAddress, '');
  const plain = attempt(() => decodeURIComponent(path)) ?? path;
  const [, handle] =
    /(?:^\/(?:agents|badge|claim|ratings|mcp|v\d[\w.]*\/servers)(?:\/|\?(?:.*&)?search=)|^\/\?(?:.*&)?q=)([^/?#&]+\/[^/?#&]+)/.exec(
      plain,
    ) ?? [];
  return handle === undefined || !isHandle(handle) ? [] : [handle, handle.replace(/\.(json|md|svg)$/, '')];
}

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
  text !== asked.trim().replace(/[.,;!?…]+$/, '') ||
  text.includes('://') ||
  references.some(({ kind, registry }) => kind === 'advisory' || kind === 'pay_to' || registry !== undefined);

/** A text with several names, such as a configuration, as each of them. */
export function readNames(asked: string, publicUrl: string): readonly Name[] {
  const name = readName(asked, publicUrl);
  return name.servers ?? [name];
}

const digestForm =
  /[#(]?(?<![\w@:/.-])(?:sha-?256(?:sum)?\W{1,3})?(?<![\w@/.-])([\da-f]{64})(?![\w/-]|\.\w)\)?/i;

/** Named as one, or one of two words: any other may be a key. */
function readDigest(text: string) {
  const [written = '', digest] = digestForm.exec(text) ?? [];
  // The file in `SHA256(file)=` and `sha256sum file:`.
  const ofFile = /^sha-?256(?:sum)?[\s(]+([^\s()]+?)\)?\s*[=:]$/i;
  const rest = text.replace(written, ' ').trim().replace(ofFile, '$1');
  const isOnly = /^(?:\W|sha-?256(?:sum)?|checksum|digest|hash)*$/i.test(rest);
  const isNamed = isOnly || /sha-?256|checksum|digest/i.test(text) || /^\S+$/.test(rest);
  if (digest === undefined || !isNamed || text.replace(/^sha256:/i, '') === digest) return undefined;
  return { rest: isOnly ? '' : rest, digest: digest.toLowerCase() };
}

function readWritten(asked: string, publicUrl: string): Name {
  const said = withoutValues(asked.slice(0, longest));
  const none = { text: '', handles: [], references: [], beside: [], said };
  if (asked.length > longestPasted) return { ...none, isTooLong: true };
  const trimmed = toAddress(asked);
  if (trimmed === '') return none;
  const { rest, digest } = readDigest(trimmed) ?? {};
  if (digest !== undefined) {
    const name = readWritten(rest || digest, publicUrl);
    return rest ? { ...name, beside: [...name.beside, { what: 'digest', text: digest }] } : name;
  }
  const payee = readPayeePage(trimmed, publicUrl);
  if (payee) return { ...none, text: payeeName(payee), references: payeeReferences(payee) };
  const tool = readOneTool(trimmed);
  const { text: ofServer } = readToolNames(trimmed);
  if (tool && ofServer !== trimmed) return { ...none, text: ofServer, tool };
  const names = readPasted(trimmed).map((one) => toName(one, publicUrl));
  const [only, other] = names;
  if (other)
    return {
      ...none,
      said: names.map((one) => one.said).join(', '),
      servers: names.map((one) => ({ ...one, said: one.said || nothingSaid })),
      beside: names.flatMap(({ beside }) => beside),
    };
  if (only) {
    // How the recorded name is written is told of a command alone.
    const isCommand = only.configured_as === undefined && isLineWith(only.text, trimmed);
    return { ...only, text: isCommand ? trimmed : only.text || trimmed, said: only.said || said };
  }
  if (isHandle(trimmed)) return toName({ text: trimmed, beside: [] }, publicUrl);
  if (trimmed.length > longest) return none;
  const handle = handleAmong(trimmed);
  if (handle !== undefined) return { ...toName({ text: handle, beside: [] }, publicUrl), said };
  const named = toName(writtenAs(trimmed), publicUrl);
  // Its repository may be recorded without the image.
  const at = named.references[0]?.registry === 'oci' ? toPlaceReferences(trimmed).filter(isAtForge) : [];
  const places = withCalled(trimmed, [...named.references, ...at]);
  const references = named.handles.length > 0 ? places : [...places, ...toInputs(trimmed)];
  return { ...named, references, text: trimmed, said, tool };
}

/** Other than what a listing is called, which may have any letters. */
const isRead = ({ handles, references, tool, isTooLong }: Name): boolean =>
  handles.length > 0 || tool !== undefined || isTooLong === true || references.some(isPlace);

/** If no name is read in a text, but it seems to be one, that one, with the letters that only look so. */
export function readName(asked: string, publicUrl: string): Name {
  const written = readWritten(asked, publicUrl);
  const all = written.servers ?? [written];
  if (/^[\0-\x7f]*$/.test(asked) || all.every(isRead)) return written;
  const isFree = written.references.length > 0;
  for (const isOfAll of isFree ? [false] : [false, true]) {
    const { plain, alikeWords } = toPlainWords(asked, isOfAll);
    const isSeen = alikeWords.some(({ others }) => !isFree || !others.every(isAccented));
    if (!isSeen || (isOfAll && !isStarting(plain))) continue;
    const name = readWritten(plain, publicUrl);
    const found = (name.servers ?? [name]).filter(isRead);
    if (found.length <= all.filter(isRead).length) continue;
    const before = new Set(all.map(({ text }) => text));
    const withLetters = (one: Name): Name => {
      if (before.has(one.text) || !isRead(one)) return one;
      const own = alikeWords.filter((word) => one.text.includes(word.plain));
      const others = (own.length > 0 ? own : alikeWords).flatMap((word) => word.others);
      const letters: Beside = { what: 'letters', text: [...new Set(others)].join(''), of: one.said };
      return { ...one, beside: [letters, ...one.beside] };
    };
    if (!name.servers) return withLetters(name);
    const servers = name.servers.map(withLetters);
    return { ...name, servers, beside: servers.flatMap(({ beside }) => beside) };
  }
  return written;
}

/** Of one line that starts it, or has the address as a word. */
const isLineWith = (name: string, text: string): boolean =>
  !text.includes('\n') &&
  (isStarting(text) || (isAddressForm.test(name) && text.split(/\s+/).includes(name)));

function toName({ text: plain, ...read }: StartedName, publicUrl: string): Name {
  const own = { ...read, text: plain, said: withoutValues(plain) };
  if (isHandle(plain)) return { ...own, handles: [plain], references: besideHandle(plain) };
  const bare = withoutVersion(plain);
  const isVersion = bare !== plain && isHandle(bare);
  const references = isVersion ? besideHandle(bare) : referencesIn(plain);
  return {
    ...own,
    handles: isVersion ? [bare] : handlesInAddress(plain, publicUrl),
    references,
    version: isAddressForm.test(plain) ? undefined : versionIn(plain),
    within: read.beside.some(({ what }) => what === 'code') ? undefined : withinRepository(plain, references),
    isUnread: plain === '',
  };
}
