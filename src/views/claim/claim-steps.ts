import { html } from 'hono/html';
import type { ClaimResponse } from '../../claims/claim-response.ts';
import { type Html, minute } from '../layout/html.ts';
import { toLabel } from '../layout/labels.ts';

/** How far a claim has come, in words: what each step waits for or came to. */
interface Step {
  readonly name: string;
  readonly state: Html | string;
  readonly standing: 'done' | 'now' | 'later';
}

/** What the last look found in the repository. */
function fileState({ check }: ClaimResponse): Html | string {
  if (check.result === 'proven') return html`found, ${minute(check.at)}`;
  return html`${check.result === 'file_absent' ? 'not found' : toLabel(check.result)}, ${minute(check.at)}`;
}

function stepsOf(answer: ClaimResponse | undefined, hasChallenge: boolean): readonly Step[] {
  const isClaimed = answer?.status === 'claimed';
  const hasPair = hasChallenge || isClaimed;
  return [
    { name: 'Challenge', state: hasPair ? 'issued' : 'not asked for', standing: hasPair ? 'done' : 'now' },
    {
      name: 'File in the repository',
      state: answer ? fileState(answer) : 'not looked for',
      standing: isClaimed ? 'done' : hasPair ? 'now' : 'later',
    },
    { name: 'Claim', state: isClaimed ? 'stands' : 'not yet', standing: isClaimed ? 'done' : 'later' },
  ];
}

const step = ({ name, state, standing }: Step) => html`
<li class="${standing}"${standing === 'now' ? html` aria-current="step"` : ''}><strong>${name}</strong> <span class="note">${state}</span></li>`;

/** The three steps of a claim and how each stands. */
export const claimSteps = (answer: ClaimResponse | undefined, hasChallenge: boolean): Html =>
  html`<ol class="stepper">${stepsOf(answer, hasChallenge).map(step)}</ol>`;
