import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { faults } from './faults/list.ts';
import { type Row, runFault } from './faults/run.ts';
import { createTemplate } from './faults/sqlite-place.ts';

// Usage: npm run lab faults [-- --long] [-- --only PART-OF-A-NAME]. Injects faults under mixed writes and
// looks for what was lost.
const { values } = parseArgs({
  options: { long: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
const sources = 8;

const median = (numbers: readonly number[]) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function toLine({
  name,
  rounds,
  acknowledged,
  claims,
  lost,
  doubled,
  logIsWhole,
  ready_ms,
  seen,
  trouble,
}: Row) {
  const ready_s = median(ready_ms);
  const cells = [
    name,
    rounds,
    `${acknowledged} (${claims})`,
    lost,
    doubled,
    logIsWhole ? 'yes' : '**no**',
    ready_s === undefined ? '' : `${(ready_s / 1000).toFixed(1)} s`,
    seen.join(', ') || 'nothing',
    trouble.length > 0 ? `**${trouble.join('; ')}**` : 'as it must',
  ];
  return `| ${cells.map((cell) => String(cell).replaceAll(/\s*[\n|]\s*/g, ' ')).join(' | ')} |\n`;
}

const template = await createTemplate(sources);
process.stdout.write(
  '| fault | rounds | acknowledged (claims) | lost | doubled | log whole | ready again (median) | callers saw | result |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n',
);
try {
  for (const fault of faults.filter(({ name }) => name.includes(values.only))) {
    const lacking = fault.lacks?.();
    if (lacking) {
      process.stdout.write(`| ${fault.name} | not run: ${lacking} | | | | | | | |\n`);
      continue;
    }
    const row = await runFault(fault, fault.rounds[values.long ? 1 : 0], template);
    if (row.trouble.length > 0) process.exitCode = 1;
    process.stdout.write(toLine(row));
  }
} finally {
  rmSync(template.folder, { recursive: true, force: true });
}
