import { expect, it } from 'vitest';
import { registryEntry } from '../support/entries.ts';
import { observedEntries, observedStates, since } from '../support/observed-entries.ts';
import { openObservedStates } from '../support/observed-states.ts';
import { opened } from '../support/opened.ts';

const directory = await opened(openObservedStates());
const read = async (path: string) => (await directory.app.request(path)).text();
const prose = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const part = (page: string, id: string) =>
  prose(new RegExp(`<section aria-labelledby="${id}">.*?</section>`, 's').exec(page)?.[0] ?? '');

it('tells changes of services with their values, before claims and ratings', async () => {
  const page = await read('/');
  const changes = part(page, 'changes');
  expect(changes).toMatch(
    /com\.quotewire\/quotes : Prices and payees \( https:\/\/mcp\.quotewire\.com\/mcp \): in the quoted price: payee changed from 0x1{40} to 0x2{40}/,
  );
  expect(changes).toContain('Price raised from 0.01 USDC to 0.05 USDC on Base');
  expect(changes).toContain(
    'com.toolbench/files : Tools it lists ( https://mcp.toolbench.com/mcp ): changed words in read_file : description; added delete_files',
  );
  expect(changes).not.toContain('rating');
  expect(part(page, 'claims')).toContain('com.findwell/search : new rating by dev.ledger/agent');
  expect(page.indexOf('id="changes"')).toBeLessThan(page.indexOf('id="claims"'));
});

it('tells each package reported as malicious code', async () => {
  expect(part(await read('/'), 'malware')).toContain(
    'com.bundled/export : OSV lists version 1.4.2 of npm:bundled-export as malicious code: MAL-2026-4102',
  );
});

it('counts what checks found, in words that no search answers', async () => {
  const numbers = prose(/<ul class="numbers">.*?<\/ul>/s.exec(await read('/'))?.[0] ?? '');
  expect(numbers).toMatch(/17 checked in the last 24 hours 2 asked for payment or state prices/);
  expect(numbers).toContain('1 with a package reported as malicious code');
  const found = await directory.app.request('/api/tools/search_agents', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"facets":true}',
  });
  expect(await found.text()).not.toContain('told');
});

it('shows one listing as its page does', async () => {
  const [card = ''] = /<aside class="box example".*?<\/aside>/s.exec(await read('/')) ?? [];
  const [, path = ''] = /href="(\/agents\/[^"]+)"/.exec(card) ?? [];
  const page = prose(await read(path));
  const rows = [...card.matchAll(/<dd>(.*?)<\/dd>/gs)].map(([, row = '']) => prose(row).trim());
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) expect(page).toContain(row);
});

it('leads from the newest entry of the log to the first', async () => {
  const seen: number[] = [];
  let path: string | undefined = '/log';
  while (path !== undefined) {
    const response = await directory.app.request(path, { headers: { accept: 'text/html' } });
    const page: string = await response.text();
    seen.push(...[...page.matchAll(/>entry (\d+)<\/a><\/span>/g)].map(([, index]) => Number(index)));
    path = /rel="next" href="([^"]+)"/.exec(page)?.[1];
  }
  expect(seen.length).toBeGreaterThan(20);
  expect(seen).toEqual(seen.map((_, at) => seen.length - 1 - at));
  const wrong = await directory.app.request('/log?before=-1', { headers: { accept: 'text/html' } });
  expect([wrong.status, await wrong.text()]).toEqual([
    422,
    expect.stringContaining('before must be the index'),
  ]);
});

it('tells no listing as malicious of which nothing is said so since its record changed', async () => {
  await directory.importEntries([
    ...observedEntries.filter(({ server }) => server.name !== observedStates.malicious),
    registryEntry(observedStates.malicious, { version: '2.0.0' }, since(0)),
  ]);
  directory.wait(120);
  expect((await read('/')).includes('Reported as malicious code')).toBe(false);
});

it('tells each recorded change of a listing with its day, whatever stands out', async () => {
  const name = 'com.toolbench/files';
  const repository = { url: 'https://github.com/toolbench/moved', source: 'github' };
  await directory.importEntries([
    ...observedEntries.filter(({ server }) => server.name !== name),
    registryEntry(name, { version: '2.0.0', repository }, since(0)),
  ]);
  directory.wait(120);
  expect(part(await read('/'), 'changes')).toMatch(
    /com\.toolbench\/files : record changed .* changed the repository from .*; on [\d-]{10} : Tools it lists \( https:\/\/mcp\.toolbench\.com\/mcp \): changed words in read_file : description; added delete_files : requires text ; last seen without these changes on [\d-]{10} ; .* com\.bundled/,
  );
});
