import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';

let directory: Directory;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-'));
  const views = join(folder, 'views.json');
  writeFileSync(views, JSON.stringify({ all: { title: 'All', criteria: [{ criterion: 'has_endpoint' }] } }));
  directory = await openDirectory({ environment: { VIEWS: views } });
});
afterAll(async () => {
  await directory.close();
  rmSync(folder, { recursive: true });
});

const listing = '/agents/co.webhook/webhook';
const documents = [
  ...['.json', '.md', '/history.json', '/feed.json', '/feed.atom'].map((end) => `${listing}${end}`),
  '/badge/co.webhook/webhook',
  '/badge/co.webhook/webhook.json',
  `${listing}/card.png`,
  '/changes?since=0',
  '/feed.json',
  '/tags/email/feed.json',
  '/publishers/co.webhook/feed.atom',
  '/views/all/feed.json',
  '/views/all/feed.atom',
  '/views/all/.mcp.json',
  '/views/none/feed.json',
  '/views/all/managed-settings.json',
  '/v0.1/servers',
  '/export/manifest.json',
  '/transparency.json',
  '/log/checkpoint',
  '/log/key',
  '/llms.txt',
  '/openapi.json',
  '/sitemap.xml',
  '/readyz',
  '/api/mcp/server-card',
  '/agents/co.webhook/none.json',
  '/feed.json?view=none',
];

it('every document may be read by pages of any origin, also if it is not there', async () => {
  const closed = [];
  for (const path of documents)
    for (const method of ['GET', 'HEAD']) {
      const headers = { origin: 'https://elsewhere.example' };
      const answer = await directory.app.request(path, { method, headers });
      if (answer.headers.get('access-control-allow-origin') !== '*') closed.push(`${method} ${path}`);
    }
  expect(closed).toEqual([]);
});

it('a page and a form are for this origin alone', async () => {
  for (const [path, method] of [
    [listing, 'GET'],
    ['/feedback', 'GET'],
    ['/feedback', 'POST'],
    ['/api/feedback', 'POST'],
  ] as const) {
    const answer = await directory.app.request(path, { method, headers: { accept: 'text/html' } });
    expect([path, answer.headers.get('access-control-allow-origin')]).toEqual([path, null]);
  }
});
