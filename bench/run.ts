import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineLine, pinToLoadCore } from './machine.ts';
import { measureMcp } from './parts/mcp.ts';
import { measurePages } from './parts/pages.ts';
import type { Plan } from './plan.ts';
import { type Part, toTable } from './report.ts';

/** Every part that can be run by its name; without a name all of them are. */
const parts: Readonly<Record<string, (plan: Plan) => Promise<Part>>> = {
  mcp: measureMcp,
  pages: measurePages,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    listings: { type: 'string', default: '60000' },
    folder: { type: 'string', default: join(tmpdir(), 'dossier-bench') },
  },
});
const plan: Plan = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  listings: Number(values.listings),
  folder: values.folder,
};
mkdirSync(plan.folder, { recursive: true });
pinToLoadCore();
const measured: Part[] = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const measure = parts[name];
  if (!measure) throw new Error(`no part ${name}; there are ${Object.keys(parts).join(', ')}`);
  process.stderr.write(`${name}: `);
  measured.push(await measure(plan));
}
process.stdout.write(
  `\n${machineLine()}; ${plan.rounds} rounds of ${plan.seconds} s, medians\n\n${toTable(measured)}\n`,
);
