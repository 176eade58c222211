import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readDecoys } from './decoys.ts';
import { openEvaluated } from './directory.ts';
import { budgets, questions, valueAt } from './questions.ts';
import { createBm25 } from './rank.ts';
import { measureSizes } from './sizes.ts';
import { trajectories } from './trajectories.ts';

// Usage: npm run lab eval:tools [-- --data COPY]; ends with 1 if a goal is not met.
const { values } = parseArgs({
  options: { data: { type: 'string' }, listings: { type: 'string', default: '500' } },
});
const print = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

type Intent = readonly [intent: string, tool: string];
const intents = JSON.parse(readFileSync(new URL('intents.json', import.meta.url), 'utf8')) as Intent[];
const evaluated = await openEvaluated();
const servers = readDecoys();
const decoys = servers.flatMap(({ tools }) => tools);
const ours = evaluated.tools.map(({ name, description }) => ({ name, description }));
const rank = createBm25([...decoys, ...ours]);

const isFound = (found: readonly object[], tool: string) =>
  found.slice(0, 5).some((one) => one === ours.find(({ name }) => name === tool));
const missed = intents.filter(([intent, tool]) => !isFound(rank(intent), tool));

const failed: string[] = [];
const sizes = new Map<string, number>();
for (const { asks, tool, input, path, answer } of questions) {
  const called = await evaluated.call(tool, input);
  sizes.set(tool, Math.max(sizes.get(tool) ?? 0, called.tokens));
  const said = String(valueAt(called.answer, path) ?? '');
  const isWithin = called.tokens <= (budgets[tool] ?? 0);
  if (!answer.test(said) || !isWithin)
    failed.push(`${asks} ${tool} ${path}: ${said.slice(0, 80)} (${called.tokens})`);
}
const stuck: string[] = [];
for (const { name, run } of trajectories) if (!(await run(evaluated.call))) stuck.push(name);
await evaluated.close();

const share = (count: number) => (1 - count / intents.length).toFixed(3);
print('measured', 'result', 'goal');
print('---', '---', '---');
print('decoys', `${decoys.length} tools of ${servers.length} servers`, '500');
print(`recall at 5 of BM25, ${intents.length} intents`, share(missed.length), '1.0');
print(
  `questions answered from one answer within its budget, of ${questions.length}`,
  questions.length - failed.length,
  questions.length,
);
print(
  `recoveries in at most two calls, of ${trajectories.length}`,
  trajectories.length - stuck.length,
  trajectories.length,
);
for (const [tool, tokens] of sizes)
  print(`largest answer of ${tool} here, tokens`, Math.round(tokens), budgets[tool] ?? '');
if (values.data)
  for (const { what, median, largest, goal } of await measureSizes(values.data, Number(values.listings))) {
    print(`${what}: tokens, median and largest`, `${median}, ${largest}`, goal ?? '');
    if (goal !== undefined && median > goal) failed.push(`${what} takes ${median} tokens, more than ${goal}`);
  }
for (const [intent, tool] of missed)
  process.stdout.write(`BM25 misses ${tool}: ${intent}; first ${rank(intent)[0]?.name}\n`);
for (const line of [...failed, ...stuck]) process.stdout.write(`failed: ${line}\n`);
process.exitCode = missed.length + failed.length + stuck.length > 0 ? 1 : 0;
