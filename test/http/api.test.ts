import { describe, expect, it } from 'vitest';
import { tools } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { openedDirectory } from '../support/opened.ts';

const json = { 'content-type': 'application/json' };
const capability = `dossier_cap_${'A'.repeat(49)}`;
const unreachable = JSON.stringify({
  'github.com': { git: 'http://127.0.0.1:9', raw: 'http://127.0.0.1:9' },
});

const send = (path: string, body: NonNullable<RequestInit['body']>, headers: Record<string, string> = json) =>
  directory.app.request(path, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
const post = (path: string, body: unknown) => send(path, JSON.stringify(body));
const codeOf = async (response: Response) =>
  [response.status, ((await response.json()) as { code: string }).code] as const;

const directory = await openedDirectory({ environment: { LIMITS: 'off', REPOSITORY_HOSTS: unreachable } });

describe('POST /api/tools/<tool>', () => {
  it('answers what the tool answers', async () => {
    const response = await post('/api/tools/get_agent', { handle: 'co.webhook/webhook' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({
      handle: 'co.webhook/webhook',
      signals: { native: 'No ratings here; that matters for a purchase.' },
    });
    expect(await (await post('/api/tools/list_tags', {})).json()).toMatchObject({ tags: { webhooks: 1 } });
  });

  it.each([
    ['get_agent', {}, 422, 'invalid_input'],
    ['get_agent', { handle: 7 }, 422, 'invalid_input'],
    ['get_agent', { handle: 'co.webhook/webhook', more: 1 }, 422, 'invalid_input'],
    ['get_agent', [], 422, 'invalid_input'],
    ['get_agent', 'text', 422, 'invalid_input'],
    ['get_agent', { handle: '' }, 400, 'invalid_handle'],
    ['get_agent', { handle: capability }, 400, 'secret_in_body'],
    ['submit_rating', {}, 422, 'invalid_input'],
    ['no_such_tool', {}, 404, 'not_found'],
    ['__proto__', {}, 404, 'not_found'],
  ])('%s with %j is %i %s', async (tool, input, status, code) => {
    const response = await post(`/api/tools/${tool}`, input);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(await codeOf(response)).toEqual([status, code]);
  });
});

describe('POST /api/claim-github', () => {
  it('issues a challenge even while the repository cannot be read, and never keeps it', async () => {
    const response = await post('/api/claim-github', { handle: 'co.webhook/webhook' });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const answer = (await response.json()) as Record<string, string>;
    expect(answer).toMatchObject({
      status: 'not_proven',
      handle: 'co.webhook/webhook',
      claim_file: 'dossier-claim.txt',
      check: { result: 'host_unreachable' },
    });
    expect(answer.challenge).toMatch(/^dossier-claim-v1\.[\w-]{72}$/);
    expect(answer.capability).toMatch(/^dossier_cap_[0-9A-Za-z]{49}$/);
  });

  it('refuses what it cannot claim', async () => {
    const path = '/api/claim-github';
    expect(await codeOf(await post(path, { handle: 'no/such' }))).toEqual([404, 'unknown_handle']);
    expect(await codeOf(await send(path, `{"handle":"${'a'.repeat(2048)}"}`))).toEqual([
      413,
      'body_too_large',
    ]);
  });
});

/** PostgreSQL stores no NUL, and a lone surrogate has no UTF-8 form. */
describe('a text that cannot be stored', () => {
  const odd = ['co.webhook/webhook\u0000', 'co.webhook/\ud800', '\u0000', '\udc00'];
  const fieldsOf = ({ input }: Tool) => Object.keys(input.shape);

  it.each(tools.map((tool) => [tool.name, tool] as const))('fails no call of %s', async (name, tool) => {
    for (const field of fieldsOf(tool))
      for (const text of odd)
        for (const value of [text, [text], { [text]: text }]) {
          const body = { ...tool.example, [field]: value };
          const { status } = await post(`/api/tools/${name}`, body);
          expect([status, body]).toEqual([expect.toSatisfy((code: number) => code < 500), body]);
        }
  });
  it.each([
    '/sitemap.xml?page=%00',
    '/agents?q=a/%00b&cursor=%00',
    '/agents?tag=%00&state=%00',
    '/tags?q=%00',
    '/changes?since=%00',
    '/changes?handle=%00&publisher=%00&tag=%00',
    '/compare?handle=%00&handle=a/b%00',
    '/v0.1/servers?cursor=%00&version=%00&updated_since=%00&search=%00',
    '/agents/co.webhook/webhook/history?cursor=%00',
    '/publishers/co.webhook?cursor=%00',
  ])('fails no request for %s', async (address) => {
    const response = await directory.app.request(address);
    expect(response.status).toBeLessThan(500);
    await response.text();
  });
  it('fails no webhook, claim, feedback or completion', async () => {
    for (const text of odd) {
      for (const field of ['url', 'handle', 'publisher', 'tag', 'view', 'secret'])
        expect(
          (await post('/api/webhooks', { url: 'https://a.example/', [field]: text })).status,
        ).toBeLessThan(500);
      expect((await post('/api/claim-github', { handle: text })).status).toBeLessThan(500);
      const fields = new URLSearchParams({ message: text, handle: text, rating_id: text, contact: text });
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await send('/feedback', fields.toString(), form)).status).toBeLessThan(500);
      const argument = { name: 'namespace', value: text };
      const ref = { type: 'ref/resource', uri: 'agent://{namespace}/{name}' };
      const params = { ref, argument };
      const answer = await send(
        '/api/mcp',
        JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'completion/complete', params }),
        { ...json, accept: 'application/json, text/event-stream' },
      );
      expect(await answer.text()).toContain('"completion"');
    }
  });
});

describe('/api/capability', () => {
  const ask = (headers: Record<string, string>) => directory.app.request('/api/capability', { headers });

  it('answers 401 with WWW-Authenticate and the code of what is wrong', async () => {
    const none = await ask({});
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="dossier"');
    expect(await codeOf(none)).toEqual([401, 'capability_required']);
    const wrong = await ask({ authorization: `Bearer ${capability}` });
    expect(wrong.headers.get('www-authenticate')).toBe('Bearer realm="dossier", error="invalid_token"');
    expect(await codeOf(wrong)).toEqual([401, 'capability_invalid']);
    const huge = await ask({ authorization: `Bearer ${'a'.repeat(15_000)}` });
    expect(await codeOf(huge)).toEqual([401, 'capability_invalid']);
    const two = await ask({ authorization: 'Bearer one', 'x-agent-capability': 'two' });
    expect(await codeOf(two)).toEqual([401, 'capability_conflict']);
    const revoke = await directory.app.request('/api/capability/revoke', { method: 'POST' });
    expect(await codeOf(revoke)).toEqual([401, 'capability_required']);
  });

  it('refuses a capability in an address', async () => {
    const response = await directory.app.request(`/api/capability?token=${capability}`);
    expect(await codeOf(response)).toEqual([400, 'secret_in_body']);
  });
});
