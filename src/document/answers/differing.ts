import type { Context } from '../../context.ts';
import { difference, differenceWords } from '../../core/difference/difference.ts';
import type { Json } from '../../core/json.ts';
import { dayOf, join, own, say, type Words } from '../../core/words.ts';
import { type SurfaceMember, shortNameOf } from '../../observations/asked/endpoint/surface.ts';
import { addTexts, type ShownChange } from '../../observations/known/changes/history.ts';
import { toFactChange } from '../../observations/known/changes/telling.ts';
import { kindOf, kinds, surfaceOf } from '../../observations/known/kinds.ts';
import { type State, wholeDigestOf } from '../../observations/known/timeline/timeline.ts';
import { ratingGroups } from '../../ratings/groups.ts';
import type { ListingDocument } from '../listing-document.ts';
import { endOfDay, type ListingFacts } from '../record.ts';
import { toAnswer } from './answers.ts';
import { entryWords, type FoldedChange, saidOf } from './history.ts';
import type { HistoryEvent, HistoryKind, HistoryQuery } from './history-events.ts';
import { firstNotices } from './notices.ts';
import type { StandOut } from './stands-out.ts';

const stated = ({ listing, claim, native }: ListingFacts) => ({
  title: listing.title,
  description: listing.description,
  version: listing.version,
  status: listing.origin_status,
  status_message: listing.status_message,
  remotes: listing.remotes,
  packages: listing.packages,
  repository: listing.repository,
  repository_folder: listing.repository_folder,
  website: listing.website,
  claim: claim?.state ?? 'imported',
  claimed_at: claim?.claimed_at,
  claimed_by: claim?.root,
  ratings: ratingGroups.map((group) => ({
    group,
    ...native[group].outcomes,
    last_at: native[group].last_at,
  })),
});

const keyed = (member: string) => ({ key: (one: Readonly<Record<string, unknown>>) => String(one[member]) });
const form = { members: { remotes: keyed('url'), packages: keyed('identifier'), ratings: keyed('group') } };

const mostStanding = 2;

interface DifferingQuery extends Pick<HistoryQuery, 'isOther'> {
  readonly events: readonly HistoryEvent[];
  readonly context: Pick<Context, 'store'>;
}

type Between = Awaited<ReturnType<Context['store']['observations']['between']>>[number];

/** Names in lists are stored apart from all states but the newest. */
function withNames(state: State, kind: string, list: Json | undefined): State {
  const surface = surfaceOf(kind);
  if (!surface || !list) return state;
  const names = (list as SurfaceMember[]).map((one) => ({ name: shortNameOf(one, surface) }));
  return { ...state, details: { ...state.details, [surface.name]: names } };
}

/** With the difference if both whole values are still stored. */
async function toWholeChange(
  handle: string,
  { was, is, kind, subject, turns }: Between,
  { store: { observations } }: Pick<Context, 'store'>,
): Promise<ShownChange> {
  const compare = kindOf(kind)?.difference;
  const wholeOf = async (state: State | undefined) => {
    const digest = compare && state && wholeDigestOf(state);
    const text = digest && (await observations.valueText({ handle, kind, subject: subject ?? '' }, digest));
    return text ? (JSON.parse(text) as Json) : undefined;
  };
  const before = await wholeOf(was);
  const after = await wholeOf(is);
  const isCompared = before && after && was?.method_version === is.method_version;
  return {
    ...toFactChange({ kind, subject }, was && withNames(was, kind, before), withNames(is, kind, after)),
    ...(isCompared && compare?.(before, after)),
    ...(turns && { turns }),
  };
}

/** Of what most listings lack, nothing at both ends. */
const isNothing = ({ was, is, kind }: Between): boolean =>
  !was && is.outcome === 'nothing' && kinds.some((one) => one.kind === kind && one.isOptional);

/** A value that came back has several changes between equal ends, each from another time. */
const endsOf = ({ kind, subject, before, after }: ShownChange) =>
  JSON.stringify([
    [kind, subject, before?.value, before?.outcome, before?.seen_until],
    [after.value, after.outcome],
  ]);

/** What stands out from checks as of the listing's day, besides changes. */
export function standingWords(listing: ListingDocument, asked: HistoryKind | undefined): Words | undefined {
  const isAsked = ({ key, fact }: StandOut) =>
    fact && key !== 'changed' && (asked === undefined || kindOf(fact.kind)?.question === asked);
  const found = toAnswer(listing, 'short').standsOut.filter(isAsked);
  const shown = firstNotices(found, (_, place) => place < mostStanding, own('get_agent with as_of'));
  const on = dayOf(listing.evidence_snapshot_date);
  return shown.length === 0 ? undefined : say`As of ${on}, this stands out from checks: ${join(shown, ' ')}`;
}

/** Between the ends of two days, however often it changed on the way. `others` of `events` are not that. */
export async function toDiffering(
  [was, is]: readonly [ListingFacts, ListingFacts],
  [from, to]: readonly [string, string],
  { events, isOther, context }: DifferingQuery,
): Promise<{ readonly words: Words[]; readonly others: HistoryEvent[] }> {
  const { handle } = is.listing;
  const record = difference(stated(was), stated(is), form);
  const at = endOfDay(to);
  const entries = new Map(
    events.flatMap((event) =>
      event.type === 'check'
        ? event.changes.map((one) => [endsOf(one), { ...one, log_index: event.log_index }] as const)
        : [],
    ),
  );
  const changes: ShownChange[] = [];
  for (const one of await context.store.observations.between(handle, [endOfDay(from), at])) {
    if (isOther?.(one) || isNothing(one)) continue;
    changes.push(await toWholeChange(handle, one, context));
  }
  const check = { type: 'check' as const, at, vantage: '', log_index: 0, is_first: false, changes };
  const ends = new Set(changes.map(endsOf));
  const isEnd = (one: ShownChange) => ends.has(endsOf(one));
  const entryOf = ({ change }: FoldedChange) => entryWords(entries.get(endsOf(change))?.log_index);
  return {
    words: [
      ...(record.length > 0 ? [say`Record, claim and ratings: ${differenceWords(record)}`] : []),
      ...(await addTexts(handle, [check], context)).flatMap((one) => saidOf(one, undefined, entryOf)),
    ],
    others: events.flatMap((event) => {
      if (event.type !== 'check' || event.is_first) return event;
      const left = event.changes.filter((one) => !isEnd(one));
      return left.length > 0 ? { ...event, changes: left } : [];
    }),
  };
}
