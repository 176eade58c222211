import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startDossier } from '../support/command.ts';
import { legacy } from '../support/mcp-requests.ts';

const start = (LOG_FORMAT: string, more = {}) =>
  startDossier(['serve'], { PORT: '0', DATABASE_URL: ':memory:', REGISTRY_URL: 'off', LOG_FORMAT, ...more });

it('the access log names request, method, path, tool and status; no address, no query, no capability', async () => {
  const service = start('json', { TRUSTED_PROXIES: '127.0.0.1' });
  const url = await service.line(/listening on (\S+)/);
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'request-1' };
  await fetch(`${url}/agents?q=private-words`, { headers });
  const capability = `dossier_cap_${'A'.repeat(49)}`;
  await fetch(`${url}/agents/a/${capability}`, {
    headers: { ...headers, authorization: `Bearer ${capability}` },
  });
  for (const name of ['get_agent', 'get_agent', 'no_tool_of_ours'])
    await fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { handle: 'co.webhook/webhook' } },
      }),
    });
  service.child.kill('SIGTERM');
  const { code, stderr } = await service.ended;
  expect(code).toBe(0);
  const lines = stderr
    .split('\n')
    .filter((line) => line.includes('"answered"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    expect.objectContaining({ request: 'request-1', method: 'GET', path: '/agents', status: 200 }),
    expect.objectContaining({ request: 'request-1', method: 'GET', path: '[capability]', status: 400 }),
    ...['get_agent', 'get_agent', undefined].map((tool) =>
      expect.objectContaining({ method: 'POST', path: '/api/mcp', status: 200, ...(tool && { tool }) }),
    ),
  ]);
  expect(lines.map(({ tool }) => tool)).toEqual([undefined, undefined, 'get_agent', 'get_agent', undefined]);
  for (const secret of ['203.0.113.9', '127.0.0.1', 'private-words', 'AAAAAAAA'])
    expect(JSON.stringify(lines)).not.toContain(secret);
});

it('a message that arrives in pieces is answered, and one that breaks off is logged once', async () => {
  const service = start('json');
  const { port } = new URL(await service.line(/listening on (\S+)/));
  let log = '';
  service.child.stderr?.on('data', (text: string) => {
    log += text;
  });
  const { headers, body } = legacy('ping');
  const more = { Host: `127.0.0.1:${port}`, 'Content-Length': body.length, Expect: '100-continue' };
  const fields = Object.entries({ ...headers, ...more }).map((field) => field.join(': '));
  const head = ['POST /api/mcp HTTP/1.1', ...fields, '', ''].join('\r\n');
  const begin = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(head);
    // Sent when the service has begun to read the message.
    expect(String((await once(socket, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body.slice(0, 10));
    return socket;
  };
  const whole = await begin();
  // What arrived before the request of another connection is read before that is answered.
  (await begin()).resetAndDestroy();
  whole.write(body.slice(10));
  const answer = String((await once(whole, 'data'))[0]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer.endsWith('{"result":{},"jsonrpc":"2.0","id":1}')).toBe(true);
  whole.destroy();
  await expect.poll(() => log.match(/"answered"/g)).toHaveLength(2);
  service.child.kill('SIGTERM');
  const { stderr } = await service.ended;
  const answered = stderr.split('\n').filter((line) => line.includes('"answered"'));
  expect(answered.map((line) => (JSON.parse(line) as { status: number }).status).toSorted()).toEqual([
    200, 400,
  ]);
  for (const line of answered)
    expect(line).toMatch(/"request":"[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-/);
});
