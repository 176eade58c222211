import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openObservedStates } from '../../test/support/observed-states.ts';
import { hosts, installHosts, runHost } from './hosts.ts';

// Usage: npm run lab eval:tool-search [-- --modules FOLDER] [--intents FILE]. Claude Code of npm, which
// shows its model only the names of tools, searches ours for each intent; ends with 1 if fewer than nine of
// ten find the right tool among the first three.
const { values } = parseArgs({ options: { modules: { type: 'string' }, intents: { type: 'string' } } });
const file = values.intents ?? new URL('tool-search-intents.json', import.meta.url);
const intents = JSON.parse(readFileSync(file, 'utf8')) as (readonly [intent: string, tool: string])[];
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
const missed = intents.filter(([, tool], at) => !foundIn(results[at] ?? '').includes(tool));
for (const [intent, tool] of missed)
  process.stdout.write(
    `${tool}: “${intent}” finds ${foundIn(results[intents.findIndex(([one]) => one === intent)] ?? '').join(', ') || 'nothing'}\n`,
  );
process.stdout.write(`${intents.length - missed.length} of ${intents.length} among the first ${shown}\n`);
if (results.length < intents.length) process.stdout.write(`Only ${results.length} searches\n${output}\n`);
process.exitCode = missed.length * 10 > intents.length ? 1 : 0;
