import { mkdirSync, writeFileSync } from 'node:fs';
import { machineLine } from './machine.ts';
import { type Part, toTable } from './report.ts';

const folder = new URL('../.bench/', import.meta.url);

/** A table under a line that names the machine and the effort. */
export const toDatedTable = (parts: readonly Part[], effort: string): string =>
  `${machineLine()}; ${effort}\n\n${toTable(parts)}\n`;

/** Writes the newest table of that name into .bench, which git ignores. */
export function saveTable(name: string, table: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name.replaceAll(' ', '-')}.md`, folder), table);
}
