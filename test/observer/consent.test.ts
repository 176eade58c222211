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
const json = { 'content-type': 'application/json' };
const drive = startEndpoint((_, { url = '' }, response) => {
  if (!url.startsWith('/.well-known/oauth-protected-resource')) {
    const challenge = `Bearer resource_metadata="${host}/.well-known/oauth-protected-resource/mcp"`;
    return void response.writeHead(401, { 'www-authenticate': challenge }).end();
  }
  const metadata = { resource: `${host}/mcp`, authorization_servers: [host], scopes_supported: scopes };
  response.writeHead(200, json).end(JSON.stringify(metadata));
});
const { directory } = await openObserved({ drive }, { LIMITS: 'off' });
const client = await opened(connect('v2', { app: directory.app }));
const agent = async () => {
  await directory.observe(handleAt('drive'));
  return (await client.call('get_agent', { handle: handleAt('drive') })).content[0]?.text ?? '';
};

it('a scope that a sign-in names besides those it named before stands out', async () => {
  expect(await agent()).toContain(`OAuth sign-in through \`${host}\`, scopes \`files.read\`.`);
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
  expect(await agent()).not.toContain('did not name before: scope `files.read`');
});
