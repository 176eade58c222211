import { counted, dayText } from '../../core/text.ts';
import { fromDayToDay, say, toText } from '../../core/words.ts';
import { inTurnWords } from '../../document/seen.ts';
import type { SurfaceComparison } from '../../observations/known/changes/shown-list.ts';
import type { SeenSet, SeenTimes } from './seen-lists.ts';

/** `times` of the list that was seen last, `earlier` of the caller's, if that is another. */
interface Times {
  readonly times: SeenTimes;
  readonly earlier: SeenTimes | undefined;
  readonly others_until: string | undefined;
}

const isAgain = ({ first_seen_at, again_at = first_seen_at }: SeenTimes) =>
  dayText(first_seen_at) < dayText(again_at);

const firstText = (times: SeenTimes) => (isAgain(times) ? ` (first on ${dayText(times.first_seen_at)})` : '');

function beforeText({ earlier, others_until }: Times, isOfNames: boolean) {
  if (!earlier)
    return others_until && `Until ${dayText(others_until)}, Dossier saw a different list: see get_history.`;
  const { first_seen_at, again_at = first_seen_at, seen_until } = earlier;
  const when = seen_until ? toText(fromDayToDay(again_at, seen_until)) : `from ${dayText(first_seen_at)}`;
  return `${isOfNames ? 'A list with these names was seen' : 'Your list is the one that Dossier saw'} ${when}${firstText(earlier)}; get_history says what changed.`;
}

export function sentencesOf(seen: SeenSet, compared: SurfaceComparison, before: Times) {
  const { differs, repeated, not_sent, is_of_names, prefix, surface } = compared;
  const all = surface.name;
  const { first_seen_at, observed_at, as_seen, vantage, changed_from: { turns } = {} } = seen;
  const spoken = as_seen?.protocol ? ` in revision ${as_seen.protocol} of MCP` : '';
  const { times } = before;
  const since = `${isAgain(times) ? 'again ' : ''}since ${dayText(first_seen_at)}${firstText(times)}, last on ${dayText(observed_at)}${spoken}, from ${vantage}`;
  const same = is_of_names
    ? `Dossier has seen ${all} with these names`
    : `${not_sent.length === 0 ? 'These are' : 'What you sent is that of'} the ${all} that Dossier has seen`;
  const limit = is_of_names
    ? 'Only names were compared: you sent no'
    : 'Not compared, because you sent none:';
  return [
    not_sent.length > 0 && `${limit} ${not_sent.join(', ')}.`,
    differs.length === 0
      ? `${same} ${since}.`
      : `${counted(differs.length, surface.noun)} ${differs.length === 1 ? 'differs' : 'differ'} between your list and the one that Dossier has seen ${since}.`,
    seen.unseen,
    beforeText(before, is_of_names),
    turns && toText(say`Of this list, Dossier saw ${inTurnWords(turns)}.`),
    repeated.length > 0 && `Some names stand for several ${all}: see repeated.`,
    prefix &&
      'Your host puts the same characters before every name; the comparison ignores these characters.',
  ].filter(Boolean);
}
