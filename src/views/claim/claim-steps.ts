import { html } from 'hono/html';
import type { ClaimResponse } from '../../claims/claim-response.ts';
import { type Html, minute } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';

/** One step of a claim and its progress. */
interface Step {
  readonly name: string;
  readonly state: Html | string;
  readonly standing: 'done' | 'now' | 'later';
}

/** The result of the last repository check. */
function fileState({ check }: ClaimResponse): Html | string {
  if (check.result === 'proven') return html`found, ${minute(check.at)}`;
  return html`${check.result === 'file_absent' ? 'not found' : toLabel(check.result)}, ${minute(check.at)}`;
}

function stepsOf(answer: ClaimResponse | undefined, hasChallenge: boolean): readonly Step[] {
  const isClaimed = answer?.status === 'claimed';
  const hasPair = hasChallenge || isClaimed;
  return [
    { name: 'Challenge', state: hasPair ? 'issued' : 'not requested', standing: hasPair ? 'done' : 'now' },
    {
      name: 'File in the repository',
      state: answer ? fileState(answer) : 'not checked',
      standing: isClaimed ? 'done' : hasPair ? 'now' : 'later',
    },
    { name: 'Claim', state: isClaimed ? 'active' : 'not yet', standing: isClaimed ? 'done' : 'later' },
  ];
}

const step = ({ name, state, standing }: Step) => html`
<li class="${standing}"${standing === 'now' ? html` aria-current="step"` : ''}><strong>${name}</strong> <span class="note">${state}</span></li>`;

/** The three steps of a claim with the progress of each. */
export const claimSteps = (answer: ClaimResponse | undefined, hasChallenge: boolean): Html =>
  html`<ol class="stepper">${stepsOf(answer, hasChallenge).map(step)}</ol>`;
