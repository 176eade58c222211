import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Started, startCommand } from '../support/command.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openFolder } from '../support/opened.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const folder = openFolder();
let started: Started;
beforeAll(() => {
  started = startCommand(['sh', '-c', scripts['try:evidence'] ?? ''], { TMPDIR: folder });
});
afterAll(async () => {
  started.child.kill('SIGKILL');
  await started.ended;
});

/** What the page of each printed listing says. */
const evidence = {
  'com.quotewire/quotes': 'Price raised from 0.01 USDC to 0.05 USDC',
  'com.toolbench/files': 'Its tools changed between',
  'com.faded/translate': 'No usable answer from the endpoint',
  'com.bundled/export': 'as malicious code',
  'com.findwell/search': 'Rated by 2 independent sources',
  'com.relocated/mail': 'moved the endpoint from',
  'com.renderfarm/render': 'asked to be paid at the same address',
  'io.github.someone-else/maps': 'mcp.mapland.com',
};

it('npm run try:evidence shows evidence of each kind in a browser and over MCP, and leaves nothing once it is stopped', async () => {
  const shown = await started.line(/^A Dossier is running at [\s\S]*^Ctrl-C/m);
  const [, url = ''] = /running at (\S+)\. /.exec(shown) ?? [];
  expect(shown).toContain(`claude mcp add --transport http dossier ${url}/api/mcp\n`);
  const pages = [...shown.matchAll(/^ {3}(http\S+\/agents\/(\S+))$/gm)];
  expect(pages.map(([, , handle]) => handle)).toEqual(Object.keys(evidence));
  const read = await Promise.all(pages.map(async ([, page = '']) => (await fetch(page)).text()));
  const silent = Object.entries(evidence).filter(([, words], at) => !read[at]?.includes(words));
  expect(silent).toEqual([]);

  const agent = await opened(connect('v2', { url }));
  const [answer] = (await agent.call('get_agent', { handle: 'com.quotewire/quotes' })).content;
  expect(answer?.text).toContain('payee changed from `0x1111');
  expect(shown.match(/^ {3}\d\. /gm)).toHaveLength(5);

  // Twice, as npm passes on what the terminal has sent too.
  started.child.kill('SIGINT');
  started.child.kill('SIGINT');
  expect((await started.ended).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
