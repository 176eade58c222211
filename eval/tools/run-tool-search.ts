import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openObservedStates } from '../../test/support/observed-states.ts';
import { hosts, installHosts, runHost } from './hosts.ts';

// Usage: npm run lab eval:tool-search [-- --modules FOLDER] [--set NAME]. Claude Code of npm, which shows its
// model only the names of tools, searches ours for each intent; ends with 1 if of all fewer than nine of
// ten find the right tool among the first three.
const { values } = parseArgs({ options: { modules: { type: 'string' }, set: { type: 'string' } } });
type Intents = readonly (readonly [intent: string, tool: string])[];
const file = readFileSync(new URL('tool-search-intents.json', import.meta.url), 'utf8');
const sets = Object.entries(JSON.parse(file) as Record<string, Intents>).filter(
  ([name]) => name === (values.set ?? name),
);
const intents = sets.flatMap(([, of]) => of);
const [claudeCode] = hosts.filter(({ name }) => name === 'Claude Code');
if (!claudeCode) throw new Error('Claude Code is not among the hosts');

const shown = 3;
const directory = await openObservedStates();
const installed = installHosts([claudeCode], values.modules);
const deferring = {
  ...claudeCode,
  environment: (places: Parameters<typeof claudeCode.environment>[0]) => ({
    ...claudeCode.environment(places),
    ENABLE_TOOL_SEARCH: 'true',
  }),
};
const search = (query: string) => ({ tool: 'ToolSearch', input: { query, max_results: shown } });
const {
  results: [, ...results],
  output,
} = await runHost(deferring, {
  modules: installed.modules,
  service: directory.url,
  // The first waits until the service is connected.
  calls: [search('dossier'), ...intents.map(([query]) => search(query))],
  names: ['ToolSearch'],
});
installed.remove();
await directory.close();

const foundIn = (result: string) =>
  [...result.matchAll(/"tool_name":"(?:mcp__dossier__)?(\w+)"/g)].map(([, name]) => name);
let allMissed = intents.length - results.length;
for (const [name, of] of sets) {
  const missed = of.filter(([intent, tool]) => {
    const found = foundIn(results[intents.findIndex(([one]) => one === intent)] ?? '');
    if (found.includes(tool)) return false;
    process.stdout.write(`${tool}: “${intent}” finds ${found.join(', ') || 'nothing'}\n`);
    return true;
  });
  process.stdout.write(`${name}: ${of.length - missed.length} of ${of.length} among the first ${shown}\n\n`);
  allMissed += missed.length;
}
if (results.length < intents.length) process.stdout.write(`Only ${results.length} searches\n${output}\n`);
process.exitCode = allMissed * 10 > intents.length ? 1 : 0;
