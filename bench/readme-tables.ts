import { readFileSync, writeFileSync } from 'node:fs';
import { machineLine } from './machine.ts';
import { type Part, toTable } from './report.ts';

const readme = new URL('README.md', import.meta.url);

/** A table under a line that names the machine and the effort. */
export const toDatedTable = (parts: readonly Part[], effort: string): string =>
  `${machineLine()}; ${effort}\n\n${toTable(parts)}\n`;

/** Replaces the table of that name in the README, or appends it. */
export function saveTable(name: string, table: string): void {
  const [begin, end] = [`<!-- begin ${name} -->\n`, `<!-- end ${name} -->\n`];
  const text = readFileSync(readme, 'utf8');
  const [before = '', rest] = text.split(begin);
  const after = rest?.split(end)[1];
  const block = `${begin}${table}${end}`;
  writeFileSync(readme, after === undefined ? `${text}\n### ${name}\n\n${block}` : before + block + after);
}
