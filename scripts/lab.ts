import { spawn } from 'node:child_process';
import { constants } from 'node:os';

// Usage: npm run lab, which lists what is here, or npm run lab NAME [-- OPTIONS]. Each runs on the checkout.
const lab: Readonly<Record<string, readonly [command: string, what: string]>> = {
  bench: ['node bench/run.ts', 'measures speed and memory beside references (bench/README.md)'],
  'check:sentences': [
    'node scripts/check-sentences.ts',
    'reads every answer about saved copies of a registry, and prints the false ones (test/README.md)',
  ],
  bundle: ['node scripts/ways-in/bundle/pack.ts', 'packs dossier.mcpb, for Claude Desktop'],
  conformance: ['node test/conformance/run.ts', 'runs the official MCP suite (test/conformance/README.md)'],
  'eval:claims': ['node eval/claims/run.ts', 'counts which listings of a copy can be claimed (eval/claims)'],
  'eval:hosts': ['node eval/tools/run-hosts.ts', 'shows what hosts of npm give a model (eval/tools)'],
  'eval:live': ['node eval/search/live.ts', 'searches for the tasks of LiveMCPBench (eval/search)'],
  'eval:purchase': ['node eval/tools/purchase.ts', 'writes what a buyer gets for each task (eval/tools)'],
  'eval:search': ['node eval/search/run.ts', 'measures what searches find in a copy (eval/search)'],
  'eval:servers': [
    'node eval/servers/run.ts',
    'observes real servers, with faults, over days (eval/servers)',
  ],
  'eval:tags': ['node eval/tags/run.ts', 'compares tags with labels made by hand (eval/tags)'],
  'eval:tool-search': [
    'node eval/tools/run-tool-search.ts',
    'searches our tools in Claude Code of npm, for 197 intents (eval/tools)',
  ],
  'eval:tools': ['node eval/tools/run.ts', 'measures whether a model finds the right tool (eval/tools)'],
  faults: [
    'node scripts/faults.ts',
    'breaks disks, nodes, clocks under writes, then audits (bench/README.md)',
  ],
  image: ['node scripts/image/image.ts', 'builds the container image (docs/operations.md)'],
  mutate: ['node scripts/mutate.ts', 'changes the source, and shows what no test finds (test/README.md)'],
  overload: ['node bench/overload.ts', 'measures callers while others attack (bench/README.md)'],
  screenshots: ['node scripts/screenshots.ts', 'writes a picture of every page to .screenshots'],
  soak: ['node bench/soak.ts', 'sends what users send, for a time (bench/README.md)'],
  'soak:changes': ['node scripts/soak-changes.ts', 'kills nodes while changes go to a webhook'],
  'soak:nodes': ['node scripts/soak-nodes.ts', 'kills nodes of one PostgreSQL under load'],
  'test:long': ['TEST_LONG=on vitest run', 'runs every test with all cases, more files on PostgreSQL'],
  'try:action': ['node scripts/ways-in/try-action.ts', 'runs action.yml as a runner of GitHub would'],
  'try:ard': ['node scripts/try-ard.ts', 'checks ARD with its own tool, in a checkout of ard-spec'],
  'try:bundle': ['node scripts/ways-in/try-bundle.ts', 'starts the bundle for Claude Desktop, unpacked'],
  'try:claude-code': ['node scripts/try-claude-code.ts', 'shows an allow list in Claude Code of npm'],
  'try:clients': ['node scripts/try-clients/try.ts', 'shows a .mcp.json in five clients of npm'],
  'try:compose': [
    'node scripts/ways-in/try-compose.ts',
    'runs what the compose files would run, behind Caddy',
  ],
  'try:go': ['node scripts/try-go/try.ts', "checks proofs of the log with Go's libraries"],
  'try:image': ['node scripts/image/try.ts', 'runs the container image as an operator would'],
  'try:nginx': ['node scripts/try-nginx.ts', 'runs the worked example of docs/operations.md'],
  'try:package': [
    'node scripts/try-package.ts',
    'packs the project, installs it in an empty folder, uses it',
  ],
  'try:plugin': ['node scripts/ways-in/try-plugin.ts', 'runs the plugin in Claude Code of npm'],
  'try:registry': ['node scripts/try-registry.ts', "starts a registry like ToolHive's to import from"],
  walks: ['node scripts/walks.ts', 'counts the files that four walks through the code need'],
};

const [name, ...options] = process.argv.slice(2);
const [command] = (name !== undefined && lab[name]) || [];
if (command === undefined) {
  const rows = Object.entries(lab).map(([known, [, what]]) => `  ${known.padEnd(16)} ${what}`);
  process.stdout.write(`npm run lab NAME [-- OPTIONS]\n${rows.join('\n')}\n`);
  if (name !== undefined) {
    process.stderr.write(`There is no ${name} here.\n`);
    process.exitCode = 2;
  }
} else {
  const child = spawn('sh', ['-c', `${command} "$@"`, name ?? '', ...options], { stdio: 'inherit' });
  // A terminal sends its signals to the child too, which ends first.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal ? constants.signals[signal] : 0);
  });
}
