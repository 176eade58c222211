import { html } from 'hono/html';
import type { ClaimResponse } from '../../claims/response.ts';
import { claimMethods } from '../../evidence/claim/methods/index.ts';
import type { ClaimKind } from '../../evidence/claim/proof-place.ts';
import { type Html, minute } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';

/** One step of a claim and its progress. */
interface Step {
  readonly name: string;
  readonly state: Html | string;
  readonly standing: 'done' | 'now' | 'later';
}

const absent: readonly string[] = ['file_absent', 'well_known_absent', 'dns_no_record'];

/** The result of the last check. */
function fileState({ check }: ClaimResponse): Html | string {
  if (check.result === 'proven') return html`found, ${minute(check.at)}`;
  return html`${absent.includes(check.result) ? 'not found' : toLabel(check.result)}, ${minute(check.at)}`;
}

function stepsOf(
  answer: ClaimResponse | undefined,
  kind: ClaimKind | undefined,
  hasChallenge: boolean,
): readonly Step[] {
  const isClaimed = answer?.status === 'claimed';
  const hasPair = hasChallenge || isClaimed;
  return [
    { name: 'Challenge', state: hasPair ? 'issued' : 'not requested', standing: hasPair ? 'done' : 'now' },
    {
      name: kind ? claimMethods[kind].noun : 'Line in its place',
      state: answer ? fileState(answer) : 'not checked',
      standing: isClaimed ? 'done' : hasPair ? 'now' : 'later',
    },
    { name: 'Claim', state: isClaimed ? 'active' : 'not yet', standing: isClaimed ? 'done' : 'later' },
  ];
}

const step = ({ name, state, standing }: Step) => html`
<li class="${standing}"${standing === 'now' ? html` aria-current="step"` : ''}><strong>${name}</strong> <span class="note">${state}</span></li>`;

/** The three steps of a claim with the progress of each. */
export const claimSteps = (
  answer: ClaimResponse | undefined,
  kind: ClaimKind | undefined,
  hasChallenge: boolean,
): Html => html`<ol class="stepper">${stepsOf(answer, kind, hasChallenge).map(step)}</ol>`;
