import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDirectory } from '../test/support/directory.ts';
import { registryEntry, seedEntries } from '../test/support/entries.ts';

// Usage: npm run lab try:ard -- CHECKOUT, or ARD_SPEC=CHECKOUT npm run lab try:ard. The conformance tool of a
// checkout of github.com/ards-project/ard-spec, which needs python3 with the package jsonschema, reads our
// manifest and asks our registry; ends with 1 if it finds an error or leaves out its check by JSON Schema.
const checkout = process.argv[2] ?? process.env.ARD_SPEC ?? '';
const tool = join(checkout, 'conformance/bin/conformance-test');
if (!checkout || !existsSync(tool)) {
  process.stderr.write('try:ard: name a checkout of ards-project/ard-spec, as an argument or in ARD_SPEC\n');
  process.exit(64);
}
const [version = 'unknown'] =
  /(?<=\*\*Version\*\*: )\S+/.exec(readFileSync(join(checkout, 'spec/ard.md'), 'utf8')) ?? [];
process.stdout.write(`ARD ${version}; this service follows v0.91\n`);

const service = await openDirectory({
  entries: [
    ...seedEntries,
    registryEntry('com.example/weather', { description: 'Weather forecast tools for any place' }),
    registryEntry('io.github.alice/Forecast', { title: 'Forecast', description: 'A weather forecast' }),
  ],
  listening: true,
});
const failed: string[] = [];
const modes = [
  ['manifest', `${service.url}/.well-known/ard.json`],
  ['registry', `${service.url}/ard`],
  ...(readFileSync(tool, 'utf8').includes('"publisher"') ? [['publisher', service.url]] : []),
] as const;
for (const [mode = '', address = ''] of modes) {
  const child = spawn('python3', ['-B', tool, mode, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  process.stdout.write(output);
  if (code !== 0 || /skipping/i.test(output)) failed.push(mode);
}
await service.close();
process.stdout.write(
  failed.length > 0 ? `FAILED: ${failed.join(', ')}\n` : 'ok: nothing failed or was left out\n',
);
process.exitCode = failed.length > 0 ? 1 : 0;
