import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fixtures } from './fixtures.ts';
import { serve } from './serve.ts';

// Runs the official suite for both revisions, against the service as it is and with the suite's fixtures. See
// README.md.

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const revisions = ['2026-07-28', '2025-11-25'];
const services = { plain: undefined, fixtures };

/** Output of one run; `ok` where only what is expected to fail failed. */
async function runSuite(url: string, revision: string, expected: string) {
  const options = [
    '--url',
    url,
    '--spec-version',
    revision,
    '--suite',
    'all',
    '--expected-failures',
    expected,
  ];
  const child = spawn('npx', ['-y', suite, 'server', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  return { ok: code === 0, output };
}

for (const [name, added] of Object.entries(services)) {
  const { url, stop } = await serve(added);
  for (const revision of revisions) {
    const expected = `test/conformance/${name}.${revision}.yaml`;
    const { ok, output } = await runSuite(url, revision, expected);
    if (!ok) process.stdout.write(output);
    process.stdout.write(`${revision} ${name}: ${/^Total: .*/m.exec(output)?.[0] ?? 'did not run'}\n`);
    if (!ok) process.exitCode = 1;
  }
  await stop();
}
