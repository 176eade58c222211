import { html } from 'hono/html';
import { toText } from '../../core/words.ts';
import { type DayOfChecks, daysWords, dayWords, toDays } from '../../document/pictures/days.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAvailability } from '../../observations/known/kinds/endpoint.ts';
import { daysOfChecks, type Observation } from '../../observations/known/observation.ts';
import type { Html } from '../html.ts';
import { percent, picture } from './scale.ts';

const height = 32;

/** Wide from the foot up for what answered, thin above it for what did not, a dot if nothing was asked. */
function cell({ made, answered }: DayOfChecks, at: number, all: number): Html {
  const share = made > 0 ? Math.round((height * answered) / made) : 0;
  const bar = (name: string, y: number, tall: number, part: number) =>
    html`<rect class="${name}" x="${percent((at + (1 - part) / 2) / all)}" width="${percent(part / all)}" y="${y}" height="${tall}"/>`;
  if (made === 0) return bar('unasked', height - 2, 2, 0.5);
  return html`${share < height && bar('failed', 0, height - share, 0.4)}${share > 0 && bar('answered', height - share, share, 0.8)}`;
}

const svg = (title: string, cells: readonly Html[]) =>
  html`<svg role="img" class="days" width="100%" height="${height}"><title>${title}</title>${cells}</svg>`;

/** A thin bar alone says little. */
const legend = html`<p class="legend"><i class="answered"></i> answered <i class="failed"></i> not answered <i class="unasked"></i> not asked</p>`;

const mostEndpoints = 3;

const availabilityOf = (observations: readonly Observation[]) =>
  factsOf(endpointAvailability, observations).slice(0, mostEndpoints);

/** Of the first endpoints. */
export const daysPictures = (observations: readonly Observation[], today: string): Html[] =>
  availabilityOf(observations).flatMap(({ subject = '', [daysOfChecks]: tally = {} }) => {
    const days = toDays(tally, today);
    const words = daysWords(subject, days);
    const cells = days.map(
      (day, at) => html`<g><title>${toText(dayWords(day))}</title>${cell(day, at, days.length)}</g>`,
    );
    const span = [days[0]?.day ?? '', today] as const;
    return words
      ? [
          picture(svg(`Checks on each of ${days.length} days`, cells), span, words, {
            legend: days.some(({ made, answered }) => answered < made) ? legend : html``,
          }),
        ]
      : [];
  });
