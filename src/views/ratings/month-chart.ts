import { html } from 'hono/html';
import { type MonthCount, maxRatingsByMonth, monthsUntil } from '../../evidence/rating/month-counts.ts';
import { outcomes } from '../../evidence/rating/rating.ts';
import { amount } from '../../evidence/text/plural.ts';
import type { Html } from '../layout/html.ts';

const width = 10;
const height = 32;

type Month = Readonly<Record<'independent' | 'others', number>>;

const isIndependent = ({ group }: MonthCount) => group === 'independent';

function monthOf(counts: readonly MonthCount[], month: string): Month {
  const sum = (independent: boolean) =>
    counts
      .filter((count) => count.month === month && isIndependent(count) === independent)
      .reduce((total, { ratings }) => total + ratings, 0);
  return { independent: sum(true), others: sum(false) };
}

/** The bar of a month: independent ratings solid, those of all other groups outlined on top. */
function bar({ independent, others }: Month, at: number, tallest: number): Html {
  const tall = (ratings: number) => (ratings === 0 ? 0 : Math.max(2, (ratings / tallest) * (height - 2)));
  const solid = tall(independent);
  const open = tall(others);
  const box = (name: string, tallness: number, ground: number) =>
    tallness === 0
      ? ''
      : html`<rect class="${name}" x="${at * width + 1}" y="${(height - ground - tallness).toFixed(1)}" width="${width - 2}" height="${tallness.toFixed(1)}"/>`;
  return html`${box('solid', solid, 0)}${box('open', open, solid)}`;
}

const total = (months: readonly Month[]) =>
  months.reduce((sum, { independent, others }) => sum + independent + others, 0);

const row = (outcome: string, months: readonly Month[], tallest: number) => html`
<div class="chart-row"><span>${outcome}</span><svg viewBox="0 0 ${months.length * width} ${height}" preserveAspectRatio="none" aria-hidden="true">${months.map((month, at) => bar(month, at, tallest))}<path d="M0 ${height}H${months.length * width}"/></svg><span class="count">${amount(total(months))}</span></div>`;

const cell = (counts: readonly MonthCount[], independent: boolean) =>
  outcomes
    .flatMap((outcome) => {
      const ratings = counts
        .filter((count) => count.outcome === outcome && isIndependent(count) === independent)
        .reduce((sum, count) => sum + count.ratings, 0);
      return ratings > 0 ? [`${outcome} ${amount(ratings)}`] : [];
    })
    .join(', ') || 'none';

const twin = (counts: readonly MonthCount[], months: readonly string[]) => html`
<details><summary>Show as a table</summary>
<table><thead><tr><th scope="col">Month</th><th scope="col">Independent</th><th scope="col">All other groups</th></tr></thead>
<tbody>${months.toReversed().map((month) => {
  const made = counts.filter((count) => count.month === month);
  return html`<tr><th scope="row">${month}</th><td>${cell(made, true)}</td><td>${cell(made, false)}</td></tr>`;
})}</tbody></table></details>`;

const isCut = (counts: readonly MonthCount[]) =>
  counts.reduce((sum, { ratings }) => sum + ratings, 0) >= maxRatingsByMonth;

/** Outcomes of the twelve months up to a date: a row of bars for each outcome on a common scale, and the same as a table. */
export function monthChart(counts: readonly MonthCount[], date: string): Html {
  const months = monthsUntil(date);
  const rows = outcomes.map((outcome) => {
    const ofOutcome = counts.filter((count) => count.outcome === outcome);
    return [outcome, months.map((month) => monthOf(ofOutcome, month))] as const;
  });
  const tallest = Math.max(1, ...rows.flatMap(([, bars]) => bars.map((one) => one.independent + one.others)));
  return html`
<figure class="chart">
<figcaption>Outcomes by month, ${months[0]} to ${months.at(-1)}. Solid: independent sources; open: all other groups. The tallest bar: ${amount(tallest)}.${isCut(counts) ? ` Of the newest ${amount(maxRatingsByMonth)} ratings.` : ''}</figcaption>
${rows.map(([outcome, bars]) => row(outcome, bars, tallest))}
<div class="chart-row" aria-hidden="true"><span></span><span class="axis"><span>${months[0]}</span><span>${months.at(-1)}</span></span></div>
${twin(counts, months)}
</figure>`;
}
