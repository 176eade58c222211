import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { connect } from '../../test/support/mcp-clients.ts';
import { observedStates } from '../../test/support/observed-entries.ts';
import { openObservedStates } from '../../test/support/observed-states.ts';
import { hosts, installHosts, runHost } from './hosts.ts';
import type { ScriptedCall } from './scripted-model.ts';

// Usage: npm run lab eval:hosts [-- --modules FOLDER] [--host NAME] [--calls FILE] [--show]. What agents of
// npm hand their model of the tools and of their answers, in tokens of four bytes; `--show` prints it; FILE
// holds other calls, as JSON.
const { values } = parseArgs({
  options: {
    modules: { type: 'string' },
    host: { type: 'string', default: '' },
    calls: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
});
const { healthy, contradicting, unobserved } = observedStates;
const standard: readonly ScriptedCall[] = [
  { tool: 'get_agent', input: { handle: healthy } },
  { tool: 'get_agent', input: { handle: contradicting } },
  { tool: 'get_agent', input: { handle: unobserved } },
  { tool: 'get_agent', input: { handle: healthy, detail: 'full' } },
  { tool: 'search_agents', input: { query: 'search maps' } },
  { tool: 'compare_agents', input: { handles: [healthy, contradicting, unobserved] } },
  { tool: 'list_ratings', input: { handle: healthy } },
  { tool: 'list_tags', input: {} },
];
const calls = values.calls
  ? (JSON.parse(readFileSync(values.calls, 'utf8')) as readonly ScriptedCall[])
  : standard;
const tokens = (text: string) => Math.round(Buffer.byteLength(text) / 4);
const print = (...cells: readonly (string | number)[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

const directory = await openObservedStates();
const client = await connect('v2', { app: directory.app });
const names = ((await client.tools()) as { name: string }[]).map(({ name }) => name);
await client.close();
const installed = installHosts(hosts, values.modules);
const failed: string[] = [];
print('host', 'tools', ...calls.map(({ tool }) => tool));
print('---', '---', ...calls.map(() => '---'));
for (const host of hosts.filter(({ name }) => name.startsWith(values.host))) {
  const run = { modules: installed.modules, service: directory.url, calls, names };
  const { tools, results, output } = await runHost(host, run);
  print(host.name, tokens(tools.join('')), ...results.map(tokens));
  if (results.length < calls.length) failed.push(`${host.name} made ${results.length} calls\n${output}`);
  if (values.show)
    for (const [at, result] of results.entries())
      process.stdout.write(`\n## ${host.name}: ${JSON.stringify(calls[at])}\n${result}\n`);
}
installed.remove();
await directory.close();
for (const one of failed) process.stdout.write(`failed: ${one}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
