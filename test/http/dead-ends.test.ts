import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';

let directory: Directory;
beforeAll(async () => {
  directory = await openDirectory({ environment: { LIMITS: 'off' } });
});
afterAll(() => directory.close());

async function call(tool: string, input: object) {
  const response = await directory.app.request(`/api/tools/${tool}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: await response.json() };
}

describe('get_agent', () => {
  it.each([
    ['a name', 'webhook'],
    ['a name in capitals', 'Webhook'],
    ['a scoped package', '@webhook-co/webhook'],
    ['the address of a repository', 'https://github.com/webhook-co/webhook'],
    ['a repository without a scheme', 'github.com/webhook-co/webhook'],
  ])('with %s instead of a handle names near handles', async (_what, handle) => {
    const { status, body } = await call('get_agent', { handle });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'unknown_handle', near: ['co.webhook/webhook'] });
  });
  it('names none for a name that nothing resembles', async () => {
    const { status, body } = await call('get_agent', { handle: 'zzyzxq' });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'unknown_handle' });
  });
});

describe('a search by a tag that no listing has', () => {
  it.each([
    ['webhook', 'webhooks'],
    ['web-hooks', 'webhooks'],
  ])('%s names the nearest: %s', async (tag, near) => {
    const { status, body } = await call('search_agents', { tags: [tag] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ listings: [], no_match: { unknown_tags: [{ tag, near: [near] }] } });
  });
  it('reads the words of the tag as the vocabulary does', async () => {
    const { body } = await call('search_agents', { tags: ['text-message'] });
    expect(body).toMatchObject({
      no_match: { unknown_tags: [{ tag: 'text-message', near: ['messaging'] }] },
    });
  });
  it('is answered on the page with the same', async () => {
    const page = await (await directory.app.request('/agents?tag=webhook')).text();
    expect(page).toContain('No listing has the tag “webhook”.');
    expect(page).toContain('<a href="/tags/webhooks">webhooks</a>');
  });
});
