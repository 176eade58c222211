import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

// Run by the release workflow, and before any npm publish: ends with 1 and one line for each thing that is
// not ready (CONTRIBUTING.md, "Release").
const read = (file: string) => readFileSync(file, 'utf8');
const { version, repository, mcpName } = JSON.parse(read('package.json')) as {
  version: string;
  repository?: { url?: string };
  mcpName?: string;
};
const server = JSON.parse(read('server.json')) as { name: string; version: string };
const tags = execFileSync('git', ['tag', '--points-at', 'HEAD'], { encoding: 'utf8' }).split('\n');
const faults = [
  repository?.url?.startsWith('git+https://') ||
    'package.json names no repository: the workflow sets it, because npm compares it with where it runs',
  process.env.GITHUB_ACTIONS === 'true' || 'not in the release workflow: a provenance needs its identity',
  (server.name === mcpName && server.version === version) ||
    'server.json and package.json have not the same name and version: the workflow sets them (scripts/server-json.ts)',
  tags.includes(`v${version}`) || `the commit has no tag v${version}`,
  new RegExp(`^## ${version.replaceAll('.', '\\.')}(?: |$)`, 'm').test(read('CHANGELOG.md')) ||
    `CHANGELOG.md has no section ${version}`,
].filter((fault) => fault !== true);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
