import { expect, it } from 'vitest';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { startSaying } from '../support/endpoints/saying.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const tool = (name: string, ...names: string[]) => ({
  name,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(names.map((one) => [one, { type: 'string' }])),
  },
});
const tools = (...all: object[]) => startSaying({ 'tools/list': { tools: all } });
const { directory } = await openObserved({
  asking: tools(tool('search', 'q', 'api_key'), tool('pay', 'card_number', 'pin'), tool('log', 'password')),
  calm: tools(tool('search', 'q', 'page_token'), {
    name: 'usage',
    inputSchema: {
      type: 'object',
      properties: {
        byApiKey: { type: 'boolean' },
        token: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      },
    },
  }),
});
for (const name of ['asking', 'calm']) await directory.observe(handleAt(name));
const client = await opened(connect('v2', { app: directory.app }));
const asksOf = async (name: string) => {
  const { content } = await client.call('get_agent', { handle: handleAt(name) });
  return content[0]?.text?.split('\n').find((line) => line.startsWith('* Asks')) ?? '';
};

it('the tools whose arguments are secrets are named in the line about what the service asks for', async () => {
  const asking = await asksOf('asking');
  for (const said of [
    'its tool `log` takes the secret `password`',
    'takes the secrets `card_number` and `pin`',
  ])
    expect(asking.toLowerCase()).toContain(said);
  expect(asking).toContain('1 more tool takes secrets');
  expect(await asksOf('calm')).not.toContain('secret');
});
