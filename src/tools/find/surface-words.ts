import { counted, dayText } from '../../core/text.ts';
import { fromDayToDay, toText } from '../../core/words.ts';
import type { SurfaceComparison } from '../../observations/known/changes/shown-list.ts';
import type { SeenSet } from './seen-lists.ts';

interface EarlierSurface {
  readonly earlier: { readonly first_seen_at: string; readonly seen_until?: string } | undefined;
  readonly others_until: string | undefined;
  /** The end of an earlier time in which the caller's list was seen, before the different ones. */
  readonly again_until: string | undefined;
}

function beforeText({ earlier, others_until, again_until }: EarlierSurface, isOfNames: boolean) {
  const again =
    again_until && !isOfNames ? ` Dossier also saw your list earlier, until ${dayText(again_until)}.` : '';
  if (!earlier)
    return (
      others_until && `Until ${dayText(others_until)}, Dossier saw a different list: see get_history.${again}`
    );
  const { first_seen_at, seen_until } = earlier;
  const when = seen_until
    ? toText(fromDayToDay(first_seen_at, seen_until))
    : `from ${dayText(first_seen_at)}`;
  return `${isOfNames ? 'A list with these names was seen' : 'Your list is the one that Dossier saw'} ${when}; get_history says what changed.`;
}

export function sentencesOf(seen: SeenSet, compared: SurfaceComparison, before: EarlierSurface) {
  const { differs, repeated, not_sent, is_of_names, prefix, surface } = compared;
  const all = surface.name;
  const { first_seen_at, observed_at, as_seen, vantage } = seen;
  const spoken = as_seen?.protocol ? ` in revision ${as_seen.protocol} of MCP` : '';
  const since = `since ${dayText(first_seen_at)}, last on ${dayText(observed_at)}${spoken}, from ${vantage}`;
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
    repeated.length > 0 && `Some names stand for several ${all}: see repeated.`,
    prefix &&
      'Your host puts the same characters before every name; the comparison ignores these characters.',
  ].filter(Boolean);
}
