import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { projectRoot } from './command.ts';
import { machineKind } from './machine.ts';
import type { Row } from './report.ts';

/**
 * What can be compared between runs, by part and row: ratios, memory, tokens. Each is of the run accepted
 * last.
 */
type Values = Record<string, Record<string, number>>;
/** A file of accepted runs by kind of machine. */
type Accepted = Record<string, { measured: string; values: Values }>;

/** More than a tenth worse is marked. */
const most = 1.1;

const fileOf = (name: string) => resolve(projectRoot, 'bench/accepted', `${name}.json`);

const read = (name: string): Accepted =>
  existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as Accepted) : {};

function toValue({ share, figure }: Row): number | undefined {
  const [, absolute] = /^([\d,.]+) (?:MB|tokens)/.exec(figure) ?? [];
  const value = Number.parseFloat(share ?? absolute?.replaceAll(',', '') ?? '');
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Of a share of the reference less is worse; of everything else, as multiples (`1.3 x quiet`) and memory,
 * more is.
 */
const worsening = ({ share }: Row, before: number, now: number): number =>
  share !== undefined && !/\dx| x/.test(share) ? before / now : now / before;

/** Accepts the values of a part on this kind of machine in place of those before. */
export function accept(name: string, part: string, rows: readonly Row[]): void {
  const accepted = read(name);
  const values = rows.flatMap((row) => {
    const value = toValue(row);
    // Not of another checkout (`--before`).
    return value === undefined || row.what.startsWith('before:') ? [] : [[row.what, value] as const];
  });
  accepted[machineKind] = {
    measured: new Date().toISOString().slice(0, 10),
    values: { ...accepted[machineKind]?.values, [part]: Object.fromEntries(values) },
  };
  mkdirSync(dirname(fileOf(name)), { recursive: true });
  writeFileSync(fileOf(name), `${JSON.stringify(accepted, null, 2)}\n`);
}

/**
 * The rows of a part with the accepted value beside their own, marked where theirs is worse by more than a
 * tenth.
 */
export function against(name: string, part: string, rows: readonly Row[]): Row[] {
  const values = read(name)[machineKind]?.values[part];
  if (!values) process.stderr.write(`${name} has no accepted run of ${part} on ${machineKind}\n`);
  return rows.map((row) => {
    const before = values?.[row.what];
    const now = toValue(row);
    if (before === undefined || now === undefined) return row;
    const mark = worsening(row, before, now) > most ? ', **worse**' : '';
    return { ...row, share: `${row.share ?? ''}; accepted ${before}${mark}`.replace(/^; /, '') };
  });
}
