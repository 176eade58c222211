import { beforeAll, expect, it } from 'vitest';
import { startModernServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry } from '../support/entries.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened, openedDirectory } from '../support/opened.ts';

const packaged = (handle: string, ...names: string[]) =>
  registryEntry(handle, {
    packages: [
      {
        registryType: 'npm',
        identifier: handle.replace('/', '-'),
        environmentVariables: names.map((name) => ({ name, isSecret: true })),
        packageArguments: [{ type: 'named', name: '--tide-zone', value: '{zone}' }],
      },
    ],
  });

const many = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) =>
  packaged(`com.${name}/mail`, 'SHARED_MAIL_KEY'),
);

const server = await opened(startModernServer(() => [{ name: 'MAIL_SEND', description: 'Sends mail' }]));
const squatters = ['all', 'b', 'c', 'd', 'e'].map((name) =>
  packaged(`com.grab/${name}`, 'SQL', 'send_mail', 'MAIL_SEND', 'LANTERN_KEY'),
);

const directory = await openedDirectory({
  entries: [
    ...squatters,
    packaged('com.lantern/light', 'LANTERN_KEY'),
    registryEntry('com.mail/box', {
      remotes: [{ type: 'streamable-http', url: 'https://mail.example.net/mcp' }],
    }),
    packaged('com.harbour/tides', 'HARBOUR_TIDE_TOKEN'),
    registryEntry('com.harbour/board', {
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://board.harbour.com/mcp',
          headers: [{ name: 'X-Harbour-Key', isSecret: true }],
        },
      ],
    }),
    registryEntry('com.token/harbour', { description: 'A token of the tide of each harbour' }),
    ...many,
  ],
  environment: { LIMITS: 'off', HOST_OVERRIDES: JSON.stringify({ 'mail.example.net': server.url }) },
});
const { app } = directory;
beforeAll(() => directory.observe('com.mail/box'));

async function call(tool: string, input: object) {
  const client = await opened(connect('v2', { app }));
  const { content } = await client.call(tool, { ...input });
  return content[0]?.text ?? '';
}

it.each([
  ['HARBOUR_TIDE_TOKEN', 'com.harbour/tides', 'HARBOUR_TIDE_TOKEN'],
  ['Error: HARBOUR_TIDE_TOKEN is not set', 'com.harbour/tides', 'HARBOUR_TIDE_TOKEN'],
  ['HARBOUR_TIDE_TOKEN=sk_live_0123', 'com.harbour/tides', 'HARBOUR_TIDE_TOKEN'],
  ['SHARED_MAIL_KEY or HARBOUR_TIDE_TOKEN is missing', 'com.harbour/tides', 'HARBOUR_TIDE_TOKEN'],
  ['x-harbour-key', 'com.harbour/board', 'x-harbour-key` as `X-Harbour-Key'],
])('finds the listing whose record asks for %s', async (asked, handle, name) => {
  const found = `the only listing that records an input with the name \`${name}\`; any record may name it`;
  const text = await call('get_agent', { handle: asked });
  expect(text).toContain(`Found as ${found}.`);
  expect(text).toContain(`\`${handle}\` (`);
  expect(text).not.toContain('sk_live');
  const hits = await call('search_agents', { query: asked });
  expect(hits).toContain(`\`${handle}\` is ${found}.`);
  expect(/^\* `([^`]+)`/m.exec(hits)?.[1]).toBe(handle);
});

it('lists all that record a name that many have, and searches words that have it besides', async () => {
  expect(await call('get_agent', { handle: 'SHARED_MAIL_KEY' })).toContain(
    '6 listings of 6 publishers record an input with the name `SHARED_MAIL_KEY`. Any record may name it. `search_agents` with query `SHARED_MAIL_KEY` finds all.',
  );
  expect(await call('search_agents', { query: 'SHARED_MAIL_KEY' })).toContain('Matching listings: 6.');
  const hits = await call('search_agents', { query: 'harbour with SHARED_MAIL_KEY' });
  expect(/^\* `([^`]+)`/m.exec(hits)?.[1]).toContain('harbour');
});

it('answers no word by a variable of the same name, and no name of a tool that a check saw', async () => {
  for (const asked of ['SQL', 'send_mail', 'MAIL_SEND']) {
    expect(await call('get_agent', { handle: asked })).not.toContain('com.grab/all');
    expect(await call('search_agents', { query: asked })).not.toContain('com.grab/all');
  }
  expect(await call('search_agents', { query: 'MAIL_SEND' })).toContain('`com.mail/box`');
});

it('names one listing of each publisher before the second of any', async () => {
  const { structuredContent } = await (await opened(connect('v2', { app }))).call('get_agent', {
    handle: 'Error: LANTERN_KEY is not set',
  });
  const { candidates } = (structuredContent as { error: { candidates: { handle: string }[] } }).error;
  expect(candidates.map(({ handle }) => handle)).toEqual([
    'com.grab/all',
    'com.lantern/light',
    'com.grab/b',
    'com.grab/c',
    'com.grab/d',
  ]);
  expect(await call('search_agents', { query: 'Error: LANTERN_KEY is not set' })).toMatch(
    /6 listings of 2 publishers record an input with the name `LANTERN_KEY`\..*^\* `com\.lantern\/light`/ms,
  );
});

it('says of a variable that no record has that none has it', async () => {
  expect(await call('get_agent', { handle: 'HARBOUR_TIDE_NONE' })).toContain(
    'No listing shown here records a package or an input of this name',
  );
  expect(await call('get_agent', { handle: 'Error: HARBOUR_TIDE_NONE is not set' })).toContain(
    'Dossier reads no name in this text',
  );
});

it('reads the handle in a line of a log, with its version', async () => {
  const text = await call('get_agent', { handle: 'connected: server=com.harbour/tides v1.0.0' });
  expect(text).toContain('`com.harbour/tides` (');
});
