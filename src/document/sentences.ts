import { handleWords, namespaceText } from '../core/handle.ts';
import { namespaceIdentity, repositoryIdentity, websiteDomain } from '../core/identity.ts';
import { dayText, isPlaceholderOnly } from '../core/text.ts';
import {
  code,
  codes,
  count,
  day,
  join,
  listed,
  ours,
  own,
  phrase,
  quote,
  say,
  sentence,
  source,
  type Words,
  within,
} from '../core/words.ts';
import type { CopyField } from '../imports/import-run.ts';
import type { Listing, ListingInput, ListingPackage, ListingRemote } from '../listings/listing.ts';
import { ownersOf } from '../listings/naming.ts';
import {
  isAddress,
  isExactVersion,
  isImageType,
  startedAt,
  versionOfImage,
} from '../listings/references/command.ts';
import type { SharedReference } from '../listings/references/shared.ts';
import { outcomeWords } from '../observations/asked/outcome.ts';
import { toImage, toPackage } from '../observations/asked/published/recorded.ts';
import type { AskedKind } from '../observations/known/kind.ts';
import { packagePage } from '../observations/known/kinds/packages/packages.ts';
import type { sharedKinds } from '../observations/known/kinds/publisher.ts';
import { anyPrice, nativeRatings } from '../observations/known/kinds/questions.ts';
import { askedOf, kindOf, kindsWithUnknown } from '../observations/known/kinds.ts';
import {
  checked_at,
  type DatedObservation,
  isDated,
  knowingOf,
  type Observation,
} from '../observations/known/observation.ts';
import type { ListingDocument, NotKnownItem, NotSeenItem } from './listing-document.ts';
import { answersAtWords, copyLacksWords, packageTypes, transports } from './record.ts';

const mostInputs = 5;

const kindNouns = {
  header: 'header',
  variable: 'variable',
  environment: 'environment variable',
  argument: 'argument',
};

/** `a secret header`, `environment variables` */
function nounWords(kind: ListingInput['kind'], isSecret: boolean, isMany = false): Words {
  const noun = `${isSecret ? 'secret ' : ''}${kindNouns[kind]}`;
  return ours(isMany ? `${noun}s` : `${/^[ae]/.test(noun) ? 'an' : 'a'} ${noun}`);
}

const mostDescribed = 2;
const longestDescription = 80;
const shortened = (text: string) =>
  text.length > longestDescription ? `${text.slice(0, longestDescription).toWellFormed()} …` : text;

type InputGroup = readonly ListingInput[];

const isOnlyCounted = (group: InputGroup): boolean => !group[0]?.required && group.length > mostInputs;

const notMarked = ({ unmarked }: ListingInput) => unmarked && own(', not marked as secret');

const pathWords = ({ path }: ListingInput, isOne = true) =>
  path && own(isOne ? ', a path of yours' : ', paths of yours');

/** `Authorization as Bearer {token}`, `token in -e KEY={token}`. `YOUR_API_KEY` was left from an example. */
export const inputName = ({
  kind,
  name,
  value,
  choices,
}: Pick<ListingInput, 'name'> & Partial<ListingInput>): Words =>
  say`${isPlaceholderOnly(name) && own('placeholder ')}${code(name)}${choices && say` (one of ${codes(choices, mostInputs, choices.length)})`}${value !== undefined && say` ${own(kind !== 'variable' ? 'as' : value.includes(`{${name}}`) ? 'in' : 'declared, but not used, in')} ${code(value)}`}`;

export const inputNames = (names: readonly string[], most: number): Words =>
  join(
    names.slice(0, most).map((name) => inputName({ name })),
    ', ',
  );

/** `counted` are the groups of one kind that are only counted, together. */
function countedWords({ kind }: ListingInput, counted: readonly InputGroup[], isOther: boolean): Words {
  const all = counted.flat();
  const secret = all.filter((one) => one.secret).length;
  const unmarked = all.filter((one) => one.unmarked).length;
  if (secret === all.length) return say`takes ${secret} ${nounWords(kind, true, true)}`;
  const ofThem = [
    secret > 0 && say`, ${secret} of them secret`,
    unmarked > 0 && say`, ${unmarked} named like credentials but not marked as secret`,
  ];
  return say`takes ${all.length}${isOther && own(' other')} ${nounWords(kind, false, true)}${join(ofThem, '')}`;
}

function groupWords(group: InputGroup, groups: readonly InputGroup[]): Words {
  const [first] = group;
  if (!first) return say``;
  const noun = nounWords(first.kind, first.secret, group.length > 1);
  if (isOnlyCounted(group)) {
    const ofKind = groups.filter(([one]) => one?.kind === first.kind && !one.required);
    const counted = ofKind.filter(isOnlyCounted);
    return counted[0] === group ? countedWords(first, counted, counted.length < ofKind.length) : say``;
  }
  const isDescribed = first.secret || first.unmarked || first.path;
  const names = group.slice(0, mostInputs).map((one, at) => {
    const description = isDescribed && at < mostDescribed ? one.description : undefined;
    return say`${inputName(one)}${description !== undefined && say` (${quote(shortened(description))})`}`;
  });
  const more = group.length > mostInputs ? say` and ${group.length - mostInputs} more` : say``;
  return say`${first.required ? own('needs') : own('takes')} ${noun} ${join(names, ', ')}${more}${notMarked(first)}${pathWords(first, group.length === 1)}`;
}

/** Example: `needs a secret header Authorization; takes an argument --port`. */
export function inputsWords(inputs: readonly ListingInput[], between: '; ' | ', and ' = '; '): Words {
  // What the caller may leave out opens nothing.
  const said = inputs.map((one) => (one.required ? one : { ...one, path: undefined }));
  const needed = said.toSorted((a, b) => Number(b.required) - Number(a.required));
  const byName = Map.groupBy(
    needed,
    ({ kind, required, secret, unmarked, path }) => `${required} ${secret} ${unmarked} ${path} ${kind}`,
  );
  // Other ones are said after those that they are other than.
  const groups = [...byName.values()].toSorted((a, b) => Number(isOnlyCounted(a)) - Number(isOnlyCounted(b)));
  return join(
    groups.map((group) => groupWords(group, groups)),
    between,
  );
}

/** Where it goes: `an environment variable`. */
export const inputNoun = (input: ListingInput, place: Words): Words =>
  say`${nounWords(input.kind, false)}${place}${pathWords(input)}`;

export function inputWords(input: ListingInput, place: Words): Words {
  const { kind, required, secret, description } = input;
  const said = description === undefined ? say`` : say`: ${quote(description)}`;
  return say`${required ? own('needs') : own('takes')} ${nounWords(kind, secret)} ${inputName(input)}${place}${notMarked(input)}${pathWords(input)}${said}`;
}

/** As in `Not known: price`. */
export function notKnownWords({ kind, state }: Pick<NotKnownItem, 'kind'> & Partial<NotKnownItem>): Words {
  const { name, unstated } = askedOf(kind) ?? {};
  if (state === 'not_stated' && unstated?.name) return unstated.name;
  return ours(name ?? kind.replaceAll(/[._]/g, ' '));
}

interface NotKnownFacts {
  readonly listing: Listing;
  readonly copyLacks: readonly CopyField[];
  /** Fields of the record that Dossier does not read. */
  readonly unread: readonly string[];
}

const notChecked = (what: Words) => sentence(say`Dossier has not checked ${what}`);

const mayBeInUnreadField = ({ unstated }: AskedKind, { unread }: NotKnownFacts): boolean =>
  unread.some((name) => unstated?.fields?.test(name));

function whyLacked(fields: readonly CopyField[], { copyLacks, listing }: NotKnownFacts): Words | undefined {
  const lacked = fields.find((field) => copyLacks.includes(field));
  const why = lacked && listing.remotes.length === 0 ? copyLacksWords(copyLacks, lacked) : undefined;
  return why && sentence(say`It is not known what the listing asks for, because ${within(phrase(why))}`);
}

function unstatedItem(kind: AskedKind, facts: NotKnownFacts): Pick<NotKnownItem, 'state' | 'reason'>[] {
  const { what, isAsked, copyField, standsWith = [] } = kind.unstated ?? {};
  if (!what || isAsked?.(facts.listing) === false) return [];
  const lacks = copyField && copyLacksWords(facts.copyLacks, copyField);
  const unread = mayBeInUnreadField(kind, facts)
    ? notChecked(say`whether unread fields of the record state ${what}`)
    : undefined;
  const reason = unread ?? lacks ?? whyLacked(standsWith, facts);
  if (reason) return [{ state: 'not_checked', reason }];
  const none = sentence(say`The record that Dossier read has no field that states ${what}`);
  return [{ state: 'not_stated', reason: none }];
}

const isUnchecked = ({ unchecked }: AskedKind, { listing }: NotKnownFacts): boolean =>
  unchecked !== undefined && unchecked.isAsked?.(listing) !== false;

function gapsOf(kind: AskedKind, facts: NotKnownFacts): NotKnownItem[] {
  const { unchecked, question } = kind;
  const unstated = unstatedItem(kind, facts);
  const gaps =
    unchecked && isUnchecked(kind, facts) && unstated.every(({ state }) => state === 'not_stated')
      ? [{ state: 'not_checked' as const, reason: notChecked(unchecked.what) }]
      : unstated;
  return gaps.map((gap) => ({ question, kind: kind.kind, ...gap }));
}

const toAnswered = (facts: readonly Observation[]): ReadonlySet<string | undefined> =>
  new Set(facts.flatMap(({ kind }) => [kind, kindOf(kind)?.answers]));

export function toNotKnown(observations: readonly Observation[], facts: NotKnownFacts): NotKnownItem[] {
  const lookedFor = toAnswered(observations.filter((one) => knowingOf(one) !== 'not_known'));
  const known = toAnswered(observations.filter((one) => knowingOf(one) === 'known'));
  return kindsWithUnknown.flatMap((kind) => {
    // Without a price at an endpoint, an unread field may still state one.
    const isStated = kind.kind === anyPrice.kind && mayBeInUnreadField(kind, facts);
    const isElsewhere = kind.unchecked?.isElsewhere && isUnchecked(kind, facts);
    return (isStated || isElsewhere ? known : lookedFor).has(kind.kind) ? [] : gapsOf(kind, facts);
  });
}

/** Known for one endpoint or package and not seen for another, so their gaps name it. */
export const toSplitKinds = (observations: readonly Observation[]): ReadonlySet<string> =>
  new Set(
    [...Map.groupBy(observations, ({ kind }) => kind)]
      .filter(([, ofKind]) => {
        const states = ofKind.map(knowingOf);
        return states.includes('known') && states.includes('not_seen');
      })
      .map(([kind]) => kind),
  );

const toItem = ({ question, kind, subject, outcome, asks_for, reason, ...seen }: DatedObservation) => ({
  question,
  kind,
  ...(subject !== undefined && { subject }),
  outcome,
  ...(asks_for && { asks_for }),
  reason: reason ?? sentence(outcomeWords({ outcome, asks_for })),
  by: 'Dossier' as const,
  as_of: dayText(seen.observed_at),
  [checked_at]: seen[checked_at],
});

export function toNotSeen(observations: readonly Observation[], ratings: number, date: string) {
  const notSeen: NotSeenItem[] = observations
    .filter(isDated)
    .filter((one) => knowingOf(one) === 'not_seen')
    .map(toItem);
  if (ratings > 0) return notSeen;
  const { question, kind } = nativeRatings;
  const reason = own('No rating of this listing counts here.');
  return [
    ...notSeen,
    { question, kind, outcome: 'nothing' as const, reason, by: 'this service' as const, as_of: date },
  ];
}

/** Undefined for registries whose pages Dossier does not know. */
function imagePage(one: ListingPackage): string | undefined {
  const found = toPackage(one);
  const { host, name = '' } = (found && toImage(found)) ?? {};
  if (host === 'quay.io') return `https://quay.io/repository/${name}`;
  if (host !== 'docker.io') return undefined;
  return `https://hub.docker.com/${name.startsWith('library/') ? name.replace('library', '_') : `r/${name}`}`;
}

/** As its registry writes it; a file is named by its address. */
export function packageName(one: ListingPackage): Words {
  const { registry_type, identifier, version, registry_base_url } = one;
  if (isAddress(identifier)) return version ? say`${code(identifier)} (${code(version)})` : code(identifier);
  const isImage = isImageType(registry_type);
  const hasVersion = version === undefined || (isImage && versionOfImage(identifier) !== undefined);
  const name = hasVersion ? identifier : `${identifier}${isImage ? ':' : '@'}${version}`;
  // In the usual registry, this name may be a different package.
  if (registry_base_url !== undefined) return say`${code(name)} in the registry ${code(registry_base_url)}`;
  const page = packagePage(registry_type.toLowerCase(), identifier, version);
  return code(name, isImage ? imagePage(one) : page);
}

const knownNames: ReadonlySet<string> = new Set([...packageTypes, ...transports]);

/** A publisher wrote any other type. */
export const typeWords = (type: string): Words => (knownNames.has(type) ? ours(type) : code(type));

/** Empty for what is no file. */
export const digestWords = ({ file_sha256 }: ListingPackage): Words =>
  file_sha256 === undefined
    ? say``
    : say` (its SHA-256 in the record is ${code(file_sha256)}, with which Dossier has not compared the file)`;

/** Of an endpoint. */
const usualTransport = 'streamable-http';

export const overWords = (transport = ''): Words =>
  transport === '' ? say`` : say` over ${typeWords(transport)}`;

/** Empty unless the record starts the package at another version or tag than it states. */
export function startWords(one: ListingPackage): Words {
  const at = one.runtime_arguments?.map((it) => startedAt(it, one)).find((is) => is && is !== one.version);
  const moves = !isExactVersion(one.registry_type, at ?? '') && own(', which can move');
  return at && one.version ? say`, though its start arguments name ${code(at)}${moves}` : say``;
}

/** Example: `npm example@1.0.0 over stdio`. */
export const packageWords = (one: ListingPackage): Words =>
  say`${typeWords(one.registry_type)} ${packageName(one)}${overWords(one.transport)}${answersAtWords(one)}${startWords(one)}`;

/** Example: `https://mcp.example.com/sse over sse`. */
export function endpointWords(remotes: readonly ListingRemote[], endpoint: string): Words {
  const types = remotes.filter(({ url }) => url === endpoint).map(({ type }) => type);
  const [first] = types.includes(usualTransport) ? [] : types;
  return say`${code(endpoint)}${overWords(first)}`;
}

function soDo(named: readonly Words[], others: number, ofPublisher: number, isCut: boolean): Words {
  const more = (of: number, whose: Words) =>
    of > 0 ? [say`${isCut && own('at least ')}${count(of, 'more listing')} of ${whose}`] : [];
  const ofOwn = more(ofPublisher, own('this listing’s publisher'));
  const all = [...named, ...more(others, own('other publishers')), ...ofOwn];
  if (all.length === 0) return say``;
  return say`; so ${named.length + others + ofPublisher === 1 ? own('does') : own('do')} ${listed(all)}`;
}

/** Empty if nobody else can have a host there, as at `vercel.app`. */
export function hostingWords(listing: Parameters<typeof ownersOf>[0]): Words {
  const domains = ownersOf(listing).remotes.flatMap(({ hosting }) => hosting ?? []);
  return domains.length === 0 ? say`` : say`${codes([...new Set(domains)])}, where others can have hosts too`;
}

/** A stranger chooses it, so that it is on another's page: more is left out. */
const longestHandle = 60;
const isLong = (handle: string) => handle.length > longestHandle;

export const strangerWords = (handle: string): Words =>
  isLong(handle)
    ? code(`${handle.slice(0, longestHandle - 3)}...`, `/agents/${handle}`)
    : handleWords(handle);

type Shown = Pick<Listing, 'handle' | 'repository_key' | 'website' | 'remotes'>;

/** Whose the domain of the website or an endpoint, or the account of the repository or namespace, is. */
function holderWords(of: string, listing: Shown, handle: string, which: Words): Words | undefined {
  const { repository_key = '', website = '', remotes } = listing;
  if (of === 'website') {
    const isThere = (url: string) => websiteDomain(url) === namespaceIdentity(handle);
    const endpoints = remotes.filter(({ url }) => isThere(url)).slice(0, 1);
    const what = [
      ...(isThere(website) ? [say`website ${code(website)}`] : []),
      ...endpoints.map(({ url }) => say`endpoint ${code(url)}`),
    ];
    const verb = own(what.length > 1 ? 'are' : 'is');
    return say`its ${listed(what)} ${verb} not on its own domain but on that of ${which}; this does not show a connection`;
  }
  if (of !== 'account') return undefined;
  const account = repositoryIdentity(repository_key);
  if (account === namespaceIdentity(handle)) return say`the account of its repository publishes ${which} too`;
  const publisher = namespaceIdentity(listing.handle);
  const isOwn = publisher.includes('/') && (account ?? publisher) === publisher;
  return say`${which} records a repository of ${isOwn ? ours('this account') : ours('the same account')}`;
}

/**
 * Does not say which was first. A date of publication is given only for the same name, where a buyer chooses
 * between the two; the registry may have sent no older versions.
 */
export function sharedWords(
  kind: (typeof sharedKinds)[number],
  { others, also, own: ofPublisher, isCut, isDeprecated }: SharedReference,
  { handle, published_at }: NonNullable<SharedReference['first']>,
  listing: Shown,
): Words {
  const date = kind.of === 'namesake' ? say`, published on ${day(published_at)} or before` : say``;
  const holder = namespaceIdentity(handle);
  const shortened = holder.includes('/') ? holder : `domain ${holder}`;
  const who = isLong(handle) ? shortened : namespaceText(handle);
  const which = say`${strangerWords(handle)} (${ours(who)}${date}${isDeprecated && own(', deprecated in its registry')})`;
  const held = holderWords(kind.of, listing, handle, which);
  if (held) return sentence(held);
  const more = others - 1 - also.length;
  const so = soDo(also.map(strangerWords), more, kind.basis === 'names' ? 0 : ofPublisher, isCut);
  const isWeak = kind.of === 'namesake' || kind.of === 'word';
  const but = isWeak ? own('; this does not show a connection') : say``;
  return sentence(say`${which} ${ours(kind.does)}${so}${but}`);
}

const endedWord =
  /^\W*(?i:deprecated|discontinued|moved|obsolete|renamed|retired)(?=\s*(?:[:.,;!–—-]|to\b|$))|\bDEPRECATED\b/;

/** The word with which a publisher ends what the registry lists as active. */
export const endedByText = ({ origin_status, title = '', description }: ListingDocument) =>
  [title, description].flatMap((text) => (origin_status === 'active' && endedWord.exec(text)) || [])[0];

/** Of what the registry lists as active. */
export function publisherSays(listing: ListingDocument): Words[] {
  const { origin_status, status_message: message } = listing;
  const word = endedByText(listing);
  const by = source('record');
  return [
    ...(origin_status === 'active' && message
      ? [say`Its publisher says in the registry${by}: ${quote(message)}`]
      : []),
    ...(word ? [say`Its publisher’s text says ${quote(word)}; the registry lists it as active${by}`] : []),
  ];
}
