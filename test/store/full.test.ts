import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, vi } from 'vitest';
import { openedDirectory, openFolder } from '../support/opened.ts';

const folder = openFolder();
const connections = new Set<DatabaseSync>();

/** Collects the service's own connections, so that SQLite itself can be limited to its present size. */
const exec = DatabaseSync.prototype.exec;
const collecting = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
  this: DatabaseSync,
  text,
) {
  connections.add(this);
  exec.call(this, text);
});
const directory = await openedDirectory({
  environment: { LIMITS: 'off', DATABASE_URL: `file:${join(folder, 'dossier.db')}` },
});
collecting.mockRestore();

const allowPages = (pages: number) => {
  // Files that ran before in this worker may still close theirs.
  for (const connection of [...connections].filter(({ isOpen }) => isOpen))
    connection.exec(`pragma max_page_count = ${pages}`);
};
const post = directory.post;
const send = (length = 4000) => post('/api/feedback', { message: 'x'.repeat(length) });
const kept = async () => (await directory.store.feedback.list({ state: 'all' }, 1000)).length;

describe('a full disk', () => {
  it('is reported as storage_full, records nothing, blocks no reader, and ends once there is room', async () => {
    // SQLite takes the present size where it is larger: the file cannot grow.
    allowPages(1);
    let answer = await send();
    for (let sent = 1; answer.status === 200 && sent < 50; sent++) answer = await send();
    const before = await kept();
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { code: 'storage_full', title: 'Storage is full', detail: 'Nothing was recorded; try again later.' },
    ]);
    expect((await send()).status).toBe(503);
    expect(await kept()).toBe(before);
    expect((await directory.app.request('/agents/co.webhook/webhook')).status).toBe(200);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const params = { name: 'submit_feedback', arguments: { message: 'x'.repeat(4000) } };
    expect(await (await post('/api/mcp', { ...call, params })).json()).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: 'storage_full' } } },
    });
    allowPages(1_000_000);
    expect((await send()).status).toBe(200);
    expect(await kept()).toBe(before + 1);
  });

  it('records of writes that arrive together exactly those that it acknowledges', async () => {
    allowPages(1);
    while ((await send()).status === 200);
    const before = await kept();
    const answers = await Promise.all([4000, 20, 4000, 20, 4000, 20, 20].map((length) => send(length)));
    const acknowledged = answers.filter(({ status }) => status === 200);
    expect(answers.length).toBeGreaterThan(acknowledged.length);
    expect(await kept()).toBe(before + acknowledged.length);
    allowPages(1_000_000);
  });
});
