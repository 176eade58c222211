import { html } from 'hono/html';
import { toTitle } from '../../core/words.ts';
import {
  changedFactsWords,
  type DayOfChecks,
  daysWords,
  dayWords,
  shortDaysWords,
  shownDays,
  toDays,
} from '../../document/pictures/days.ts';
import type { ChangedInTime } from '../../document/resolved.ts';
import { factsOf } from '../../observations/known/kind.ts';
import { endpointAvailability } from '../../observations/known/kinds/endpoint.ts';
import { daysOfChecks, isDated, type Observation } from '../../observations/known/observation.ts';
import { type Html, toHtml } from '../html.ts';
import { percent, picture } from './scale.ts';

const height = 32;

const bar = (name: string, [x, width]: readonly [number, number], [y, tall]: readonly [number, number]) =>
  html`<rect class="${name}" x="${percent(x)}" width="${percent(width)}" y="${y}" height="${tall}"/>`;

const footOf = ({ made, answered }: DayOfChecks, tall: number) => Math.round((tall * answered) / (made || 1));

/** Wide from the foot up for what answered, thin above it for what did not, a dot if nothing was asked. */
function cell(day: DayOfChecks, at: number, all: number): Html {
  const foot = footOf(day, height);
  const place = (part: number) => [(at + (1 - part) / 2) / all, part / all] as const;
  if (day.made === 0) return bar('unasked', place(0.5), [height - 2, 2]);
  return html`${foot < height && bar('failed', place(0.4), [0, height - foot])}${foot > 0 && bar('answered', place(0.8), [height - foot, foot])}`;
}

const small = 16;

/** The same in few bytes and without titles: a line in place of the dots. */
function strip(days: readonly DayOfChecks[], title: string): Html {
  const lines = (from: (foot: number) => number, to: (foot: number) => number) =>
    days.map((day, at) => {
      const foot = footOf(day, small);
      const [top, end] = [from(foot), to(foot)] as const;
      return day.made > 0 && top < end ? `M${at + 0.5} ${top}V${end}` : '';
    });
  const answered = lines(
    (foot) => small - foot,
    () => small,
  ).join('');
  const failed = lines(
    () => 0,
    (foot) => small - foot,
  ).join('');
  return html`<svg role="img" class="strip" viewBox="0 0 ${days.length} ${small}" preserveAspectRatio="none" height="${small}"><title>${title}</title><path d="M0 ${small}H${days.length}"/>${failed && html`<path class="failed" d="${failed}"/>`}${answered && html`<path class="answered" d="${answered}"/>`}</svg>`;
}

const svg = (title: string, cells: readonly Html[]) =>
  html`<svg role="img" class="days" width="100%" height="${height}"><title>${title}</title>${cells}</svg>`;

/** A thin bar alone says little. */
const legend = html`<p class="legend"><i class="answered"></i> answered <i class="failed"></i> not answered <i class="unasked"></i> none counted</p>`;

const mostEndpoints = 3;

const availabilityOf = (observations: readonly Observation[]) =>
  factsOf(endpointAvailability, observations).slice(0, mostEndpoints);

/** Of the first endpoints. */
export const daysPictures = (observations: readonly Observation[], today: string): Html[] =>
  availabilityOf(observations).flatMap(({ subject = '', [daysOfChecks]: tally = {} }) => {
    const days = toDays(tally, today);
    const words = daysWords(subject, days);
    const cells = days.map(
      (day, at) => html`<g><title>${toTitle(dayWords(day))}</title>${cell(day, at, days.length)}</g>`,
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

const stripDays = 30;

/** Of the first endpoint; nothing without a check on these days. */
function daysStrip(facts: readonly ChangedInTime[], number: number, today?: string) {
  const [first] = facts.filter(({ tally }) => tally !== undefined);
  if (!first) return undefined;
  const days = toDays(first.tally ?? {}, today ?? first.observed_at, number);
  const words = daysWords(first.subject ?? '', days);
  return words && { drawn: strip(days, toTitle(words)), days, words };
}

/** As `daysPictures`, in few bytes. */
export function stripPictures(observations: readonly Observation[], today: string): Html[] {
  const found = daysStrip(inTime(observations), shownDays, today);
  return found ? [picture(found.drawn, [found.days[0]?.day ?? '', today], found.words)] : [];
}

/** For a row of a list, until the last check, with the number of facts that changed. */
export function smallPicture(facts: readonly ChangedInTime[]) {
  const found = daysStrip(facts, stripDays);
  const changed = changedFactsWords(facts);
  return [
    ...(found
      ? [
          {
            drawn: html`${found.drawn} <span>${toHtml(shortDaysWords(found.days))}</span>`,
            words: found.words,
          },
        ]
      : []),
    ...(changed ? [{ drawn: html`<span>${toHtml(changed)}</span>`, words: changed }] : []),
  ];
}

/** As `smallPicture` reads a document. */
export const inTime = (observations: readonly Observation[]): ChangedInTime[] =>
  observations.filter(isDated).map((one) => ({ ...one, tally: one[daysOfChecks] }));
