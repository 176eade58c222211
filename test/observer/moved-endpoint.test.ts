import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { opened, openedDirectory, openedEndpoint } from '../support/opened.ts';

const handle = 'com.sablehill/crm';
const tools = [{ name: 'find_contact', description: 'Finds a contact', readOnlyHint: true }];
const server = await opened(startModernServer(() => tools));
let isMoved = false;
const former = await openedEndpoint(async (body, request, response) => {
  if (isMoved && request.url === '/mcp')
    return void response.writeHead(308, { location: 'https://sablehill.example.net/mcp' }).end();
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const sent = headers.filter(([name = '']) => /^(?:accept|content-type|mcp-)/.test(name));
  const init = { method: request.method ?? 'GET', headers: sent as [string, string][] };
  const answer = await fetch(`${server.url}${request.url}`, { ...init, ...(body && { body }) });
  const type = answer.headers.get('content-type') ?? 'text/plain';
  response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
});
const directory = await openedDirectory({
  entries: [registryEntry(handle, remotesAt('https://mcp.sablehill.com/mcp'))],
  hosts: { 'mcp.sablehill.com': former, 'sablehill.example.net': server },
  environment: { LIMITS: 'off' },
});
const today = () => directory.context.clock().toISOString().slice(0, 10);

async function check() {
  const on = today();
  await directory.observe(handle);
  directory.wait(86_400);
  return on;
}
const statementOf = async (kind?: string) =>
  (await callTool<{ statement: string }>(directory, 'get_history', { handle, ...(kind && { kind }) }))
    .statement;

it('says of an endpoint that took the place of another what is as it was there, and where that one led', async () => {
  await check();
  isMoved = true;
  const redirected = await check();
  expect(await statementOf()).not.toContain('moved from');
  await directory.importEntries([
    registryEntry(handle, { ...remotesAt('https://sablehill.example.net/mcp'), version: '2.0.0' }),
  ]);
  const moved = await check();
  const from = '`https://mcp.sablehill.com/mcp`';
  const to = '`https://sablehill.example.net/mcp`';
  const same = `The record moved from ${from} to ${to}. On ${moved}, the first check of ${to} saw the same as the last one of ${from} that saw it: `;
  const led = `On ${redirected}, ${from} redirected to the host \`sablehill.example.net\`.`;
  expect(await statementOf()).toContain(
    `${same}tools it lists and whether it asks for credentials first. ${led} `,
  );
  expect(await statementOf('tools')).toContain(`${same}tools it lists.`);
  expect(await statementOf('price')).not.toContain('The record moved');
  tools.push({ name: 'list_deals', description: 'Lists deals', readOnlyHint: true });
  await check();
  expect(await statementOf('tools')).toContain(`${same}tools it lists.`);
});
