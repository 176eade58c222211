import {
  code,
  count,
  dayOf,
  eachCode,
  fromDayToDay,
  isEmpty,
  join,
  listed,
  own,
  say,
  toText,
  type Words,
} from '../core/words.ts';
import { recordedOf } from '../imports/recorded.ts';
import type {
  Listing,
  ListingPackage,
  ListingRemote,
  ListingVersion,
  VersionSummary,
} from '../listings/listing.ts';
import { recordedWords } from './asked-place.ts';
import { answersAtWords } from './record.ts';
import { endpointWords, inputsWords, overWords, startWords } from './sentences.ts';

export const publishedWords = ({
  published_at,
  status,
  undated,
}: Pick<VersionSummary, 'status' | 'published_at' | 'undated'>): Words =>
  say`${undated ? own('without a date') : say`published ${dayOf(published_at)}`}${status === 'deleted' && own(', deleted since')}`;

const nameOf = (one: ListingPackage): Words =>
  say`${recordedWords(one)}${one.file_sha256 !== undefined && say` with the SHA-256 ${code(one.file_sha256)}`}`;

type RecordedWay = ListingPackage | ListingRemote;
const wayName = (one: RecordedWay): Words =>
  'url' in one
    ? say`the endpoint ${endpointWords([one], one.url)}`
    : say`${nameOf(one)}${overWords(one.transport)}${answersAtWords(one)}${startWords(one)}`;

/** Only the names of what it asks for: the texts about them are the publisher’s, and not of today. */
function wayWords(one: RecordedWay): Words {
  const { inputs = [], unread = [] } = one;
  const named = inputs.map(({ description: _, value: __, choices: ___, ...input }) => input);
  const asked = inputsWords(named, ', and ');
  const asks = isEmpty(asked) ? own(', for which it names no inputs') : say`, which ${asked}`;
  return say`${wayName(one)}${asks}${unread.length > 0 && say` (not read: ${listed(eachCode(unread), 3)})`}`;
}

type IsAsked = (one: RecordedWay) => boolean;

const askedFirst = (
  { remotes, packages }: Pick<Listing, 'remotes' | 'packages'>,
  isAsked: IsAsked,
): RecordedWay[] => [...remotes, ...packages].toSorted((a, b) => Number(isAsked(b)) - Number(isAsked(a)));

const mostWays = 3;

/** After the name of a version: what it names and asks for. */
export function versionWords(row: ListingVersion, isAsked: IsAsked = () => false): Words {
  if (row.status === 'deleted') return own('was deleted in its registry, and what it recorded is not kept');
  const recorded = recordedOf(row);
  const ways = askedFirst(recorded, isAsked);
  if (ways.length === 0) return own('recorded no endpoint and no package that Dossier reads');
  const more = ways.length - mostWays;
  const rest = [
    more > 0 && say`and ${more} more`,
    recorded.hasUnreadWay && own('and what Dossier does not read'),
  ];
  return say`recorded ${join([...ways.slice(0, mostWays).map(wayWords), ...rest], '; ')}`;
}

const mostGroups = 3;

function whichWords(rows: readonly ListingVersion[]): Words {
  const [newest, ...older] = rows;
  const oldest = older.at(-1);
  if (!newest) return say``;
  if (!oldest) return say`version ${code(newest.version)} of the listing, ${publishedWords(newest)},`;
  const names = eachCode(rows.map(({ version }) => version));
  const all =
    names.length > mostGroups
      ? say`${names.at(-1)} to ${names[0]}, ${names.length} in all,`
      : listed(names.toReversed());
  const dates =
    !rows.some(({ undated }) => undated) &&
    say`, published ${fromDayToDay(oldest.published_at, newest.published_at)},`;
  return say`versions ${all} of the listing${dates}`;
}

/**
 * Newest first; those that recorded the same are said together, of older others only what was asked for.
 * `until` is undefined if there may be more than these.
 */
export function recordedIn(
  rows: readonly ListingVersion[],
  isAsked: IsAsked,
  { until }: { readonly until?: string | undefined },
): Words {
  const said = rows.map((row) => ({ row, words: versionWords(row, isAsked) }));
  const [newest] = said;
  const first = newest && toText(newest.words);
  const shortOf = (row: ListingVersion) =>
    say`recorded ${listed(askedFirst(recordedOf(row), isAsked).filter(isAsked).map(wayName), mostWays)}`;
  const groups = Map.groupBy(said, ({ row, words }) => (toText(words) === first ? '' : toText(shortOf(row))));
  const all = [...groups].map(([key, some]) => ({ key, rows: some.map(({ row }) => row) }));
  const shown = all.slice(0, mostGroups).map(({ key, rows }) => {
    const what = key === '' ? newest?.words : rows[0] && shortOf(rows[0]);
    return say`${whichWords(rows)} ${what}`;
  });
  const left = all.slice(mostGroups).flatMap(({ rows }) => rows).length;
  const isWhole = until !== undefined;
  const more =
    left > 0
      ? say`${!isWhole && own('at least ')}${count(left, 'more version')} named it too`
      : !isWhole && newest && own('older versions were not looked at');
  const short = shown.length > 1 && own('of older versions, inputs and other parts are left out here');
  return join([...shown, short, more], '; ');
}
