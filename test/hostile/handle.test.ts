import { describe, expect, it } from 'vitest';
import { legacy } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({ environment: { LIMITS: 'off' } });

const post = directory.post;

const longest = `a/${'b'.repeat(198)}`;

/** What is sent as a handle, and the code that every door answers, or those that read a name in words. */
const hostile: readonly (readonly [what: string, handle: unknown, code: string, ofWords?: string])[] = [
  ['a way up', '../etc', 'unknown_handle'],
  ['two ways up', '../../etc/passwd', 'invalid_handle'],
  ['two slashes', 'co.webhook//webhook', 'invalid_handle'],
  ['three parts', 'co.webhook/web hook/x', 'invalid_handle', 'unknown_handle'],
  ['nothing', '', 'invalid_handle'],
  ['only a slash', '/', 'invalid_handle'],
  ['no name', 'co.webhook/', 'invalid_handle'],
  ['200 characters', longest, 'unknown_handle'],
  ['201 characters', `${longest}b`, 'invalid_handle'],
  ['60,000 characters', 'a/'.repeat(30_000), 'invalid_handle'],
  ['a case twin', 'co.Webhook/webhook', 'unknown_handle'],
  ['a Cyrillic letter', 'co.wеbhook/webhook', 'invalid_handle', 'found'],
  ['full width', 'ｃｏ.webhook/webhook', 'invalid_handle', 'found'],
  ['an encoded dot', 'co%2ewebhook/webhook', 'invalid_handle'],
  ['an encoded slash', 'co.webhook%2fwebhook', 'invalid_handle', 'found'],
  ['a query and a fragment', 'co.webhook/webhook?#', 'invalid_handle'],
  ['NUL', 'co.webhook/webhook\u0000', 'invalid_handle'],
  ['CRLF', 'co.webhook/webhook\r\nSet-Cookie: a=b', 'invalid_handle', 'found'],
  ['a line end', 'co.webhook/web\nhook', 'invalid_handle', 'unknown_handle'],
  ['a space', 'co.webhook/web hook', 'invalid_handle', 'unknown_handle'],
  ['a zero-width space', 'co.webhook/web\u200bhook', 'invalid_handle', 'found'],
  ['a lone surrogate', 'co.webhook/\ud800', 'invalid_handle'],
  ['a prototype', '__proto__', 'invalid_handle', 'unknown_handle'],
  ['a prototype as a name', 'a/__proto__', 'unknown_handle'],
  ['SQL', "co.webhook/webhook' OR '1'='1", 'invalid_handle', 'found'],
  ['a SQL wildcard', 'co.webhook/%', 'invalid_handle'],
  ['FTS operators', '"co" NEAR/2 "webhook"*', 'invalid_handle'],
  ['backslashes', 'co.webhook\\webhook', 'invalid_handle', 'found'],
  ['a template', 'co.webhook/{name}', 'invalid_handle'],
  ['a number', 7, 'invalid_input'],
  ['null', null, 'invalid_input'],
  ['true', true, 'invalid_input'],
  ['a list', ['co.webhook/webhook'], 'invalid_input'],
  ['an object', { toString: 'co.webhook/webhook' }, 'invalid_input'],
];

const status: Record<string, number> = {
  found: 200,
  unknown_handle: 404,
  invalid_handle: 400,
  invalid_input: 422,
};

describe('as a handle', () => {
  it.each(hostile)(
    '%s is refused alike by every tool and endpoint',
    async (_, handle, ofHandle, ofWords = ofHandle) => {
      const bodies = [
        ['/api/tools/get_agent', { handle }],
        ['/api/tools/list_ratings', { handle }],
        ['/api/tools/claim_agent', { handle }],
        ['/api/tools/submit_feedback', { handle, message: 'x' }],
        ['/api/claim-github', { handle }],
        ['/api/feedback', { handle, message: 'x' }],
      ] as const;
      const isLong = typeof handle === 'string' && handle.length > 2000;
      for (const [path, body] of bodies) {
        const answer = await post(path, body);
        const { code: said = 'found' } = (await answer.json()) as { code?: string };
        const code = /get_agent|list_ratings/.test(path) ? ofWords : ofHandle;
        const isShortDoor = isLong && /claim|feedback/.test(path);
        const expected = isShortDoor ? [413, 'body_too_large'] : [status[String(code)], code];
        expect([path, answer.status, said]).toEqual([path, ...expected]);
      }
    },
  );

  it.each(hostile)(
    '%s is a tool error over MCP, never an HTTP error',
    async (_, handle, ofHandle, code = ofHandle) => {
      const { headers, body } = legacy('tools/call', { name: 'get_agent', arguments: { handle } });
      const answer = await directory.app.request('/api/mcp', { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      const { result } = (await answer.json()) as { result: object };
      expect(result).toMatchObject(
        code === 'found'
          ? { structuredContent: { handle: 'co.webhook/webhook' } }
          : { isError: true, structuredContent: { error: { code } } },
      );
    },
  );
});

/** Paths as they come off the wire, and the status that page, document and badge answer. */
const paths: readonly (readonly [path: string, status: number])[] = [
  ['co.webhook%2Fwebhook', 308],
  ['co.webhook%252Fwebhook', 400],
  ['CO.WEBHOOK/webhook', 308],
  ['co.webhook/webhook%00', 400],
  ['co.webhook/webhook%0d%0aX-Evil:%201', 400],
  ['co.webhook/webhook%ff', 400],
  ['co.webhook/%E2%80%AEwebhook', 400],
  ['co.webhook/%D0%B5', 400],
  ['__proto__', 400],
  ['a/__proto__', 404],
  ['constructor/prototype', 404],
  [`a/${'b'.repeat(199)}`, 400],
  ["a/'%20OR%201=1--", 400],
  ['%2e%2e/%2e%2e/etc', 404],
];

it.each(paths)('in a path %s is %i, and nothing of it is repeated unescaped', async (path, expected) => {
  const answer = await directory.app.request(`/agents/${path}`);
  expect(answer.status).toBe(expected);
  expect(answer.headers.get('x-evil')).toBeNull();
  if (expected === 308) {
    expect(answer.headers.get('location')).toBe('/agents/co.webhook/webhook');
  }
});

it.each([
  ['FTS operators', '"a" AND (b* OR NOT c) NEAR(d e) : ^f'],
  ['FTS columns', '- {x} col:y name : z'],
  ['open quotes', '"""'],
  ['only signs', '*:^-+(){}"\'%_\\'],
  ['SQL', "'; DROP TABLE listings; --"],
  ['NUL', 'web\u0000hook'],
  ['lone surrogates', '\ud800\udc00\ud800'],
  ['combining marks', `a${'\u0301'.repeat(100)}`],
  ['bidi', '\u202ewebhook\u202c'],
])('as a search: %s is plain words', async (_, query) => {
  const found = await post('/api/tools/search_agents', { query });
  expect(found.status).toBe(200);
  const page = await directory.app.request(`/agents?q=${encodeURIComponent(query.toWellFormed())}`);
  expect(page.status).toBe(200);
  expect(await (await post('/api/tools/search_agents', { query: 'webhook' })).json()).toMatchObject({
    listings: [{ handle: 'co.webhook/webhook' }],
  });
});
