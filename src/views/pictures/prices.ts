import { html } from 'hono/html';
import { toTitle } from '../../core/words.ts';
import { changesPayee, type PriceStep, seriesWords } from '../../document/pictures/prices.ts';
import type { OverTime } from '../../tools/find/pictures.ts';
import type { Html } from '../html.ts';
import { percent, picture, toScale } from './scale.ts';

const top = 20;
const foot = 60;
const height = 80;
/** A price beside a shorter step would cover the next. */
const leastNamed = 0.2;

type Point = readonly [share: number, y: number];

const line = (name: string, [x1, y1]: Point, [x2, y2]: Point) =>
  html`<line class="${name}" x1="${percent(x1)}" y1="${y1}" x2="${percent(x2)}" y2="${y2}"/>`;

const longestText = 24;

/** To the right of its place, or in the second half of the picture to the left of it. */
const text = ([x, y]: Point, words: string) =>
  html`<text x="${percent(x)}" y="${y}"${x > 0.55 && html` dx="-4" text-anchor="end"`}>${words.length > longestText ? `${words.slice(0, longestText).toWellFormed()}…` : words}</text>`;

function drawSteps(steps: readonly PriceStep[], placeOf: (at: string) => number): Html {
  const most = Math.max(...steps.map(({ amount }) => amount));
  const yOf = ({ amount }: PriceStep) => Math.round(foot - ((foot - top) * amount) / (most || 1));
  return html`${steps.map((step, at) => {
    const from = placeOf(step.from);
    const to = placeOf(step.to);
    const y = yOf(step);
    const before = steps[at - 1];
    const next = steps[at + 1];
    const end = next ? placeOf(next.from) : to;
    const isNamed = !next || end - from >= leastNamed;
    return html`${before && line('riser', [from, yOf(before)], [from, y])}${line('seen', [from, y], [to, y])}${next && line('unseen-between', [to, y], [end, y])}${isNamed && text([from, y - 6], toTitle(step.price))}${
      changesPayee(step, before) &&
      html`<rect class="payee" x="${percent(from)}" y="${y - 4}" width="8" height="8"/>${text([from, y + 18], 'other payee')}`
    }`;
  })}`;
}

/** Solid while checks saw the price, dashed between the last check that saw it and the next price. */
export function pricePictures({ prices, since }: OverTime, today: string): Html[] {
  return prices.map((series) => {
    const [first = today] = [since, ...series.steps.map(({ from }) => from)].sort();
    const drawn = html`<svg role="img" class="steps" width="100%" height="${height}"><title>Price over time</title>${drawSteps(series.steps, toScale(first, `${today}T23:59:59Z`))}</svg>`;
    return picture(drawn, [first, today], seriesWords(series));
  });
}
