import type { Context } from '../../context.ts';
import { difference, differenceWords } from '../../core/difference/difference.ts';
import type { Json } from '../../core/json.ts';
import { say, type Words } from '../../core/words.ts';
import { addTexts } from '../../observations/known/changes/history.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import type { ObservationChange } from '../../observations/known/observation.ts';
import { type StateChange, wholeDigestOf } from '../../observations/known/timeline/timeline.ts';
import { endOfDay } from '../as-of.ts';
import type { ListingFacts } from '../record.ts';
import { changedWords } from './history.ts';

const stated = ({ listing, claim, native }: ListingFacts) => ({
  title: listing.title,
  description: listing.description,
  version: listing.version,
  status: listing.origin_status,
  status_message: listing.status_message,
  remotes: listing.remotes,
  packages: listing.packages,
  repository: listing.repository,
  website: listing.website,
  claim: claim?.state ?? 'imported',
  ratings: native.ratings,
});

const form = {
  members: {
    remotes: { key: ({ url }: Readonly<Record<string, unknown>>) => String(url) },
    packages: { key: ({ identifier }: Readonly<Record<string, unknown>>) => String(identifier) },
  },
};

/** If both whole values are still stored. */
async function toWholeChange(
  handle: string,
  { kind, subject, was, is }: StateChange & Pick<ObservationChange, 'kind' | 'subject'>,
  { store: { observations } }: Pick<Context, 'store'>,
): Promise<ObservationChange> {
  const compare = kindOf(kind)?.difference;
  const wholeOf = async (state: StateChange['is']) => {
    const digest = wholeDigestOf(state);
    return compare && digest && observations.valueText({ handle, kind, subject: subject ?? '' }, digest);
  };
  const before = await wholeOf(was);
  const after = await wholeOf(is);
  const items = before && after && compare?.(JSON.parse(before) as Json, JSON.parse(after) as Json);
  return {
    kind,
    ...(subject !== undefined && { subject }),
    before: { ...was, seen_until: was.to },
    after: is,
    ...(items && { items: items.items, counts: items.counts }),
  };
}

/** Between the ends of two days, however often it changed on the way. */
export async function differingWords(
  [was, is]: readonly [ListingFacts, ListingFacts],
  [from, to]: readonly [string, string],
  context: Pick<Context, 'store'>,
): Promise<Words[]> {
  const { handle } = is.listing;
  const record = difference(stated(was), stated(is), form);
  const states = await context.store.observations.between(handle, [endOfDay(from), endOfDay(to)]);
  const changes: ObservationChange[] = [];
  for (const one of states) changes.push(await toWholeChange(handle, one, context));
  const [told] = await addTexts(handle, [{ changes }], context);
  return [
    ...(record.length > 0 ? [say`Record, claim and ratings: ${differenceWords(record)}`] : []),
    ...(told?.changes ?? []).map((one) => changedWords(one)),
  ];
}
