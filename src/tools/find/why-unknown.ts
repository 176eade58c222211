import { optOutText } from '../../claims/rules.ts';
import type { Context } from '../../context.ts';
import { handleWords } from '../../core/handle.ts';
import { Holder, repositoryIdentity, websiteDomain } from '../../core/identity.ts';
import { dayText } from '../../core/text.ts';
import {
  code,
  codes,
  count,
  dayOf,
  fromDayToDay,
  listed,
  own,
  say,
  toText,
  type Words,
} from '../../core/words.ts';
import { howDeleted } from '../../document/changes.ts';
import { noPayee } from '../../document/payee.ts';
import { typeWords } from '../../document/sentences.ts';
import { ifThisService } from '../../document/service.ts';
import { noneChecked, readChecked } from '../../document/status.ts';
import type { CopyField } from '../../imports/import-run.ts';
import { isSample, type Listing } from '../../listings/listing.ts';
import { isAtHost, toPlainHost } from '../../listings/references/look-alike.ts';
import { isAtForge, type Name, toOwners, toReferences } from '../../listings/references/name.ts';
import {
  isDigest,
  isPlace,
  type Reference,
  toAddressKey,
  toCalled,
  toHost,
} from '../../listings/references/references.ts';
import type { Change } from '../../log/change.ts';
import { toAppeal } from '../../moderation/moderation.ts';
import { registryOf, typeOf } from '../../observations/asked/published/recorded.ts';
import { packagePage } from '../../observations/known/kinds/packages/packages.ts';
import { foldToolName } from '../../search/tool-names.ts';
import { countOfHolders, type Holders, mostNamed, mostRecording } from './holders.ts';
import { findLacking } from './near-misses.ts';

/** Of a host that no listing records; `at`: what may be recorded of the one that it looks like. */
export function lookAlikeOf(named: Reference) {
  const host = toHost(named.key);
  const alike = isAtHost(named) ? toPlainHost(host) : undefined;
  if (alike === undefined) return undefined;
  const words = say`No listing shown here records an address at ${code(host)}, which looks like ${code(alike)} but is another host: what is in near is about the other one.`;
  return { words, at: referencesAt(alike) };
}

export const maxNear = 5;

/** They record other addresses there or what redirects there, are of its domain, or name account or site. */
type AtHost = Readonly<Record<'atHost' | 'redirected' | 'ofDomain' | 'naming', readonly Listing[]>>;

/** What records may name of whoever has it: the account of a repository, or the domain of a website. */
export function namedBeside({ kind, key }: Reference): Reference[] {
  const account = isAtForge({ kind: 'repository', key }) ? repositoryIdentity(key) : undefined;
  if (account !== undefined) return [{ kind: 'account', key: account }];
  return kind === 'owner' ? [{ kind: 'website', key }] : [];
}

/** Not those that are only in its namespace. */
export const isNaming =
  (named: Reference) =>
  ({ website, repository_key = '' }: Listing): boolean =>
    namedBeside(named).some(({ kind, key }) =>
      kind === 'account'
        ? repositoryIdentity(repository_key) === key
        : website && websiteDomain(website) === key,
    );

const recordsOf = (naming: readonly Listing[]): Words =>
  say`the record of ${listed(
    naming.map(({ handle }) => handleWords(handle)),
    maxNear,
  )}`;

async function besideWords(
  { key }: Reference,
  { atHost, redirected, ofDomain, naming: ofAccount }: AtHost,
  holding: Holders['holding'],
): Promise<Words | false> {
  if (ofAccount.length > 0) return say`a repository of its account is in ${recordsOf(ofAccount)}`;
  if (atHost.length === 0 && redirected.length > 0)
    return say`what redirected Dossier to its host is in ${recordsOf(redirected)}`;
  const host = toHost(key);
  const [only, other] = atHost.length > 0 ? atHost : ofDomain;
  if (!only) return false;
  const many = async (found: readonly Listing[], of: readonly Reference[]) =>
    countOfHolders(found, found.length > maxNear ? (await Promise.all(of.map(holding))).flat() : []);
  const isAtHost = ({ url }: { readonly url: string }) =>
    toReferences(url).some((one) => one.kind === 'endpoint' && toHost(one.key) === host);
  const recordedBy = (remotes: Listing['remotes']) =>
    say`records ${codes(
      remotes.map(({ url }) => url),
      maxNear,
    )}`;
  if (atHost.length > 0)
    return other
      ? say`${await many(atHost, [{ kind: 'host', key: host }])} record other addresses at its host: see near`
      : say`${handleWords(only.handle)} ${recordedBy(only.remotes.filter(isAtHost))} at its host`;
  const naming = ofDomain.filter(({ website }) => website !== undefined && toAddressKey(website) === key);
  if (naming.length > 0) return say`it is the website in ${recordsOf(naming)}`;
  const domain = code(Holder.ofHost(host).id);
  if (other) return say`${await many(ofDomain, toOwners(host))} are in a namespace of ${domain}: see near`;
  const recorded = only.remotes.length > 0 ? say` and ${recordedBy(only.remotes)}` : say``;
  return say`${handleWords(only.handle)} is in a namespace of ${domain}${recorded}`;
}

/** What records may name of a host: itself, what redirects there, its domain. */
export const referencesAt = (host: string): Reference[] => [
  { kind: 'host', key: host },
  { kind: 'moved', key: host },
  ...toOwners(host),
];

/** Of an address or a host that no listing records, with who has its host or domain. */
export async function unrecordedWords(named: Reference, found: AtHost, holding: Holders['holding']) {
  const what =
    named.kind === 'host' ? own('this host') : own('this address as an endpoint, a repository or a package');
  const beside = await besideWords(named, found, holding);
  return say`No listing shown here records ${what}${beside ? say`; ${beside}` : say``}.`;
}

const mostBelow = 100;

/** They are not of whoever holds the domain, if anybody may have a domain below it. */
function whatIsBelow(below: readonly string[], domain: string): string {
  const found = below.length > mostBelow ? own('more than 100') : below.length;
  const one = code(below[0] ?? '');
  return toText(
    say`Namespaces below ${code(domain)} with listings: ${found}; each can be another publisher’s. search_agents lists those of one, as publisher: ${one}.`,
  );
}

/** With why no endpoint would be found there. */
export const noneOfOwner = (lacking: string | undefined): string =>
  `No listing is in a namespace of this domain or account.${lacking ? ` ${lacking}` : ''}`;

async function whoNamesOwner(
  naming: readonly Listing[],
  owner: string,
  { config: { publicUrl }, store }: Context,
): Promise<string> {
  const [account] = owner.match(/(?<=^github\.com\/)[^/]+$/) ?? [];
  const namespace = account ? `io.github.${account}` : owner.split('.').toReversed().join('.');
  const below = await store.listings.completions('namespace', `${namespace}.`, mostBelow + 1);
  if (below.length > 0) return whatIsBelow(below, owner);
  const feed =
    !owner.includes('/') || account
      ? ` To be told of one: ${publicUrl}/publishers/${namespace}/feed.atom.`
      : '';
  const none = `${noneOfOwner(await findLacking(store, ['endpoint']))}${feed}`;
  if (naming.length === 0) return none;
  const what = owner.includes('/') ? own('A repository of it is in') : own('It is the website in');
  return `${none} ${toText(say`${what} ${recordsOf(naming)}, which does not show control of it.`)}`;
}

function whatIsElsewhere(listings: readonly Listing[], { registry, key }: Reference): string {
  // Others are not looked up.
  const isTelling = toCalled(key).length > 0;
  const [first] = listings;
  if (isDigest({ key, registry }))
    return 'No listing shown here records a file or an image with this SHA-256.';
  const none = registry
    ? `No listing shown here records this ${registry} package.`
    : `No listing shown here records a package${/_/.test(key) ? ' or an input' : ''} of this name${isTelling ? ', or has it as its name, title or namespace' : ''}.`;
  if (!first) return none;
  const others = [...new Set(listings.flatMap(({ packages }) => packages.map((one) => one.registry_type)))];
  return `${none} What the first in near records has the same name in another registry (${others.join(', ')}), where it is another package.`;
}

/** Of what is found only by checks: how many were made. */
export async function whatWasChecked({ kind, key }: Reference, context: Context): Promise<Words | undefined> {
  if (kind === 'pay_to') return noPayee(context);
  if (kind !== 'advisory') return undefined;
  const checked = await readChecked(context);
  const at = code(`https://osv.dev/vulnerability/${key}`);
  if (checked && context.config.advisories !== 'off')
    return say`Dossier has read this advisory about no package that a listing records. ${checked} it reads what OSV has about recorded packages, not about what they depend on. Ask also ${at}.`;
  const why = own(checked ? 'Dossier reads no advisories' : noneChecked);
  return say`${why}, so it does not know which packages this advisory is about; ask ${at}.`;
}

/** Of a package that nobody is asked about. A bare word may be anything. */
export function whereToAsk({ kind, key, registry }: Partial<Reference> = {}): Words {
  if (kind !== 'package' || key === undefined) return say``;
  if (isDigest({ key, registry })) return own('Ask about the file or image that has it.');
  if (registry === undefined)
    return say`If this is a package, ask about it with its registry, as in ${code(`npm:${key}`)}.`;
  const page = packagePage(typeOf(registry) ?? '', key);
  const nobody = own('Dossier asks nobody about a package that no listing records; ask');
  const [host = ''] = key.split('/');
  const registered = host.includes('.') ? code(host) : own('its registry');
  if (!page) return say`${nobody} ${registered}.`;
  const { registry: who } = registryOf(registry);
  const query = new URLSearchParams({ ecosystem: toText(who), q: key });
  return say`${nobody} ${who} and OSV: ${code(page)}, ${code(`https://osv.dev/list?${query}`)}.`;
}

/**
 * In which it would be found: any address may be an endpoint, also one in the form of a repository. A domain
 * or account is in the name of a listing, which each copy has.
 */
export function fieldOf(kind: Reference['kind'] | undefined): CopyField | undefined {
  if (kind === 'owner') return undefined;
  return kind === 'package' || kind === 'advisory' ? 'package' : 'endpoint';
}

/** Of a name that is nearly the one asked for. */
export const recordsPackage = ({
  handle,
  registry_type,
  identifier,
  isReported,
}: Awaited<ReturnType<Context['store']['listings']['nearPackages']>>[number]): Words =>
  say`${handleWords(handle)} records ${typeWords(registry_type)} ${code(identifier)}${isReported && own('; OSV lists malicious code in a package of that listing')}.`;

/** `found`: the listings whose last list has it. */
export async function readTool(name: string, context: Context) {
  const { listings } = context.store;
  const found = await listings.withTool(foldToolName(name));
  const handles = found.map(({ handle }) => handle);
  const tool = code(name);
  if (handles.length > 0) {
    const shown = listed(handles.map(handleWords), maxNear);
    const words = say`Dossier saw the tool ${tool} in the list of ${shown}; search_agents with this name says when.`;
    return { handles, words };
  }
  if (!(await context.store.observations.lastRunAt()))
    return { handles, words: say`${own(noneChecked)}, so it does not know whose list has the tool ${tool}.` };
  const answered = (await listings.facetCounts('seen')).find(({ facet }) => facet === 'seen:answered');
  const words = say`No list of tools that Dossier has seen has ${tool}; the endpoints of ${count(answered?.listings ?? 0, 'listing')} answered its last checks.`;
  return { handles, words };
}

/**
 * Of a name that no listing has; `beside`: those at the same host or with the same package elsewhere;
 * `naming`: of the account of a repository, near if nothing has a similar name.
 */
export async function readWhy(named: Reference | undefined, context: Context) {
  if (!named) return { beside: [] };
  const { kind, key, registry } = named;
  const { recording, holding } = context.store.listings;
  const { config } = context;
  if ([config.serviceName.toLowerCase(), new URL(config.publicUrl).hostname].includes(key))
    return { detail: ifThisService(config), beside: [] };
  const field = kind === 'repository' ? kind : fieldOf(kind);
  const lacking = field && (await findLacking(context.store, [field]));
  if (lacking) return { detail: lacking, beside: [] };
  const checked = await whatWasChecked(named, context);
  if (checked) return { detail: toText(checked), beside: [] };
  if (kind === 'package') {
    const [beside = []] = registry ? await recording([{ kind, key }], mostRecording) : [];
    const packages = beside.length > 0 ? [] : await context.store.listings.nearPackages(key, maxNear);
    const said = [whereToAsk(named), ...packages.map(recordsPackage)].map(toText);
    const detail = [whatIsElsewhere(beside, named), ...said];
    return { detail: detail.join(' '), beside, packages };
  }
  const host = toHost(key);
  const readAt = (at: string) => recording(referencesAt(at), mostRecording);
  const alike = lookAlikeOf(named);
  const lookAlikes = alike && (await recording(alike.at, mostRecording)).find(({ length }) => length > 0);
  if (alike && lookAlikes) return { detail: toText(alike.words), beside: lookAlikes };
  const references = namedBeside(named);
  const naming = (await recording(references, mostRecording)).flat().filter(isNaming(named));
  if (kind === 'owner') return { detail: await whoNamesOwner(naming, key, context), beside: naming };
  const [atHost = [], redirected = [], ...owned] = references.length > 0 ? [] : await readAt(host);
  const ofDomain = owned.flat();
  const beside = [atHost, redirected].find(({ length }) => length > 0) ?? ofDomain;
  const detail = toText(await unrecordedWords(named, { atHost, redirected, ofDomain, naming }, holding));
  return { detail, beside, naming };
}

/** An entry of another catalogue, and what its address names. */
const cataloguePage =
  /^(?:https?:\/\/)?(?:www\.)?(?:(?:pulsemcp\.com|smithery\.ai|mcp\.so|mcpservers\.org|mcpmarket\.com)\/(?:[a-z-]+\/)?servers?|glama\.ai\/mcp(?:\/servers)?|(?:lobehub\.com|cursor\.directory|github\.com)\/mcp|hub\.docker\.com\/mcp\/server)\/([^?#]+)/i;
const hostPattern = /^(?:https?:\/\/)?\*\.([\w-]+(?:\.[\w-]+)+)/;

export const isPageElsewhere = (text: string): boolean => cataloguePage.test(text);

/** Of a text that is the name of no listing, or of more than one: why, and what to ask instead. */
export function whyUnreadable(name: Name): Words | undefined {
  const { text, servers, isUnread, isTooLong, tool, handles, references } = name;
  if (servers) {
    const read = servers.filter((one) => !one.isUnread).map(({ said }) => said);
    const others = servers.length > read.length && own(' What else it runs Dossier cannot tell.');
    const [only, other] = read;
    if (only !== undefined && other === undefined)
      return say`This text has the name ${code(only)}, which can be asked about alone.${others}`;
    return say`This text has ${count(read.length, 'name')}: ${codes(read, mostNamed)}.${others} resolve_agents takes them all.`;
  }
  if (isTooLong)
    return own(
      'Dossier reads a text of at most 4,000 characters, and this one is longer: ask about each name in it.',
    );
  if (isUnread) return own('Dossier cannot tell what this command runs.');
  if (isPageElsewhere(text))
    return own(
      'This is a page of another directory, which Dossier does not read: ask about the package, repository or address on it.',
    );
  if (tool || handles.length > 0 || references.some(isPlace)) return undefined;
  const [, domain = ''] = hostPattern.exec(text) ?? [];
  const owner = toOwners(domain)[0]?.key;
  if (owner !== undefined)
    return say`This is a pattern, not a host: ask about each host. Dossier does not look up what is recorded below ${code(domain)}; search_agents with publisher ${code(owner)} lists what is in its namespaces.`;
  return own(
    'Dossier reads no name in this text: ask about the package, image, address or handle in it, or give its words to search_agents.',
  );
}

/** As in `brew install`, and as in `Acme Labs, Inc.` */
const beforeInstalled = /^[\w.-]+ +(?:install|add|get|run|i) +(?:-\S+ +)*/i;
const ofCompany =
  /[\s,]+(?:inc|incorporated|ltd|limited|llc|gmbh|ag|corp|corporation|co|labs|plc|pty|bv|sa)\b\.?(?=[\s,]|$)/gi;
const ofCatalogue = /^(?:servers?|mcp|overview|tools|about|readme|installation|@?)$/i;
const longestWords = 200;

/** By which similar handles are found; empty for what has none. */
export function toNearText({ text, servers, isUnread, tool, references }: Name): string {
  if (servers || isUnread) return '';
  if (tool?.isSure) return text.replaceAll('_', ' ');
  // As directories name what they list: `/servers/@owner/name`.
  const [, named] = /(?:^|\/)@([\w-]+\/[\w.-]+)/.exec(text) ?? [];
  const [, path] = cataloguePage.exec(text) ?? [];
  if (path !== undefined)
    return (
      named ??
      path
        .split('/')
        .filter((one) => !ofCatalogue.test(one))
        .slice(-2)
        .join('/')
    );
  const [first] = references;
  // Any address may be a repository's.
  const repository = references.find(isAtForge);
  if (repository) return repository.key.split('/').slice(1, 3).join('/');
  if (named !== undefined) return named;
  const host = first?.kind === 'endpoint' ? toHost(first.key) : hostPattern.exec(text)?.[1];
  if (host !== undefined) return `${host.split('.').toReversed().join('.')}/`;
  if (first?.kind === 'advisory') return '';
  if (first?.kind === 'package') return first.key.replace(/^@/, '');
  return text.slice(0, longestWords).replace(beforeInstalled, '').replace(ofCompany, '');
}

/** A record may be renamed, which only its publisher knows. */
async function whatRecordsToo({ handle }: Listing, { listings }: Context['store']): Promise<string> {
  const found = await listings.recordingToo(handle, mostNamed);
  const [first] = found;
  if (!first) return '';
  const same = found.filter(({ kind }) => kind === first.kind);
  const handles = same.map(
    (one) => say`${handleWords(one.handle)}${one.origin_status === 'deprecated' && own(' (deprecated)')}`,
  );
  const recorded = say`${own(handles.length === 1 ? 'records' : 'record')} ${own(first.kind === 'package' ? 'a package' : 'an endpoint')}`;
  return `${toText(say`${listed(handles)} ${recorded} that it recorded; that does not show that one replaces the other.`)} `;
}

const sampleEnded =
  'It was part of the sample that Dossier ships with, which ended with the first import from a registry.';

const noVerdict = 'This is not a verdict about it.';

const comesAndGoes = ['listing.new', 'listing.restored', 'listing.withdrawn'] as const;

/** As feeds tell it, newest first; the first import has no changes. */
function listedWords(changes: readonly Change[]): string {
  const times = changes.flatMap(({ type, at }, nth) => {
    const began = changes[nth + 1];
    if (type !== 'listing.withdrawn' || began?.type === type) return [];
    return began ? fromDayToDay(began.at, at) : say`from the first import to ${dayOf(at)}`;
  });
  if (times.length === 0) return '';
  return `${toText(say`It was listed here ${listed(times, 3)}; what was known of it then is not shown.`)} `;
}

/** Empty if the operator's withdrawal is no longer in force. */
export async function withdrawal(listing: Listing, context: Context): Promise<string> {
  const { store, config } = context;
  const { handle, withdrawn, imported_at } = listing;
  if (withdrawn === 'deleted') {
    if (isSample(listing)) return sampleEnded;
    const read = { before: Number.MAX_SAFE_INTEGER, limit: 100, types: comesAndGoes };
    const changes = await store.changes.ofRecord(handle, read);
    const gone = changes.find(({ type }) => type === 'listing.withdrawn');
    return `The registry has deleted it${toText(howDeleted(gone?.data.gave_reason))}, as Dossier read on ${dayText(imported_at)}. ${listedWords(changes)}${await whatRecordsToo(listing, store)}${noVerdict}`;
  }
  if (withdrawn === 'optout') {
    const line = await store.optOuts.withdrawing(handle);
    return [line && optOutText(line), noVerdict].filter(Boolean).join(' ');
  }
  const standing = await store.moderation.active({ target_kind: 'listing', target: handle });
  const action = standing.find(({ action: name }) => name === 'withdraw');
  return action ? `${action.statement} Log index ${action.log_index}. ${toAppeal(config)}` : '';
}
