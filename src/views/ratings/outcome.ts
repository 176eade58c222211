import { html } from 'hono/html';
import type { RatingCounts } from '../../evidence/rating/rating.ts';
import { outcomes } from '../../evidence/rating/rating.ts';
import { amount } from '../../evidence/text/plural.ts';
import type { Html } from '../layout/html.ts';

/** An outcome as a word with its shape and weight (outcomes.css): none is louder than another, and none has a colour. */
export const outcomeMark = (outcome: string, text = outcome): Html =>
  html`<span class="outcome of-${outcome}">${text}</span>`;

/** Outcomes with their counts; those that nobody met are left out. */
export const outcomeCounts = (counts: RatingCounts['outcomes']): Html =>
  html`${outcomes.filter((outcome) => counts[outcome] > 0).map((outcome) => html`${outcomeMark(outcome, `${amount(counts[outcome])} ${outcome}`)} `)}`;
