import { expect, it } from 'vitest';
import { type OsvRecord, osvRecord, since, startOsvApi } from '../../support/endpoints/osv-api.ts';
import { packaged } from '../../support/entries.ts';
import { connect } from '../../support/mcp-clients.ts';
import { opened, openedDirectory } from '../../support/opened.ts';

const handle = 'com.example/evil';
const malware = osvRecord('MAL-2026-1', ['npm', 'evil'], since('0'));
const fault = osvRecord('GHSA-1', ['npm', 'evil'], since('0'));
const neverTold = osvRecord('GHSA-2', ['npm', 'evil'], since('0'), { withdrawn: '2026-02-01T00:00:00Z' });
const withdrawn = { withdrawn: '2026-11-20T08:00:00Z' };
let records: readonly OsvRecord[] = [];
let status = 200;

const osv = await opened(startOsvApi(() => records, { status: () => status }));
const directory = await openedDirectory({
  entries: [packaged(handle, 'npm', 'evil', '1.0.0')],
  environment: { ADVISORIES: osv.url },
});
const client = await opened(connect('v2', directory));
async function ask(tool: string, input: Record<string, unknown> = {}) {
  const { content } = await client.call(tool, { handle, ...input });
  return content[0]?.text ?? '';
}
async function nextCheck() {
  directory.wait(86_400);
  await directory.observe(handle);
  return directory.context.clock().toISOString().slice(0, 10);
}

it('tells a report that OSV withdrew no longer as standing, and on which day it was withdrawn', async () => {
  records = [malware, fault, neverTold];
  const told = await nextCheck();
  expect(await ask('get_agent')).toContain('OSV lists version `1.0.0` of `npm:evil` as malicious code');
  records = [{ ...malware, ...withdrawn }, fault, neverTold];
  const gone = await nextCheck();
  const short = await ask('get_agent');
  expect(short).not.toContain('as malicious code');
  expect(short).toContain(
    `About the package (between ${told} and ${gone}): OSV withdrew \`MAL-2026-1\` (malicious code) on 2026-11-20.`,
  );
  const history = await ask('get_history', { since: gone });
  expect(history).toMatch(
    /then 1: .*`GHSA-1`.*; OSV withdrew `MAL-2026-1` \(malicious code\) on 2026-11-20 \(log/,
  );
  const page = await (await directory.app.request(`/badge/${handle}`)).text();
  expect(page).not.toContain('malicious');
  // Later checks, which ask for it no more, say it too, but nothing of what Dossier never told.
  osv.sent.length = 0;
  await nextCheck();
  expect(osv.sent.map(({ path }) => path)).toEqual(['/v1/query']);
  const full = await ask('get_agent', { detail: 'full' });
  expect(full).toContain('; OSV withdrew `MAL-2026-1` (malicious code) on 2026-11-20 at');
  expect(full).not.toContain('GHSA-2');
});

it('tells what stood until it can read whether it was withdrawn', async () => {
  records = [malware, fault];
  const told = await nextCheck();
  expect(await ask('get_agent', { detail: 'full' })).not.toContain('OSV withdrew');
  records = [{ ...malware, ...withdrawn }, fault];
  status = 500;
  await nextCheck();
  expect(await ask('get_agent')).toContain(`as malicious code: \`MAL-2026-1\``);
  status = 200;
  const gone = await nextCheck();
  expect(await ask('get_agent')).toContain(`About the package (between ${told} and ${gone}): OSV withdrew`);
});

it('tells no withdrawal of a report that is gone without a word', async () => {
  records = [];
  await nextCheck();
  const history = await ask('get_history');
  expect(history).toContain('Advisories about the package');
  expect(await ask('get_agent', { detail: 'full' })).not.toContain('OSV withdrew `GHSA-1`');
});
