import type { Figures } from './load.ts';

/** One line of the table: what, its figure, its share of the reference, and the goal where there is one. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly share?: string;
  readonly goal?: string;
  readonly isMet?: boolean;
}

/** One part's lines under its own heading, which names the reference. */
export interface Part {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A goal that a value must reach. */
export const atLeast = (value: number, goal: number) => ({ goal: `>= ${goal}`, isMet: value >= goal });

/** A goal that a value must stay under. */
export const atMost = (value: number, goal: number, unit = '') => ({
  goal: `<= ${goal}${unit && ` ${unit}`}`,
  isMet: value <= goal,
});

/** A whole number with separators. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en');

/**
 * A line of a load beside its reference. The share is of processor time for an answer, and in brackets of the
 * rate: a fast reference is limited by what the load's core can send. Where the system reports no times, both
 * are of the rate.
 */
export function toRow(what: string, figures: Figures, reference: Figures, goal?: number): Row {
  const { rate, p50_ms, p99_ms, cpu_us } = figures;
  const byRate = rate / reference.rate;
  const byCpu = cpu_us > 0 ? reference.cpu_us / cpu_us : byRate;
  const cpu = cpu_us > 0 ? `, ${cpu_us.toFixed(0)} us` : '';
  return {
    what,
    figure: `${whole(rate)}/s${cpu}, p50 ${p50_ms.toFixed(1)} p99 ${p99_ms.toFixed(1)} ms`,
    share: `${byCpu.toFixed(2)} (${byRate.toFixed(2)})`,
    ...(goal !== undefined && atLeast(byCpu, goal)),
  };
}

const verdict = ({ isMet }: Row): string => (isMet === undefined ? '' : isMet ? 'met' : '**not met**');

/** The table as Markdown, one part after the other. */
export function toTable(parts: readonly Part[]): string {
  const head = '| what | figure | share | goal | |\n| --- | --- | --- | --- | --- |';
  const lines = parts.flatMap(({ title, rows }) => [
    `| **${title}** | | | | |`,
    ...rows.map(
      (row) => `| ${row.what} | ${row.figure} | ${row.share ?? ''} | ${row.goal ?? ''} | ${verdict(row)} |`,
    ),
  ]);
  return [head, ...lines].join('\n');
}
