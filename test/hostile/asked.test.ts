import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startDossier } from '../support/command.ts';
import { modern } from '../support/mcp-requests.ts';
import { openFolder } from '../support/opened.ts';

const handle = 'co.webhook/webhook';
const hand = (mark: string) => ({ handle: `https://mcp.webhook.co/${mark}` });
const payee = '0x1111111111111111111111111111111111111111';

/** For each tool that only reads, inputs with a mark in each text that a caller chooses. */
const reading: Readonly<Record<string, (mark: string) => readonly object[]>> = {
  check_offer: (mark) => [
    { handle, offer: { payTo: payee, network: mark, asset: mark, amount: mark, resource: mark } },
    { url: `https://mcp.webhook.co/mcp/${mark}`, offer: { payTo: mark, network: 'base', amount: '1' } },
    { handle, offer: `Payment realm="${mark}"` },
  ],
  check_surface: (mark) => [
    { handle, tools: [{ name: mark, description: mark, inputSchema: { title: mark } }] },
    { ...hand(mark), tools: [mark] },
  ],
  compare_agents: (mark) => [
    { handles: [handle, `npx -y ${mark}`], criteria: ['has_endpoint'] },
    { handles: [handle, handle], criteria: [mark] },
  ],
  get_agent: (mark) => [
    hand(mark),
    { handle: `npx -y ${mark}@1.0.0 --api-key=${mark}` },
    { handle: `claude mcp add hook https://mcp.webhook.co/mcp --header "X-Key: ${mark}"` },
    { handle: JSON.stringify({ mcpServers: { [mark]: { url: 'https://mcp.webhook.co/mcp' } } }) },
    { handle: `com.example/${mark}` },
    { handle, as_of: mark },
  ],
  get_history: (mark) => [hand(mark), { handle, cursor: mark }, { handle, since: mark }],
  get_proof: (mark) => [{ handle: `com.example/${mark}` }, { rating_id: mark }],
  list_ratings: (mark) => [hand(mark), { handle, cursor: mark }],
  list_tags: (mark) => [{ tag: mark }, {}],
  resolve_agents: (mark) => [{ handles: [`npm:${mark}`, `docker run -e KEY=${mark} ${mark}/x`, mark] }],
  search_agents: (mark) => [
    { query: `${mark} webhook` },
    { query: mark, tag: 'webhooks' },
    { similar_to: `com.example/${mark}` },
    { cursor: mark },
  ],
};

/** What these are sent is kept, as /about#privacy says. */
const writing = [
  'claim_agent',
  'respond_to_rating',
  'submit_feedback',
  'submit_rating',
  'withdraw_rating',
] as const;

it('what is asked of a tool that only reads, or in a query, is in neither the database nor the log', async () => {
  const folder = openFolder();
  const service = startDossier(['serve'], {
    PORT: '0',
    DATABASE_URL: `file:${join(folder, 'dossier.db')}`,
    REGISTRY_URL: 'off',
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
  });
  const url = await service.line(/listening on (\S+)/);
  const listed = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
  const tools = Object.keys(listed.paths).flatMap((path) => /^\/api\/tools\/(\w+)$/.exec(path)?.[1] ?? []);
  expect(tools.toSorted()).toEqual([...Object.keys(reading), ...writing].toSorted());
  const marks: string[] = [];
  const toMark = () => {
    const mark = `kept${marks.length}zq`;
    marks.push(mark);
    return mark;
  };
  for (const [name, toInputs] of Object.entries(reading)) {
    for (const input of toInputs(toMark())) {
      const body = JSON.stringify(input);
      const headers = { 'content-type': 'application/json' };
      await (await fetch(`${url}/api/tools/${name}`, { method: 'POST', headers, body })).text();
      const message = modern('tools/call', { name, arguments: input });
      const sent = { method: 'POST', headers: message.headers, body: message.body };
      await (await fetch(`${url}/api/mcp`, sent)).text();
    }
  }
  for (const path of ['/agents?q=', '/compare?handle=', '/changes?since=', `/agents/${handle}?at=`, '/?q='])
    await (await fetch(`${url}${path}${toMark()}`)).text();
  for (const path of ['/about', '/llms.txt']) {
    const page = await (await fetch(`${url}${path}`)).text();
    expect(page).toContain(
      'What is asked of tools that only read is not stored: no search words, names, commands, offers or lists of tools. The service’s log has the path and the tool of a request, without the address of the caller and the query;',
    );
  }
  service.child.kill('SIGTERM');
  const { stderr, stdout } = await service.ended;
  const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const kept = [...stored, stderr, stdout].join('\n').toLowerCase();
  // Both are where they are looked for.
  expect(kept).toContain(handle);
  expect(kept).toContain('"tool":"get_agent"');
  for (const mark of marks) expect([mark, kept.includes(mark)]).toEqual([mark, false]);
});
