import { expect, it } from 'vitest';
import { callTool } from '../support/directory.ts';
import { startLegacyServer } from '../support/endpoints/mcp-endpoint.ts';
import { handleAt, openObserved } from '../support/endpoints/observed.ts';
import { connect } from '../support/mcp-clients.ts';
import { opened } from '../support/opened.ts';

const { directory } = await openObserved({
  slack: startLegacyServer(() => [{ name: 'slack_list_channels' }, { name: 'slack-search' }]),
});
const client = await opened(connect('v2', { app: directory.app }));
const none = (name: string, count: string) =>
  `No list of tools that Dossier has seen has \`${name}\`; the endpoints of ${count} answered its last checks.`;
const askFor = async (handle: string) => {
  const { content } = await client.call('get_agent', { handle });
  const answer = await callTool<{ near: string[]; detail: string }>(directory, 'get_agent', { handle });
  const { results } = await callTool<{ results: { reason?: string; near?: string[] }[] }>(
    directory,
    'resolve_agents',
    { handles: [handle] },
  );
  const { advice } = await callTool<{ advice?: string }>(directory, 'search_agents', { query: handle });
  const resolved = await client.call('resolve_agents', { handles: [handle] });
  return {
    text: content[0]?.text ?? '',
    answer,
    result: results[0],
    resolvedText: resolved.content[0]?.text ?? '',
    advice,
  };
};

it('of the name of a tool it is said that no list was read, and no package is asked about', async () => {
  for (const asked of ['slack_post_message', 'mcp__slack__slack_post_message']) {
    const { text, answer, result, resolvedText, advice } = await askFor(asked);
    const said =
      'Dossier has checked no listing, so it does not know whose list has the tool `slack_post_message`.';
    expect([asked, text]).toEqual([asked, expect.stringContaining(said)]);
    expect(answer.detail).toContain(said);
    expect(result).toMatchObject({ asked, outcome: 'not_known', reason: said });
    expect(resolvedText).toContain(said);
    expect(advice).toBe(said);
    expect(text + resolvedText).not.toMatch(/osv|this package/i);
  }
});

it('the listings whose list has the tool are near, also by a name that a package can have', async () => {
  await directory.observe(handleAt('slack'));
  const slack = handleAt('slack');
  const said = (name: string) =>
    `Dossier saw the tool \`${name}\` in the list of \`${slack}\`; search_agents with this name says when.`;
  for (const asked of ['slack_list_channels', 'mcp__x__slack_list_channels', 'slack-search']) {
    const { text, answer, result } = await askFor(asked);
    const name = asked.replace('mcp__x__', '');
    expect([asked, text]).toEqual([asked, expect.stringContaining(said(name))]);
    expect(answer.near[0]).toBe(slack);
    expect(result?.reason?.startsWith(said(name))).toBe(true);
    expect(result?.near?.[0]).toBe(slack);
  }
  expect((await askFor('slack-search')).advice).toBe(said('slack-search'));
  const other = await askFor('notion-search');
  expect(other.text).toContain(none('notion-search', '1 listing'));
  expect(other.text).toContain('This copy records no packages.');
});
