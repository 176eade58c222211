import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { onGitHub } from '../support/registry-entries.ts';

const unreachable = JSON.stringify({
  'github.com': { git: 'http://127.0.0.1:9', raw: 'http://127.0.0.1:9' },
});
let directory: Directory;

const send = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  directory.app.request(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
  });

beforeEach(async () => {
  directory = await openDirectory({ environment: { REPOSITORY_HOSTS: unreachable } });
});
afterEach(() => directory.close());

describe('the feedback form', () => {
  it('sends on to an acknowledgement, and the operator can read what came', async () => {
    const sent = await send('/feedback', {
      message: 'Please add <b>more</b>.',
      category: 'data',
      found_it: 'false',
    });
    expect(sent.status).toBe(303);
    const location = sent.headers.get('location') ?? '';
    expect(location).toMatch(/^\/feedback\?received=[0-9a-f-]{36}$/);
    const page = await (await directory.app.request(location)).text();
    expect(page).toContain('<strong>Received.</strong>');
    expect(page).toContain('which the operator has not closed yet');
    const [kept] = await directory.store.feedback.list({ state: 'open' }, 10);
    expect(kept).toMatchObject({ message: 'Please add <b>more</b>.', category: 'data', found_it: false });
    expect(kept?.handle).toBeUndefined();
    await directory.store.write((tx) => tx.feedback.close(kept?.id ?? ''));
    expect(await (await directory.app.request(location)).text()).toContain('which the operator has closed');
  });

  it('comes back with messages at the fields and what was written', async () => {
    const response = await send('/feedback', { message: '', handle: 'x"><script>', contact: 'me' });
    expect(response.status).toBe(422);
    const page = await response.text();
    expect(page).toContain('<strong>Nothing was sent.</strong>');
    expect(page).toContain('<span class="error" id="message-error">');
    expect(page).toContain('aria-invalid="true" aria-describedby="message-error message-hint"');
    expect(page).toContain('value="x&quot;&gt;&lt;script&gt;"');
    const unknown = await send('/feedback', { message: 'x', handle: 'no/such' });
    expect(unknown.status).toBe(422);
    expect(await unknown.text()).toContain('id="handle-error"');
  });

  it('echoes nothing but an id', async () => {
    const page = await directory.app.request('/feedback?received=%3Cscript%3E&handle=%22%3E%3Cscript%3E');
    expect(await page.text()).not.toContain('<script>');
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:3000' },
    { 'sec-fetch-site': 'same-site' },
  ])('from another site (%j) is 403', async (headers) => {
    const response = await send('/feedback', { message: 'x' }, { ...headers, accept: 'application/json' });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'forbidden_origin' });
    expect((await send('/agents/co.webhook/webhook/claim', {}, headers)).status).toBe(403);
  });

  it('from this site is taken', async () => {
    const same = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:3000' };
    expect((await send('/feedback', { message: 'one' }, same)).status).toBe(303);
    expect((await send('/feedback', { message: 'two' }, { origin: 'http://127.0.0.1:3000' })).status).toBe(
      303,
    );
  });

  it('is read as a form of at most 8 KiB', async () => {
    expect((await send('/feedback', { message: 'a'.repeat(8192) })).status).toBe(413);
    expect(
      (await send('/feedback', { message: 'a' }, { 'content-type': 'multipart/form-data' })).status,
    ).toBe(415);
  });
});

describe('the claim form', () => {
  const path = '/agents/co.webhook/webhook/claim';

  it('calls the secret of a claim a capability, and says once what that is', async () => {
    const page = await (await directory.app.request(path)).text();
    expect(page).not.toMatch(/secret key/i);
    expect(page.match(/a capability: the secret with which/g)).toHaveLength(1);
    const made = await (await send(path, {})).text();
    expect(made).toContain('Save this capability');
    expect(made).not.toMatch(/secret key|this key/i);
  });

  it('of a listing that cannot be claimed suggests what to do instead', async () => {
    await directory.importEntries([registryEntry('bare/tool')]);
    const page = await (await directory.app.request('/agents/bare/tool/claim')).text();
    expect(page).toContain('The listing records no repository');
    expect(page).not.toContain('Get a capability and a line</button>');
    for (const face of ['', '.md']) {
      const listing = await (await directory.app.request(`/agents/bare/tool${face}`)).text();
      expect(listing).not.toContain('How to claim');
    }
    const refused = await send('/agents/bare/tool/claim', {});
    expect(refused.status).toBe(422);
    const said = await refused.text();
    expect(said).toContain('<h1>Claim this listing</h1>');
    expect(said).toContain('<div class="notice" role="alert"><strong>Nothing was done.</strong> The listing');
    const wrong = await send(path, { challenge: 'no challenge' });
    expect(wrong.status).toBe(422);
    expect(await wrong.text()).toContain('<strong>Nothing was done.</strong>');
  });
});

it('the form of a response publishes one response by the key of the rated listing, and comes back with the text otherwise', async () => {
  const claimed = await openClaimedDirectory({
    entries: [...seedEntries, registryEntry('com.rater/api', onGitHub('rater/api'))],
  });
  try {
    const handle = 'co.webhook/webhook';
    const own = await claimed.claim(handle, 'webhook-co/webhook');
    const rater = await claimed.claim('com.rater/api', 'rater/api');
    const { rating_id } = await claimed.rate(handle, rater, { outcome: 'failed' });
    const path = `/agents/${handle}/ratings`;
    const body = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
    const respond = (fields: Record<string, string>, to = path) =>
      claimed.app.request(to, { method: 'POST', headers, body: body({ rating_id, ...fields }) });
    const before = await (await claimed.app.request(path)).text();
    expect(before).toContain(`<summary>Respond as ${handle}</summary>`);
    const refused = await respond({ text: 'We <b>fixed</b> it.', capability: rater });
    expect(refused.status).toBe(422);
    const page = await refused.text();
    expect(page).toContain(
      '<strong>Nothing was published.</strong> The rating belongs to another listing. Only the rated listing can respond.',
    );
    expect(page).toContain('>We &lt;b&gt;fixed&lt;/b&gt; it.</textarea>');
    expect(page).not.toContain(rater);
    expect((await respond({ text: 'x' })).status).toBe(401);
    const astray = await respond({ text: 'We fixed it.', capability: own }, '/agents/com.rater/api/ratings');
    expect(astray.status).toBe(422);
    expect(await astray.text()).toContain('Respond on the page of the rated listing.');
    const sent = await respond({ text: 'We <b>fixed</b> it.', capability: ` ${own}\n` });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${path}#${rating_id}`]);
    const after = await (await claimed.app.request(path)).text();
    expect(after).toContain('<blockquote class="foreign">We &lt;b&gt;fixed&lt;/b&gt; it.</blockquote>');
    expect(after).not.toContain('Respond as');
    const elsewhere = { ...headers, 'sec-fetch-site': 'cross-site' };
    expect((await claimed.app.request(path, { method: 'POST', headers: elsewhere, body: '' })).status).toBe(
      403,
    );
  } finally {
    await claimed.close();
  }
});
