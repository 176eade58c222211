import { html } from 'hono/html';
import { toText, type Words } from '../../core/words.ts';
import {
  changedFactsWords,
  type DayOfChecks,
  daysWords,
  dayWords,
  shortDaysWords,
  toDays,
} from '../../document/pictures/days.ts';
import type { ChangedInTime } from '../../document/resolved.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAvailability } from '../../observations/known/kinds/endpoint.ts';
import { daysOfChecks, type Observation } from '../../observations/known/observation.ts';
import { type Html, toHtml } from '../html.ts';
import { percent, picture } from './scale.ts';

const large = 32;
const small = 16;

const bar = (name: string, [x, width]: readonly [number, number], [y, height]: readonly [number, number]) =>
  html`<rect class="${name}" x="${percent(x)}" width="${percent(width)}" y="${y}" height="${height}"/>`;

/** Wide from the foot up for what answered, thin above it for what did not, a dot if nothing was asked. */
function cell({ made, answered }: DayOfChecks, [at, all]: readonly [number, number], height: number): Html {
  const foot = made > 0 ? Math.round((height * answered) / made) : 0;
  const place = (part: number) => [(at + (1 - part) / 2) / all, part / all] as const;
  if (made === 0) return bar('unasked', place(0.5), [height - 2, 2]);
  return html`${foot < height && bar('failed', place(0.4), [0, height - foot])}${foot > 0 && bar('answered', place(0.8), [height - foot, foot])}`;
}

const svg = (title: string, height: number, cells: readonly (Html | false)[]) =>
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
      (day, at) => html`<g><title>${toText(dayWords(day))}</title>${cell(day, [at, days.length], large)}</g>`,
    );
    const span = [days[0]?.day ?? '', today] as const;
    return words
      ? [
          picture(svg(`Checks on each of ${days.length} days`, large, cells), span, words, {
            legend: days.some(({ made, answered }) => answered < made) ? legend : html``,
          }),
        ]
      : [];
  });

const stripDays = 30;

/** For a row of a list: the first endpoint, and how many facts changed. */
export function smallPicture(
  facts: readonly ChangedInTime[],
  today?: string,
): { drawn: Html; words: Words }[] {
  const [first] = facts.filter(({ tally }) => tally !== undefined);
  const days = first ? toDays(first.tally ?? {}, today ?? first.observed_at, stripDays) : [];
  const words = first && daysWords(first.subject ?? '', days);
  const changed = changedFactsWords(facts);
  const cells = days.map((day, at) => day.made > 0 && cell(day, [at, days.length], small));
  const base = bar('unasked', [0, 1], [small - 1, 1]);
  return [
    ...(words
      ? [
          {
            drawn: html`${svg(toText(words), small, [base, ...cells])} <span>${toHtml(shortDaysWords(days))}</span>`,
            words,
          },
        ]
      : []),
    ...(changed ? [{ drawn: html`<span>${toHtml(changed)}</span>`, words: changed }] : []),
  ];
}
