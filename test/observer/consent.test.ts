import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runDossier } from '../support/command.ts';
import { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openFolder } from '../support/opened.ts';

const scopes = ['files.read'];
const host = 'https://drive.example.com';
let isNamed = false;
let ways: object | undefined;
const json = { 'content-type': 'application/json' };
const asking = (at: string, isThere: () => boolean) =>
  startEndpoint((_, { url = '' }, response) => {
    if (url.startsWith('/.well-known/oauth-authorization-server') && ways)
      return void response.writeHead(200, json).end(JSON.stringify({ issuer: host, ...ways }));
    if (!url.startsWith('/.well-known/oauth-protected-resource')) {
      const challenge = `Bearer resource_metadata="${at}/.well-known/oauth-protected-resource/mcp"`;
      return void response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    if (!isThere()) return void response.writeHead(404).end();
    const metadata = { resource: `${at}/mcp`, authorization_servers: [host], scopes_supported: scopes };
    response.writeHead(200, json).end(JSON.stringify(metadata));
  });
const drive = asking(host, () => true);
const keyed = asking('https://keyed.example.com', () => isNamed);
const { directory } = await openObserved({ drive, keyed }, { LIMITS: 'off' });
const client = await opened(connect('v2', { app: directory.app }));
const agent = async (name: 'drive' | 'keyed' = 'drive') => {
  await directory.observe(handleAt(name));
  return (await client.call('get_agent', { handle: handleAt(name) })).content[0]?.text ?? '';
};

it('a scope that a sign-in names besides those it named before stands out', async () => {
  expect(await agent()).toContain(
    `OAuth sign-in through \`${host}\`, scopes \`files.read\`; the metadata of \`${host}\` was not found.`,
  );
  const file = join(openFolder(), 'dossier.lock.json');
  const save = async () => {
    const document = await directory.app.request(`/agents/${handleAt('drive')}.json`);
    writeFileSync(`${file}l`, await document.text());
  };
  await save();
  const at = ['--from', `${file}l`, '--out', file];
  expect((await runDossier(['lock', ...at, handleAt('drive')], {})).code).toBe(0);
  directory.wait(86_400);
  scopes.push('mail.send');
  const wider = await agent();
  expect(wider).toContain('Stands out: Its sign-in names what it did not name before: scope `mail.send` (');
  expect(wider).toContain('scopes `files.read`, `mail.send`');
  expect(wider).toContain('Next: get_history');
  await save();
  const { code, stdout } = await runDossier(['check', ...at], {});
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /: auth\.oauth `\S+` changed from .*`files\.read`.* to .*`mail\.send`.*, known since/,
    ),
  ]);
  directory.wait(86_400);
  scopes.shift();
  const less = await agent();
  expect(less).not.toContain('did not name before: scope `files.read`');
  expect(less).toContain('Its sign-in no longer names scope `files.read` (');
  expect(less).toContain('did not name before: scope `mail.send` (');
});

it('a sign-in that an endpoint with another credential begins to name stands out, and so does its end', async () => {
  expect(await agent('keyed')).not.toContain('OAuth');
  directory.wait(86_400);
  isNamed = true;
  const named = `It names what was not seen at the check before: OAuth sign-in through \`${host}\`, scopes \`mail.send\` (`;
  const now = await agent('keyed');
  expect(now).toContain(named);
  expect(now).toContain('Next: get_history');
  isNamed = false;
  directory.wait(86_400);
  await agent('keyed');
  directory.wait(86_400);
  const ended = await agent('keyed');
  expect(ended).toContain('It no longer names an OAuth sign-in (');
  expect(ended).toContain(named);
});

it('says whether clients register at the server of a sign-in by themselves, and that its grants were not read', async () => {
  const unread = 'the grants that it allows were not read';
  for (const [stated, said] of [
    [{}, 'names no way in which clients register by themselves'],
    [{ registration_endpoint: `${host}/register` }, 'lets clients register by themselves'],
    [
      { registration_endpoint: `${host}/register`, client_id_metadata_document_supported: true },
      'lets clients register by themselves and have a metadata document of their own as their ID',
    ],
  ] as const) {
    ways = stated;
    await agent();
    const input = { handle: handleAt('drive'), detail: 'full' };
    const full = (await client.call('get_agent', input)).content[0]?.text ?? '';
    expect(full.split(`; the metadata of \`${host}\` ${said}; ${unread}`)).toHaveLength(3);
  }
});
