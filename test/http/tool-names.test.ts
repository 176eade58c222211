import { expect, it } from 'vitest';
import { type OfferedTool, startLegacyServer } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const offered: Record<string, OfferedTool[]> = {
  apiary: [{ name: 'send_mail' }, { name: 'sendLetter' }],
  orchard: [{ name: 'send_mail' }],
  'send-mail': [{ name: 'post' }],
  hills: [{ name: 'read_mail' }],
};
const { directory } = await openObserved(
  Object.fromEntries(Object.entries(offered).map(([name, tools]) => [name, startLegacyServer(() => tools)])),
);
for (const name of Object.keys(offered)) await directory.observe(handleAt(name));
const client = await opened(connect('v2', { app: directory.app }));

interface Found {
  listings: { handle: string; facts: string[] }[];
  total: { count: number };
}
const search = async (input: object) => {
  const { structuredContent, content } = await client.call('search_agents', { ...input });
  const { listings, total } = structuredContent as unknown as Found;
  return { listings, total, handles: listings.map(({ handle }) => handle), text: content[0]?.text ?? '' };
};
const [apiary, orchard] = [handleAt('apiary'), handleAt('orchard')];
const day = directory.context.clock().toISOString().slice(0, 10);
const why = `listed the tool \`send_mail\` to Dossier on ${day}`;

it('the name of a tool finds the listings that list it, behind those that have its words, and says so', async () => {
  const { handles, listings, text } = await search({ query: 'send_mail' });
  expect(handles).toEqual([handleAt('send-mail'), apiary, orchard]);
  expect(listings[2]?.facts.slice(0, 2)).toEqual([why, 'matched 0 of 2 words']);
  expect(text).toContain(why);
  expect((await search({ query: '`sendletter`, or sendLetter' })).handles).toEqual([apiary]);
  expect((await search({ query: 'send_mail', state: 'claimed' })).handles).toEqual([]);
  // A plain word is of names and descriptions.
  expect((await search({ query: 'post' })).handles).toEqual([]);
});

it('a name as Claude Code writes it is read as that of a server and of its tool', async () => {
  for (const query of ['mcp__orchard__send_mail', 'mcp__plugin_x_orchard__send_mail']) {
    const { handles, listings } = await search({ query });
    expect(handles.slice(0, 2)).toEqual([orchard, apiary]);
    expect(listings[0]?.facts).toContain(why);
  }
  const asked = await client.call('get_agent', { handle: 'mcp__orchard__send_mail' });
  expect(asked.content[0]?.text).toContain(orchard);
});

it('a tool that is gone finds nothing', async () => {
  offered.orchard?.splice(0, 1, { name: 'post' });
  directory.wait(86_400);
  await directory.observe(orchard);
  expect((await search({ query: 'send_mail' })).handles).toEqual([handleAt('send-mail'), apiary]);
});
