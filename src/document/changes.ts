import { reasonText } from '../claims/standing.ts';
import { dayText } from '../core/text.ts';
import { code, dayOf, isEmpty, join, ours, own, quote, say, type Words } from '../core/words.ts';
import { type DerivedVersion, deletedVersion } from '../listings/listing.ts';
import { moveSchema } from '../listings/moves.ts';
import { changeTexts, type FailedCriterion, type NewChange } from '../log/change.ts';
import { moveWords, otherFields } from '../observations/known/kinds/moves.ts';
import { deletionWords, toLabel } from './words.ts';

type Data = NewChange['data'];

const actionWords = ({ action, target_kind, reason, ends }: Data): Words =>
  say`${ends === undefined ? say`` : own('undid ')}${ours(`${action} ${target_kind}, ${toLabel(String(reason))}`)}`;

/** No text of a listing that is gone stays. Of what was read before December 2026 it is not known. */
export const howDeleted = (gave_reason: unknown): Words => {
  if (gave_reason === undefined) return own('');
  return gave_reason
    ? own(' for a stated reason, which is not kept here (ask its publisher or the registry)')
    : own(' without a stated reason');
};

function leftWords({ view, failed }: Data): Words {
  const reasons = (failed as readonly FailedCriterion[]).map(({ criterion, value, result, fact }) =>
    ours(fact ?? `${criterion}${value === undefined ? '' : ` ${value}`} ${result.replaceAll('_', ' ')}`),
  );
  return say`${ours(String(view))}: ${reasons.length > 0 ? join(reasons, ', ') : own('not listed')}`;
}

const changedNames = (names: unknown): string[] => (Array.isArray(names) ? names.map(String) : []);

/** `says`: what the publisher says of the status, unless a later change may have replaced it. */
function recordWords({ fields, inputs, values, moved, status, before, says }: Data): Words {
  const move = moveSchema.safeParse(moved).data;
  const isTold = new Set([...(status === undefined ? [] : ['origin_status']), 'status_message']);
  const untold = changedNames(fields).filter((field) => !isTold.has(field));
  const isUnsaid = says === undefined && changedNames(fields).includes('status_message');
  const names = otherFields({ ...({ inputs, values } as DerivedVersion), fields: untold }, move);
  const others = isEmpty(names) ? say`` : say` (${names})`;
  const details = [
    status === undefined ? say`` : say`marked as ${ours(String(status))}, ${ours(String(before))} before`,
    says === undefined ? say`` : say`its publisher says ${quote(String(says))}`,
    isUnsaid ? own('its status message changed; only the newest is kept here (ask its publisher)') : say``,
    move ? moveWords(move) : say``,
  ].filter((words) => !isEmpty(words));
  return say`${ours(changeTexts['listing.changed'])}${others}${details.length > 0 ? say`: ${join(details, '; ')}` : say``}`;
}

/** The record in the log has no group. */
function ratingWords({ outcome, group }: Data): Words {
  if (group === undefined) return say``;
  const then =
    group === 'independent' ? own('independent then') : say`set apart then: ${ours(String(group))}`;
  return say`${ours(String(outcome))}; ${then}`;
}

function detailsOf({ type, data }: NewChange): Words {
  if (type === 'moderation.applied') return actionWords(data);
  if (type === 'view.joined') return ours(String(data.view));
  if (type === 'view.left') return leftWords(data);
  if (type === 'rating.submitted' || type === 'rating.amended') return ratingWords(data);
  if (type === 'listing.withdrawn' && data.reason === 'deleted')
    return say`the registry deleted it${howDeleted(data.gave_reason)}`;
  if (type === 'claim.suspended') return ours(reasonText(String(data.reason ?? '')));
  return say``;
}

export function changeWords(change: NewChange): Words {
  if (change.type === 'listing.changed') return recordWords(change.data);
  const { source } = change.data;
  // A handle has no characters that could imitate our words.
  const by = typeof source === 'string' ? say` by ${ours(source)}` : say``;
  const details = detailsOf(change);
  return say`${ours(changeTexts[change.type])}${by}${isEmpty(details) ? details : say` (${details})`}`;
}

export function changeWithVersion(change: NewChange): Words {
  const { version, from_version: from, published_at: published = change.at } = change.data;
  const deleted = deletedVersion.safeParse(change.data.from_deleted).data;
  const since = deleted ? say`, ${deletionWords(deleted)}` : say``;
  const before = typeof from === 'string' ? say`, ${code(from)} before${since}` : say``;
  const isOfVersion = from !== undefined || change.type !== 'listing.changed';
  const days =
    !isOfVersion || dayText(String(published)) === dayText(change.at)
      ? say``
      : say` (published ${dayOf(String(published))}, read here on ${dayOf(change.at)})`;
  return say`${changeWords(change)}${typeof version === 'string' ? say`; version ${code(version)}${days}${before}` : say``}`;
}
