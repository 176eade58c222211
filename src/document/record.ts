import { sql } from 'kysely';
import { type Capability, type Claim, type ClaimEvent, foldClaim } from '../claims/claim.ts';
import type { ReceiptKey } from '../claims/receipt-keys.ts';
import type { Context } from '../context.ts';
import { dayText, nextDay_ms } from '../core/text.ts';
import {
  code,
  codes,
  dayOf,
  join,
  listed,
  ours,
  own,
  say,
  sentence,
  toText,
  type Words,
} from '../core/words.ts';
import { type CopyField, copyFields, type ImportRun, type RunProgress } from '../imports/import-run.ts';
import {
  type ImportedSignal,
  isSample,
  isSpecified,
  type Listing,
  type ListingPackage,
  type StoredVersion,
  sampleOrigin,
} from '../listings/listing.ts';
import { unreadParts } from '../listings/record-form.ts';
import type { SharedReference } from '../listings/references/shared.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import { isLoopbackBase } from '../net/addresses.ts';
import { factsOf } from '../observations/known/kind.ts';
import { recordUnreadFields } from '../observations/known/kinds/record.ts';
import type { StoredObservation } from '../observations/known/observation.ts';
import { type CheckedBefore, nextStale_ms } from '../observations/known/to-observations.ts';
import { noNativeCounts } from '../ratings/counts.ts';
import type { NativeSignals } from '../ratings/rating.ts';
import { howDeleted } from './changes.ts';
import { type ListingDocument, partAsked, type WithPart } from './listing-document.ts';
import type { Db } from './schema.ts';

/** Ascending, with those that are no longer listed. */
export async function readHandlesWithEvidence(db: Db, after: string, limit: number): Promise<string[]> {
  // Own limits, because the observer may have checked every listing.
  const firstOf = (table: 'observation' | 'observation_change') =>
    sql`select handle from (select distinct handle from ${sql.table(table)} where handle > ${after} order by handle limit ${limit}) as ${sql.table(table)}`;
  const { rows } = await sql<{
    handle: string;
  }>`select subject_handle as handle from rating where subject_handle > ${after}
    union select handle from claim_event where handle > ${after} union select handle from claim where handle > ${after}
    union select handle from moderation where handle > ${after} and ended_by is null
    union ${firstOf('observation')} union ${firstOf('observation_change')}
    order by handle limit ${limit}`.execute(db);
  return rows.map(({ handle }) => handle);
}

type Away = NonNullable<ListingDocument['away']>;

/** YYYY-MM-DD, and the last log entry about the listing until its end. */
interface AsOf {
  readonly day: string;
  readonly log_index: number | undefined;
  /** The day is not over. */
  readonly is_today?: boolean;
  /** An opt-out line withdrew the listing before the end of the day. */
  readonly is_withdrawn?: boolean;
  /** Of the oldest reading that is kept, on a later day: the facts are of then. */
  readonly begins?: Words;
}

/** RFC 3339. */
export const endOfDay = (day: string): string => `${day}T23:59:59.999Z`;

/** Of what an answer as of a past day has. */
export const leftOutWords = own(
  ' What other listings share with it, lists of names and the texts of ratings are left out; actions of the operator are those of today.',
);

export function awayWords({ from, until, gave_reason, others = [] }: Away): Words {
  const named = listed(others.map(({ kind, key }) => say`the ${own(kind)} ${code(key)}`));
  const since =
    others.length > 0 && say`; it names ${named}, which no version that Dossier had read before named`;
  return say`the registry had deleted it${howDeleted(gave_reason)}, as read from ${dayOf(from)} until it was back on ${dayOf(until)}${since}`;
}

/** Where a package answers once it is started, as recorded. */
export function answersAtWords({ transport_url: url }: ListingPackage): Words {
  if (url === undefined) return say``;
  const base = URL.parse(url.replaceAll(/\$?\{[^{}]*\}/g, '0'));
  return say` at ${code(url)}${base !== null && isLoopbackBase(base) && own(' on your own machine')}`;
}

/** What Dossier did. */
export const beginsWords = (day: string, isFirst: boolean, away: Away | undefined): Words =>
  isFirst
    ? say`first read the record on ${dayOf(day)}`
    : say`keeps nothing of the record from before ${dayOf(day)}${away ? say`; ${awayWords(away)}` : say``}`;

export function asOfWords({ day, log_index, is_today, is_withdrawn, begins }: AsOf): Words {
  if (begins)
    return say`Dossier kept nothing of this listing on ${dayOf(day)}: it ${begins}. Versions are told by the dates in that record.`;
  const when = own(is_today ? 'which is not over in UTC' : 'the end of the day in UTC');
  const index =
    log_index === undefined
      ? own('no entry of the log is about it by then')
      : say`the last log entry about it by then has the index ${ours(String(log_index))}`;
  const withdrawn = is_withdrawn && own(' The listing was withdrawn then, because of an opt-out line.');
  return say`As of ${dayOf(day)}, ${when}: ${index}.${withdrawn}`;
}

/** `at` is RFC 3339. */
export async function readLastEntry(db: Db, handle: string, at: string): Promise<number | undefined> {
  const { rows } = await sql<{ last: number | null }>`select max(log_index) as last from (
    select log_index from observation_change where handle = ${handle} and at <= ${at}
    union all select log_index from claim_event where handle = ${handle} and at <= ${at}
    union all select log_index from moderation where handle = ${handle} and at <= ${at}
    union all select log_index from rating where subject_handle = ${handle} and created_at <= ${at}
    union all select withdrawn_by from rating where subject_handle = ${handle} and withdrawn_at <= ${at}
    ) as entries`.execute(db);
  const last = rows[0]?.last ?? undefined;
  return last === undefined ? undefined : Number(last);
}

type Claimed = Pick<ListingFacts, 'claim' | 'claimHistory' | 'receiptKeys'>;

export function toPastClaim({ claim, claimHistory, receiptKeys }: Claimed, at: string): Claimed {
  const history = claimHistory.filter((event) => event.at <= at);
  const logged = foldClaim(history);
  return {
    claim: logged &&
      claim && {
        handle: claim.handle,
        place_key: logged.root,
        ...logged,
        checked_at: at,
        ...(claim.claimed_at === logged.claimed_at && claim.seen && { seen: claim.seen }),
      },
    claimHistory: history,
    receiptKeys: receiptKeys.flatMap(({ valid_until, ...key }) => {
      if (key.valid_from > at) return [];
      return [{ ...key, ...(valid_until && valid_until <= at && { valid_until }) }];
    }),
  };
}

const lackingWords = {
  endpoint: own('endpoints'),
  package: own('packages'),
  repository: own('repositories'),
} as const satisfies Readonly<Record<CopyField, Words>>;

/** Endpoints and packages are told together. Undefined if the copy records the field for any listing. */
export function copyLacksWords(lacking: readonly CopyField[] = [], field: CopyField): Words | undefined {
  if (!lacking.includes(field)) return undefined;
  const told = lacking.filter((one) => (one === 'repository') === (field === 'repository'));
  return sentence(
    say`this copy records ${join(
      told.map((one) => say`no ${lackingWords[one]}`),
      ' and ',
    )}`,
  );
}

export function copyLacksSentence(lacking: readonly CopyField[] | undefined, field: CopyField) {
  const words = copyLacksWords(lacking, field);
  return words && toText(words);
}

/** What the copy records of no listing of this origin. */
export const copyLacksOf = (listing: Listing, recorded: RunProgress['recorded']): readonly CopyField[] => {
  const ofOrigin = recorded[isSample(listing) ? sampleOrigin : listing.origin] ?? copyFields;
  return copyFields.filter((field) => !ofOrigin.includes(field));
};

export type RecordReading = ReturnType<typeof toReading>;

interface Runs {
  readonly own: Pick<ImportRun, 'source' | 'progress'> | undefined;
  /** When its newest completed run ended. */
  readonly read_at: string | undefined;
  /** Of the source's newest completed full run; undefined if `own` is that run. */
  readonly full: RunProgress | undefined;
  /** By origin, in any run so far. */
  readonly recorded: RunProgress['recorded'];
}

/**
 * The record is known as of `observed_at`: for a registry the end of the last completed run, which reads
 * every change, or a later import; for a saved copy its newest change, because it does not state when it was
 * saved; for the sample, and without dates, the time of the import.
 */
export function toReading(listing: Listing, { own, read_at, full, recorded }: Runs) {
  const { imported_at } = listing;
  const copyLacks = copyLacksOf(listing, recorded);
  const sendsOlder = ((full ?? own?.progress)?.counts.older_versions ?? 0) > 0;
  const reading = (
    kind: 'registry' | 'saved_copy' | 'sample',
    observed_at: string,
    hasOlderVersions: boolean,
    isOfNoDate = false,
  ) => ({
    kind,
    observed_at,
    copyLacks,
    /** Whether the first publication and the number of versions follow from what was sent. */
    hasOlderVersions,
    isOfNoDate,
    isUndated: listing.undated === true,
    read_at: read_at ?? imported_at,
  });
  if (isSample(listing)) return reading('sample', imported_at, !isSpecified(listing));
  if (own?.source.startsWith('file:')) {
    const { newestUpdatedAt: newest } = own.progress;
    return reading('saved_copy', newest ?? imported_at, sendsOlder, newest === undefined);
  }
  const isLater = read_at !== undefined && read_at > imported_at;
  return reading('registry', isLater ? read_at : imported_at, sendsOlder);
}

/** By when an absence is known. A registry is read all the time. */
export const endOfCopyWords = (newest: string, are = own('The listings are')): Words =>
  say`${are} of a saved copy of a registry, whose newest change is of ${dayOf(newest)}: what was published later is not in it.`;

/** Undefined if the listing is not from a saved copy. */
export function savedCopySentence({ kind, observed_at, isOfNoDate, read_at }: RecordReading) {
  if (kind !== 'saved_copy') return undefined;
  const saved = isOfNoDate
    ? 'No date in the copy shows when it was saved.'
    : `The newest change in the copy is of ${dayText(observed_at)}, so the copy was saved on that day or later.`;
  return `This listing is from a saved copy of a registry, read by Dossier on ${dayText(read_at)}. ${saved}`;
}

export const noDates = own('The registry states no date of this listing.');

/** Undefined if both are known. */
export function whyNoHistory({ kind, hasOlderVersions }: RecordReading): Words | undefined {
  if (hasOlderVersions) return undefined;
  if (kind === 'sample') return own('The version and the dates of this listing were chosen for the sample.');
  return kind === 'saved_copy'
    ? own('The saved copy that was read has no older version of any listing.')
    : own(
        'When Dossier last read all of the registry, it was sent only the newest version of each listing, so older versions may be missing here.',
      );
}

/** Searches and criteria accept only these; listings may record others. */
export const transports = ['streamable-http', 'sse', 'stdio'] as const;
/** Listings may record others. */
export const packageTypes = ['npm', 'pypi', 'oci', 'nuget', 'mcpb', 'cargo'] as const;

/**
 * `ways`: the secrets that each endpoint, and each package with its transport, needs, without packages of
 * which the record names no input: they may need the same. `unmarked`: credentials that the record does not
 * mark as secret.
 */
export function recordedSecrets({ remotes, packages }: Pick<Listing, 'remotes' | 'packages'>) {
  const ofPackages = packages.flatMap(({ inputs }) => (inputs ? [inputs] : []));
  const ways = [...remotes.map(({ inputs = [] }) => inputs), ...ofPackages];
  const namesOf = (some: (typeof ways)[number]) => [...new Set(some.map(({ name }) => name))];
  const neededOf = (some: (typeof ways)[number]) => namesOf(some.filter(({ required }) => required));
  const asked = (some: (typeof ways)[number]) => {
    const needed = neededOf(some);
    return { needed, optional: namesOf(some).filter((name) => !needed.includes(name)) };
  };
  const all = ways.flat();
  return {
    ...asked(all.filter(({ secret }) => secret)),
    ways: ways.map((way) => neededOf(way.filter(({ secret }) => secret))),
    unmarked: asked(all.filter(({ unmarked }) => unmarked)),
  };
}

type WithRecord = Pick<ListingDocument, 'remotes' | 'packages' | 'signals'>;

/** The part, or an item of it, could not be read. */
export const isUnread = ({ signals }: WithRecord, field: CopyField): boolean =>
  factsOf(recordUnreadFields, signals.imported)[0]?.value?.includes(unreadParts[field]) === true;

/** Unread members that may ask for inputs; `remotes[]` is a remote. */
export const unreadOf = (listing: WithRecord): string[] => [
  ...new Set([
    ...[...listing.remotes, ...listing.packages].flatMap(({ unread = [] }) => unread),
    ...(['endpoint', 'package'] as const)
      .filter((one) => isUnread(listing, one))
      .map((one) => unreadParts[one]),
  ]),
];

export const unreadWords = (unread: readonly string[]): Words =>
  say`the record has ${codes(unread)} in a form that Dossier does not read`;

/** Undefined if it names none. */
export function whyNoneRead(
  listing: WithRecord & Pick<ListingDocument, 'copy_lacks'> & WithPart,
  field: CopyField,
): Words | undefined {
  const { [partAsked]: part = field } = listing;
  if (part !== field && field !== 'repository') return say`Only the ${own(part)} was asked about.`;
  return isUnread(listing, field)
    ? sentence(unreadWords([unreadParts[field]]))
    : copyLacksWords(listing.copy_lacks, field);
}

const recordedTags: ReadonlySet<string> = new Set(['remote', 'stdio', ...packageTypes]);

export const isRecordedTag = (tag: string): boolean => recordedTags.has(tag);

/** As most listings are, and private entries. */
export const nothingNative = {
  claim: undefined,
  claimHistory: [],
  receiptKeys: [],
  capabilities: [],
  moderation: [],
  native: { ...noNativeCounts, recent: [] },
};

/** Read by several statements, so its parts may be of different moments. */
export interface ListingFacts extends WithPart {
  readonly listing: Listing;
  /** At most ten, newest first. */
  readonly versions: readonly StoredVersion[];
  readonly imported: readonly ImportedSignal[];
  /** Undefined before the first check. */
  readonly observed:
    | {
        readonly observed_at: string;
        /** When the record changed after the check; null if it did not. */
        readonly due_since: string | null;
        readonly observations: readonly StoredObservation[];
        readonly before?: CheckedBefore | undefined;
      }
    | undefined;
  readonly claim: Claim | undefined;
  readonly claimHistory: readonly ClaimEvent[];
  /** Former ones too, oldest first. */
  readonly receiptKeys: readonly ReceiptKey[];
  readonly capabilities: readonly Capability[];
  readonly native: Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings'>;
  readonly shared: readonly SharedReference[];
  /** Under the same namespace, with this one; undefined as of a past day. */
  readonly publisherListings: number | undefined;
  /** When a rating next changes its group because of its age, RFC 3339. */
  readonly changesAt?: string;
  /** In force on the listing, its capabilities, namespace or claiming account. */
  readonly moderation: readonly ModerationNotice[];
  readonly reading: RecordReading;
  readonly away?: Away | undefined;
  readonly asOf?: AsOf;
}

/** When the facts are next shown differently, although none changed. */
export function nextChange_ms(
  { changesAt, observed }: ListingFacts,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
): number {
  const now = clock();
  return Math.min(
    nextDay_ms(now),
    changesAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(changesAt),
    nextStale_ms(observed?.observations ?? [], { now, interval_s: config.observeInterval_s }),
  );
}
