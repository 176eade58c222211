import type { Context } from '../../context.ts';
import { dayText } from '../../core/text.ts';
import {
  code,
  dayOf,
  isEmpty,
  join,
  listed,
  own,
  phrase,
  say,
  sentence,
  source,
  Words,
} from '../../core/words.ts';
import { isOfMalware } from '../../document/answers/notices.ts';
import { isOfAddress, isRecordedAt } from '../../document/asked-place.ts';
import type { CriterionName } from '../../document/criteria/criteria.ts';
import { perhaps, type Result } from '../../document/criteria/criterion.ts';
import { publishedWords, recordedIn, versionWords } from '../../document/version-record.ts';
import { recordedOf } from '../../imports/recorded.ts';
import type { Listing, ListingPackage, ListingRemote, VersionSummary } from '../../listings/listing.ts';
import { anyVersion, isAddress, withoutV } from '../../listings/references/command.ts';
import { type Name, readName, type VersionAsked } from '../../listings/references/name.ts';
import { isNamedBy, keyAtVersion } from '../../listings/references/of-record.ts';
import { fileForm, isDigest, keyOfReference, type Reference } from '../../listings/references/references.ts';
import { ecosystemOf, orderOf, spelled, toFitting } from '../../observations/asked/packages/version-order.ts';
import { registryOf, toImage, toPackage } from '../../observations/asked/published/recorded.ts';
import { type FactOf, factsOf } from '../../observations/known/kind.ts';
import {
  packageAdvisories,
  sayOfVersion,
  sayReported,
} from '../../observations/known/kinds/packages/advisories.ts';
import { hasVersion } from '../../observations/known/kinds/packages/kept-versions.ts';
import {
  fittingInRegistry,
  newestInRegistry,
  packageNewestVersion,
} from '../../observations/known/kinds/packages/newest-version.ts';
import {
  imageWords,
  sayNoNewest,
  sayOtherVersion,
} from '../../observations/known/kinds/packages/other-version.ts';
import { packageExists, packageOf } from '../../observations/known/kinds/packages/packages.ts';
import { knowingOf, type Observation, type StoredObservation } from '../../observations/known/observation.ts';

type Checked = Pick<
  Observation,
  'kind' | 'subject' | 'value' | 'outcome' | 'observed_at' | 'details' | 'as_seen'
> &
  Partial<Pick<Observation, 'reason' | 'changed_from'> & Pick<StoredObservation, 'why'>>;

type Stored = Pick<VersionSummary, 'version' | 'status' | 'published_at' | 'undated' | 'is_latest'>;

type OfRecord = Partial<NonNullable<Awaited<ReturnType<typeof readOfRecord>>>>;

export interface KnownVersions {
  readonly listing: Pick<Listing, 'handle' | 'version' | 'packages' | 'remotes' | 'repository_key'>;
  readonly observations: readonly Checked[];
  /** Of the listing itself, undefined where they are not at hand. */
  readonly ofRecord?: OfRecord | undefined;
}

const mostLookedAt = 1000;
const mostNamed = 3;

/** A digest, a file, or a package of a registry; others may be anything without a version behind them. */
const isSure = (one: Reference) =>
  one.registry !== undefined || isDigest(one) || fileForm.test(one.key) || /\/.*\.\w+$/.test(one.key);

const isOneOf = (references: readonly Reference[]) => (one: ListingPackage | ListingRemote) =>
  'url' in one
    ? references.some((place) => isOfAddress(place) && isRecordedAt(place)(one))
    : isNamedBy(references)(one);

/**
 * What is stored of the version that a name asks for, until the time of the context. `observed_at`: when the
 * record was last read, if that is known already. `asked`: versions of the listing, the newest first;
 * undefined if not all were looked at; `only` if it is one. `naming`: those whose records have the text of a
 * version of a package, or of a package or endpoint that the record does not name now. `until`: when the
 * record was last read; undefined if not all of its versions were looked at.
 */
export async function readOfRecord(
  name: string,
  { observed_at, ...listing }: KnownVersions['listing'] & { readonly observed_at?: string },
  { store, clock }: Pick<Context, 'store' | 'clock'>,
) {
  const { handle, version, packages, remotes, repository_key } = listing;
  const { version: named, handles, references } = readName(name, '');
  const ofListing = handles.includes(handle);
  const isFormer = !ofListing && ![...packages, ...remotes].some(isOneOf(references));
  const isRepository = references.some(({ kind, key }) => kind === 'repository' && key === repository_key);
  const isOld = ({ kind }: Reference) => isFormer && kind === 'endpoint' && !isRepository;
  const former =
    references.find((one) => isFormer && one.kind === 'package' && (named || isSure(one))) ??
    references.findLast(isOld);
  const { text = anyVersion } = named ?? {};
  if (text === anyVersion && !former) return undefined;
  const now = clock().toISOString();
  if (ofListing) {
    const all = await store.listings.newestVersions(handle, { withDeleted: true, limit: mostLookedAt });
    const then = all.filter(({ published_at }) => published_at <= now);
    const exact = spelled(then, text);
    const asked = exact.length > 0 ? exact : then.filter((one) => toFitting(text)(one.version));
    const isWhole = all.length < mostLookedAt || asked.length > 0;
    const [is] = asked.length === 1 ? asked : [];
    const only = is && (await store.listings.version(handle, is.version));
    return { shown: all.find((one) => one.version === version), asked: isWhole ? asked : undefined, only };
  }
  if (named?.isExact === false) return undefined;
  const places = references.filter((one) => one.kind === 'package' || isOld(one)).map(keyOfReference);
  const at = text === anyVersion ? [] : places.map((key) => keyAtVersion(key, text));
  const tries = [at.map((key) => `${key}"`), at, former ? places : []];
  const query = { tries, until: now };
  const { versions: naming, isWhole } = await store.listings.versionsNaming(handle, query);
  if (!isWhole) return { naming };
  const read_at = observed_at ?? (await store.documents.facts(handle, now))?.reading.observed_at ?? now;
  return { naming, until: [read_at, now].sort()[0] };
}

/** Only dates tell which version is newer; the registry may mark an older one as latest. */
function versionOfRecordWords(text: string, { listing, ofRecord }: KnownVersions): Words {
  const { shown, asked, only } = ofRecord ?? {};
  const [first] = asked ?? [];
  const same = spelled(asked ?? [], text);
  const [is] = same.length === 1 ? same : [];
  const which = own(shown?.is_latest ? 'which its registry marks as latest' : 'the version shown');
  const when =
    shown && is && !shown.undated && !is.undated
      ? say`, published ${own(is.published_at > shown.published_at ? 'before it' : 'later')}, ${dayOf(shown.published_at)}`
      : say``;
  const rest = say`; the other facts are about ${code(listing.version)}, ${which}${when}.`;
  const as = is && is.version !== text && say` as ${code(is.version)}`;
  const fitting = asked?.map((one) => say`${code(one.version)} (${publishedWords(one)})`) ?? [];
  const has =
    (is && say`, which the record has${as}, ${publishedWords(is)}`) ??
    (first && say`, which fits ${listed(fitting, mostNamed)}`) ??
    (asked && own(', of which Dossier has read no record of this listing'));
  const recorded = only && say` Version ${code(only.version)} ${versionWords(only)}.`;
  return say`You asked about ${code(text)}${has}${rest}${recorded}`;
}

/** Of an image, its tag and digest as one text. */
function versionOf(one: ListingPackage): string | undefined {
  const known = toPackage(one);
  return one.version ?? (known?.type === 'oci' ? toImage(known)?.reference : undefined);
}

const bySource = (words: Words | undefined, { observed_at = '' }: Pick<Observation, 'observed_at'>): Words =>
  words ? sentence(say`${words}${source('Dossier', dayText(observed_at))}`) : say``;

/** Of a package that its registry does not have. */
const absentWords = ({ outcome, why, reason = why && new Words(why), ...at }: Checked): Words =>
  bySource(outcome === 'absent' && reason ? phrase(reason) : undefined, at);

function lackingWords(one: Checked, is: boolean | undefined, version: string): Words {
  if (is === true) return say``;
  if (is === undefined) return absentWords(one);
  const { subject = '' } = one;
  return bySource(
    say`${registryOf(subject).registry} has no version ${code(version)} of ${packageOf(subject)}`,
    one,
  );
}

type VersionNoticeKey =
  | 'malware'
  | 'not_there'
  | 'package_deprecated'
  | 'package_version'
  | 'other_version'
  | 'advisories';

/** `version`: as asked for. */
const noticesAs = (key: VersionNoticeKey, text: Words, version: string) =>
  isEmpty(text) ? [] : [{ key, text: sentence(text), version }];

const unless = (is: boolean | undefined): Result => perhaps(is === undefined ? is : !is);

function statedOf(there: FactOf<typeof packageExists, Checked>, version: string) {
  const { subject = '', observed_at = '' } = there;
  const by = source('Dossier', dayText(observed_at));
  const { notices, ...rest } = sayOtherVersion(there, { subject, version, by });
  return { ...rest, notices: notices.flatMap(({ key, text }) => noticesAs(key, text, version)) };
}

function orderOfType(type = '') {
  const ecosystem = ecosystemOf(type);
  return ecosystem && orderOf(ecosystem);
}

const namedIn = ({ packages }: Pick<Listing, 'packages'>, references: readonly Reference[]) =>
  packages.filter(isNamedBy(references)).map((one) => ({ one, known: toPackage(one) }));

/** An image without a tag is asked for at `latest`. */
function askedAt(asked: string, { version, references }: Name, type = '') {
  const isBare = !version && type === 'oci' && !isAddress(asked) && !references.some(isDigest);
  const named = isBare ? { text: 'latest', isExact: true } : version;
  return { named, bare: isBare && say`Your request names no tag, which means ${code('latest')}` };
}

const isAt =
  ({ text, isExact }: VersionAsked) =>
  ({ one, known }: ReturnType<typeof namedIn>[number]) => {
    const version = (versionOf(one) ?? '').replace(/^.*@(?=sha256:)/, '');
    const order = orderOfType(known?.type);
    const areVersions = isExact && order?.isVersion(version) && order.isVersion(text);
    return version === text || (areVersions === true && order?.compare(version, text) === 0);
  };

/** Each package that was asked for in these versions, newest first. */
const eachNaming = ({ naming = [] }: OfRecord, references: readonly Reference[]) =>
  naming.flatMap((row) =>
    namedIn(recordedOf(row), references).map((named) => {
      const version = versionOf(named.one) ?? '';
      return { row, ...named, version, tag: version.replace(/@sha256:.*$/s, '') };
    }),
  );
type FormerlyNamed = ReturnType<typeof eachNaming>[number];
const rowsOf = (some: readonly FormerlyNamed[] = []) => [...new Set(some.map(({ row }) => row))];

/** However the number asked for is written, of the listing's version of this number, or of a longer one. */
const findNearest = (asked: string, all: readonly FormerlyNamed[]): readonly FormerlyNamed[] | undefined =>
  [
    spelled(all, asked, ({ tag }) => tag),
    spelled(all, asked, ({ row }) => row.version),
    all
      .filter(({ tag }) => ['.', '-'].some((next) => withoutV(tag).startsWith(withoutV(asked) + next)))
      .slice(0, 1),
  ].find(([{ version } = {}]) => version);

/** Of what the record does not name now; of another version of a package if none named the one asked for. */
export function readFormer(asked: string, name: Name, ofRecord: OfRecord = {}) {
  const { references } = name;
  const all = eachNaming(ofRecord, references);
  const { named, bare } = askedAt(asked, name, all[0]?.known?.type);
  const exact = named ? all.filter(isAt(named)) : [];
  const near = named ? findNearest(named.text, all) : [];
  const isAsked = isOneOf(references);
  const having = ofRecord.naming?.filter((row) =>
    [...recordedOf(row).remotes, ...recordedOf(row).packages].some(isAsked),
  );
  const found = [rowsOf(exact), rowsOf(near), having].find((rows) => rows?.[0]);
  if (!found) return undefined;
  const isOne =
    exact.length > 0 || all.some(({ one }) => references.some(isDigest) || isAddress(one.identifier));
  return {
    about: sentence(join([bare, recordedIn(found, isAsked, ofRecord)], '; ')),
    row: isOne && ofRecord.until !== undefined ? found.at(-1) : undefined,
  };
}

/**
 * Undefined if the recorded version was asked for by its number, or none; `isRecorded` if a range means it,
 * `isUnclear` if it is not known which version is meant. `about`: what the rest of an answer is about.
 */
function readOther(asked: string, known: KnownVersions) {
  const { listing, observations } = known;
  const name = readName(asked, '');
  const { version: sent, handles, references } = name;
  const [first] = namedIn(listing, references);
  if (handles.includes(listing.handle)) {
    const { text = 'latest' } = sent ?? {};
    const { asked } = known.ofRecord ?? {};
    const same = spelled<Pick<Stored, 'version'>>(asked ?? [listing], text);
    const isShown = same.every(({ version }) => version === listing.version);
    if (isShown && (same.length > 0 || ['latest', anyVersion].includes(text))) return undefined;
    if (same.length > 0 || !toFitting(text)(listing.version))
      return { about: versionOfRecordWords(text, known), row: asked?.findLast((one) => same.includes(one)) };
    const about = say`You asked about ${code(text)}, which fits the version shown, ${code(listing.version)}.`;
    return { about, isRecorded: true };
  }
  if (!first) return readFormer(asked, name, known.ofRecord);
  const { named, bare } = askedAt(asked, name, first.known?.type);
  if (!named) return undefined;
  // Tags of images and other versions without an order are compared as texts.
  const order = orderOfType(first.known?.type);
  const ofPackage = ({ subject }: Pick<Observation, 'subject'>) =>
    subject !== undefined && subject === first.known?.subject;
  const ofThis = observations.filter(ofPackage);
  const isNewest = /^(?:latest|\*)$/.test(named.text);
  const newest = order && isNewest ? newestInRegistry(ofThis) : undefined;
  const version = versionOf(first.one);
  if (order && named.text === anyVersion && !newest) {
    if (!order.isVersion(version ?? '')) return undefined;
    const about = say`Your request means ${sayNoNewest(factsOf(packageNewestVersion, ofThis)[0])}; the record names ${code(version ?? '')}, and the other facts are about that version.`;
    return { about, isRecorded: true };
  }
  const isOne = named.isExact && order?.isVersion(named.text) === true;
  const range =
    isOne || isNewest ? undefined : fittingInRegistry(named.text, first.known?.type ?? '', ofThis);
  const meant = newest ?? (range?.version === undefined ? undefined : { ...range, version: range.version });
  const wanted = meant ? { text: meant.version, isExact: true } : named;
  const isVersion = wanted.isExact && (order ? order.isVersion(wanted.text) : wanted.text !== 'latest');
  if (namedIn(listing, references).some(isAt(wanted)))
    return range && { about: say`${range.words}; it is the recorded one.`, isRecorded: true };
  if (newest && version === undefined) return undefined;
  const there = factsOf(packageExists, observations).find(ofPackage);
  const image = order ? undefined : imageWords(wanted.text, version ?? '', there);
  const names =
    version === undefined
      ? own('the record names no version of the package, and the other facts are about the newest version')
      : say`the record names ${code(version)}${image}, and the other facts are about that version`;
  const isTag = !/\d/.test(wanted.text);
  const unclear =
    !isVersion && own(isTag ? ', which is not a version' : ', which cannot be read as a version');
  const what = meant?.words ?? range?.words ?? (bare || say`You asked about ${code(wanted.text)}${unclear}`);
  const { naming, until } = wanted === named ? (known.ofRecord ?? {}) : {};
  const all = eachNaming({ naming }, references);
  const exact = all.filter(isAt(wanted));
  // Checks compare a digest with the tag that the record names.
  const isCompared = wanted.text.startsWith('sha256:') && image !== undefined && !isEmpty(image);
  const isNever = until !== undefined && isVersion && !isCompared;
  const near = isNever && exact.length === 0 ? findNearest(wanted.text, all) : undefined;
  const never =
    isNever &&
    exact.length === 0 &&
    !near?.some(({ tag }) => tag === wanted.text) &&
    say`as of ${dayOf(until)}, no version of the record that Dossier has read names the package at ${code(wanted.text)}`;
  const recording = rowsOf(near?.filter((one) => one.version !== version) ?? exact);
  const about = join(
    [join([what, names, never], '; '), recordedIn(recording, isOneOf(references), { until })].map(sentence),
    ' ',
  );
  const fact = factsOf(packageAdvisories, observations).find(ofPackage);
  const held =
    fact?.value == null || knowingOf(fact) !== 'known'
      ? undefined
      : { ...fact, value: fact.value, as_seen: undefined };
  const by = (words: Words | undefined) => bySource(words, fact ?? {});
  if (!isVersion) {
    const malware = by(range && held && sayReported(held));
    return { about, notices: noticesAs('malware', malware, wanted.text), isUnclear: true };
  }
  const is = there && hasVersion(there, wanted.text);
  const isAbsent = there?.outcome === 'absent' && !is;
  const lacking = there ? lackingWords(there, is, wanted.text) : say``;
  const said = held ? sayOfVersion(held, wanted.text) : {};
  const unsure = is === undefined && own(', and Dossier does not know whether there is such a version');
  const isLacking = isAbsent || is === false;
  const stated = there && order && !isLacking ? statedOf(there, wanted.text) : undefined;
  return {
    about,
    row: until === undefined ? undefined : exact.at(-1)?.row,
    /** What decides first. */
    notices: [
      ...noticesAs('malware', by(said.malware), wanted.text),
      ...noticesAs('not_there', lacking, wanted.text),
      ...(stated?.notices ?? []),
      ...noticesAs('advisories', by(said.about), wanted.text),
    ],
    /** Nothing is known of the version. */
    none: isLacking
      ? undefined
      : join([by(said.none && say`${said.none}${unsure}`), stated?.plain, stated?.unread], ' '),
    /** How the version itself is judged. */
    ofVersion: {
      no_malware_report: unless(said.isReported || is ? said.isReported : undefined),
      no_advisory: unless(said.isListed || is ? said.isListed : undefined),
      package_not_deprecated: unless(stated?.isDeprecated),
      package_there: perhaps(is === undefined ? is : true),
    } satisfies Readonly<Partial<Record<CriterionName | 'package_there', Result>>>,
  };
}

/** What is known of a version that was asked for and is not the recorded one. */
export function noticesOfOther(asked: string, known: KnownVersions) {
  const other = readOther(asked, known);
  const { notices = [], isRecorded = false, isUnclear, ofVersion = {} } = other ?? {};
  const isOther = other !== undefined && !isRecorded;
  return { notices, isUnclear, ofVersion: isOther ? ofVersion : undefined, isOther, isRecorded };
}

/** The earliest version of the record that may have been asked for, if it is not the one shown. */
export const askedRow = (asked: string, known: KnownVersions) => readOther(asked, known)?.row;

/** What the facts do not cover, before what was asked for is known of them; `beside` is of a command. */
export function askedVersion(asked: string, known: KnownVersions, beside = say``): Words | undefined {
  const other = readOther(asked, known);
  const { notices = [], about, none } = other ?? {};
  const textsOf = (isMalware: boolean) =>
    notices.filter((one) => isOfMalware(one) === isMalware).map(({ text }) => text);
  const said = join([...textsOf(true), beside, ...textsOf(false), about, none], ' ');
  return isEmpty(said) ? undefined : said;
}
